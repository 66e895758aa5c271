#include "kernel_operator.h"

#ifdef PICKS
#error "a macro for another operator's kernel"
#endif

using namespace AscendC;

extern "C" __global__ __aicore__ void join_custom(GM_ADDR parts, GM_ADDR offset, GM_ADDR total,
                                                  GM_ADDR total_ref, GM_ADDR sizes,
                                                  GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(JoinTiling, data, tiling);
  GET_TILING_DATA_MEMBER(JoinTiling, hasOffset, has_offset, tiling);
  ListTensorDesc list((__gm__ void*)parts);
  GlobalTensor<int32_t> result;
  result.SetGlobalBuffer((__gm__ int32_t*)total_ref);
  GlobalTensor<int64_t> counts;
  counts.SetGlobalBuffer((__gm__ int64_t*)sizes);
  int32_t sum = result.GetValue(0);
  for (uint32_t part = 0; part < list.GetSize(); ++part) {
    GlobalTensor<DTYPE_PARTS> values;
    values.SetGlobalBuffer(list.GetDataPtr<DTYPE_PARTS>(part));
    for (uint32_t i = 0; i < data.lengths[part]; ++i) sum += values.GetValue(i * data.steps[part]);
    counts.SetValue(part, counts.GetValue(part) + data.lengths[part]);
  }
  if (has_offset) sum += *(__gm__ int32_t*)offset;
  result.SetValue(0, sum);
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(result);
}
