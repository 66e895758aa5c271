// TCubeTiling: how a Matmul object cuts a product. Host and kernel share this struct; the host may
// write it as the macros of tiling data do, which lays it out the same.
//
// Sizes count elements, `step` and `depth` count base blocks. The fields and their meaning are
// those of the public documentation.
#pragma once

#include <cstdint>

namespace AscendC {
namespace tiling {

/// The fields in their order, for the definitions that have to agree.
#define DAVSIM_TCUBE_TILING_FIELDS(FIELD) \
  FIELD(usedCoreNum)                      \
  FIELD(M)                                \
  FIELD(N)                                \
  FIELD(Ka)                               \
  FIELD(Kb)                               \
  FIELD(singleCoreM)                      \
  FIELD(singleCoreN)                      \
  FIELD(singleCoreK)                      \
  FIELD(baseM)                            \
  FIELD(baseN)                            \
  FIELD(baseK)                            \
  FIELD(depthA1)                          \
  FIELD(depthB1)                          \
  FIELD(stepM)                            \
  FIELD(stepN)                            \
  FIELD(isBias)                           \
  FIELD(transLength)                      \
  FIELD(iterateOrder)                     \
  FIELD(shareMode)                        \
  FIELD(shareL1Size)                      \
  FIELD(shareL0CSize)                     \
  FIELD(shareUbSize)                      \
  FIELD(batchM)                           \
  FIELD(batchN)                           \
  FIELD(singleBatchM)                     \
  FIELD(singleBatchN)                     \
  FIELD(stepKa)                           \
  FIELD(stepKb)                           \
  FIELD(depthAL1CacheUB)                  \
  FIELD(depthBL1CacheUB)                  \
  FIELD(dbL0A)                            \
  FIELD(dbL0B)                            \
  FIELD(dbL0C)                            \
  FIELD(ALayoutInfoB)                     \
  FIELD(ALayoutInfoS)                     \
  FIELD(ALayoutInfoN)                     \
  FIELD(ALayoutInfoG)                     \
  FIELD(ALayoutInfoD)                     \
  FIELD(BLayoutInfoB)                     \
  FIELD(BLayoutInfoS)                     \
  FIELD(BLayoutInfoN)                     \
  FIELD(BLayoutInfoG)                     \
  FIELD(BLayoutInfoD)                     \
  FIELD(CLayoutInfoB)                     \
  FIELD(CLayoutInfoS1)                    \
  FIELD(CLayoutInfoN)                     \
  FIELD(CLayoutInfoG)                     \
  FIELD(CLayoutInfoS2)                    \
  FIELD(BatchNum)                         \
  FIELD(mxTypePara)

/// Alignment and size are multiples of 8, as those of every struct nested in tiling data.
struct alignas(8) TCubeTiling {
#define DAVSIM_TCUBE_TILING_MEMBER(name) std::int32_t name = 0;
  DAVSIM_TCUBE_TILING_FIELDS(DAVSIM_TCUBE_TILING_MEMBER)
#undef DAVSIM_TCUBE_TILING_MEMBER
};

}  // namespace tiling
}  // namespace AscendC
