// What the tests hand to the kernels of forms.cpp.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class FormsUse : std::int32_t {
  kUpper,  ///< base blocks of a triangle
  kLower,
  kSplit,         ///< C in fractals of 8 columns
  kParts,         ///< each step of k by itself, added up in global memory
  kCo1,           ///< C stays in L0C
  kPartsMixed,    ///< kParts of a vector core
  kScm,           ///< A in L1, copied there in fractals
  kScmNd2Nz,      ///< copied there in rows
  kScmFromUb,     ///< rows that lie in UB
  kScmPadFromUb,  ///< the same by DataCopyPad
  kScmPadShort,   ///< its lines told by DataCopyParams
};

struct FormsCall {
  AscendC::tiling::TCubeTiling tiling;
  FormsUse use = FormsUse::kUpper;
};
