// The place where a graph's runtime keeps what is registered. Registrations here are kept apart
// from these headers; sources include this one for what they register by.
#pragma once

#include "register/op_impl_registry.h"
