// In a folder that the options of kernels name.
#pragma once

static_assert(OPTIONS_OF_WORDS == 8U);
