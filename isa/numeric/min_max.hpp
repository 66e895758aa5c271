// std::min, std::max and std::copy without the rest of <algorithm>, which would be a fifth of the
// time in which a kernel that includes this compiles.
#pragma once

#include <cstddef>

#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif
