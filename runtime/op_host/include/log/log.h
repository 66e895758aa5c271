// The messages by their shorter name.
#pragma once

#include "op_common/log/log.h"
