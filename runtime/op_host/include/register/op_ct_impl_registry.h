// Functions that a compiler of graphs calls. They are registered as others are.
#pragma once

#include "register/op_impl_registry.h"

#define IMPL_OP_CT(op_type) IMPL_OP(op_type)
