// The vector of hand-written aclnn functions by its older name.
#pragma once

#include "opdev/fast_vector.h"
