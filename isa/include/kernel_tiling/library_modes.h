// Enumerations of the high-level API that kernels and hosts share. C++17, because sources of
// op_host include it.
#pragma once

#include <cstdint>

namespace AscendC {

/// Which dimensions are reduced: R those, A the others.
enum class ReducePattern : std::uint32_t { AR = 0, RA = 1, R, ARA, ARAR, ARARA, ARARAR };

enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL };

/// How the elements of a tensor lie.
enum class DataFormat : std::uint8_t {
  ND = 0,
  NZ,
  NCHW,
  NC1HWC0,
  NHWC,
  NCDHW,
  NDC1HWC0,
  FRACTAL_Z_3D,
};

/// What TransData turns into what.
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};

}  // namespace AscendC
