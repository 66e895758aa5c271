// Sparse flash attention: every query token attends to its own selection of rows of a paged cache.
//
// Tokens go through the stages in groups, one stage of each of three groups at a time:
//
//   vector   gather 0 | gather 1 | softmax 0 | gather 2 | softmax 1 | ...
//   cube                scores 0 | scores 1  | values 0 | scores 2  | values 1 | ...
#include "kernels/common/stage_sync.h"
#include "kernels/matmul/product.h"
#include "kernels/sparse_flash_attention_quant/gather_keys.h"
#include "kernels/sparse_flash_attention_quant/row_softmax.h"

using namespace AscendC;
using namespace kernel_common;
using namespace kernel_sparse_attention;

namespace {

constexpr StageFlags kGathered = {0, 1}, kScored = {2, 3}, kWeighted = {4, 5}, kDone = {6, 7};

class CubeSide {
 public:
  __aicore__ inline CubeSide(const SparseFlashAttentionBuffers& buffers,
                             const SparseFlashAttentionTiling& tiling)
      : buffers_(buffers), tiling_(tiling) {}

  __aicore__ inline void Process() {
    kernel_matmul::BeginProducts();
    Scores(Group::Of(tiling_, 0));
    for (uint32_t index = 0; Group::Of(tiling_, index).tokens != 0; ++index) {
      const Group next = Group::Of(tiling_, index + 1);
      if (next.tokens != 0) Scores(next);
      Values(Group::Of(tiling_, index));
    }
    kernel_matmul::EndProducts();
  }

 private:
  __aicore__ inline void Scores(const Group& group) {
    AwaitVectors(kGathered);
    const uint64_t row = group.QueryRow(tiling_);
    Multiply<bfloat16_t, float>(
        tiling_.scores, group.tokens, buffers_.queries + row * kWidth * sizeof(bfloat16_t),
        buffers_.keys + group.KeyRow(tiling_, 0) * kWidth * sizeof(bfloat16_t),
        buffers_.scores + row * tiling_.columns * sizeof(float));
    TellVectors(kScored);
  }
  __aicore__ inline void Values(const Group& group) {
    AwaitVectors(kWeighted);
    const uint64_t row = group.QueryRow(tiling_);
    const uint64_t out = static_cast<uint64_t>(group.first) * kHeads;
    Multiply<bfloat16_t, bfloat16_t>(
        tiling_.values, group.tokens, buffers_.weights + row * tiling_.columns * sizeof(bfloat16_t),
        buffers_.keys + group.KeyRow(tiling_, 0) * kWidth * sizeof(bfloat16_t),
        buffers_.attention_out + out * kLatent * sizeof(bfloat16_t));
    TellVectors(kDone);
  }

  template <typename TIn, typename TOut>
  __aicore__ inline void Multiply(const MatmulTiling& planned, uint32_t tokens, GM_ADDR a,
                                  GM_ADDR b, GM_ADDR c) {
    MatmulTiling tiling = planned;
    tiling.batches = tokens;
    kernel_matmul::Product<TIn, float, TOut> product(tiling, static_cast<uint32_t>(GetBlockIdx()),
                                                     static_cast<uint32_t>(GetBlockNum()));
    product.Init(a, b, nullptr, c);
    product.Process();
  }

  const SparseFlashAttentionBuffers& buffers_;
  const SparseFlashAttentionTiling& tiling_;
};

class VectorSide {
 public:
  __aicore__ inline VectorSide(const SparseFlashAttentionBuffers& buffers,
                               const SparseFlashAttentionTiling& tiling, TPipe* pipe)
      : buffers_(buffers), tiling_(tiling), pipe_(pipe) {}

  __aicore__ inline void Process() {
    Gather(Group::Of(tiling_, 0));
    for (uint32_t index = 0;; ++index) {
      const Group group = Group::Of(tiling_, index);
      if (group.tokens == 0) break;
      Gather(Group::Of(tiling_, index + 1));
      AwaitCubes(kScored);
      RowSoftmax stage(buffers_, tiling_, pipe_);
      stage.Process(group);
      EndStage();
      TellCubes(kWeighted);
    }
    AwaitRest();
  }

 private:
  /// Into the place of the group three before, whose values are done.
  __aicore__ inline void Gather(const Group& group) {
    if (group.tokens == 0) return;
    if (group.index >= kSparseGroups) {
      AwaitCubes(kDone);
      ++awaited_;
    }
    GatherKeys stage(buffers_, tiling_, pipe_);
    stage.Process(group);
    EndStage();
    TellCubes(kGathered);
    ++gathered_;
  }
  /// The next stage's loads go where this one still computes.
  __aicore__ inline void EndStage() {
    PipeBarrier<PIPE_ALL>();
    pipe_->Reset();
  }
  /// A flag that nobody takes would be there in the next launch.
  __aicore__ inline void AwaitRest() {
    for (; awaited_ < gathered_; ++awaited_) AwaitCubes(kDone);
  }

  const SparseFlashAttentionBuffers& buffers_;
  const SparseFlashAttentionTiling& tiling_;
  TPipe* pipe_;
  uint32_t gathered_ = 0, awaited_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void sparse_flash_attention_quant(
    SparseFlashAttentionBuffers buffers, SparseFlashAttentionTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    CubeSide(buffers, tiling).Process();
  }
  if ASCEND_IS_AIV {
    TPipe pipe;
    VectorSide(buffers, tiling, &pipe).Process();
  }
}
