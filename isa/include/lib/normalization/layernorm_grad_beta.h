// lib/normalization/layernormgrad.h under another name of the public interface.
#pragma once

#include "lib/normalization/layernormgrad.h"
