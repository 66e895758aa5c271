// Another name of the header.
#pragma once

#include "lib/normalization/layernormgrad.h"
