// What the sources in op_host include: definitions, registrations and contexts.
#pragma once

#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
