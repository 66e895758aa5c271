// Products with a collective operation, overlapped piece by piece.
//
// All-reduce and reduce-scatter: when the cube cores have computed a piece of rows, the first one
// commits its operation, which the server carries out while the next piece is computed. All-gather:
// the operations are committed at the beginning, and the product of the own rows hides the first
// of them.
#include "kernel_operator.h"
#include "kernels/matmul/product.h"
#include "kernels/matmul_collective/matmul_collective_tiling.h"
#include "lib/hccl/hccl.h"

using namespace AscendC;
using namespace kernel_matmul;

namespace {

/// The flag by which cube cores meet.
constexpr uint16_t kPieceDone = 8;

template <typename T>
class FusedProduct {
 public:
  __aicore__ inline FusedProduct(const MatmulCollectiveTiling& tiling, GM_ADDR a, GM_ADDR b,
                                 GM_ADDR bias, GM_ADDR product, GM_ADDR out, GM_ADDR context)
      : t_(tiling), a_(a), b_(b), bias_(bias), product_(product), out_(out) {
    hccl_.InitV2(context, nullptr);
  }

  __aicore__ inline void Process() {
    Prepare();
    BeginProducts();
    if (t_.kind == CollectiveOfProduct::kAllGather) {
      MultiplyGathered();
    } else {
      MultiplyAndCommit();
    }
    EndProducts();
    hccl_.Finalize();
  }

 private:
  __aicore__ inline uint32_t RowsOf(uint32_t piece) const {
    const uint32_t first = piece * t_.piece_rows;
    return piece + 1 == t_.pieces ? t_.rows - first : t_.piece_rows;
  }
  /// Bytes in front of row `piece` of a matrix of so many columns.
  __aicore__ inline uint64_t Offset(uint32_t piece, uint32_t columns) const {
    return uint64_t{piece} * t_.piece_rows * columns * sizeof(T);
  }

  __aicore__ inline void Prepare() {
    const auto type = static_cast<HcclDataType>(t_.data_type);
    for (uint32_t i = 0; i < t_.pieces; ++i) {
      const uint64_t of_c = Offset(i, t_.width), results = uint64_t{RowsOf(i)} * t_.width;
      if (t_.kind == CollectiveOfProduct::kAllReduce) {
        handles_[i] = hccl_.AllReduce(product_ + of_c, out_ + of_c, results, type, HCCL_REDUCE_SUM);
      } else if (t_.kind == CollectiveOfProduct::kReduceScatter) {
        handles_[i] = hccl_.ReduceScatter(product_ + of_c, out_ + of_c, results, type,
                                          HCCL_REDUCE_SUM, uint64_t{t_.rows} * t_.width);
      } else {
        const uint64_t of_a = Offset(i, t_.inner);
        handles_[i] =
            hccl_.template AllGather<true>(a_ + of_a, out_ + of_a, uint64_t{RowsOf(i)} * t_.inner,
                                           type, uint64_t{t_.rows} * t_.inner);
      }
    }
  }

  __aicore__ inline void Multiply(const MatmulTiling& tiling, GM_ADDR a, GM_ADDR c) {
    Product<T, float, T> product(tiling, GetBlockIdx(), GetBlockNum());
    product.Init(a, b_, bias_, c);
    product.Process();
  }

  __aicore__ inline void MultiplyAndCommit() {
    for (uint32_t i = 0; i < t_.pieces; ++i) {
      Multiply(i + 1 == t_.pieces ? t_.last : t_.piece, a_ + Offset(i, t_.inner),
               product_ + Offset(i, t_.width));
      CrossCoreSetFlag<0, PIPE_FIX>(kPieceDone);
      CrossCoreWaitFlag<0, PIPE_S>(kPieceDone);
      hccl_.Commit(handles_[i]);
    }
    for (uint32_t i = 0; i < t_.pieces; ++i) hccl_.Wait(handles_[i]);
  }

  __aicore__ inline void MultiplyGathered() {
    const uint64_t part_of_c = uint64_t{t_.rows} * t_.width * sizeof(T);
    const uint64_t part_of_a = uint64_t{t_.rows} * t_.inner * sizeof(T);
    Multiply(t_.own, a_, product_ + t_.rank * part_of_c);
    for (uint32_t i = 0; i < t_.pieces; ++i) {
      hccl_.Wait(handles_[i]);
      // The ranks before this one, then those behind it.
      MatmulTiling tiling = i + 1 == t_.pieces ? t_.last : t_.piece;
      const uint64_t a = Offset(i, t_.inner), c = Offset(i, t_.width);
      tiling.batches = t_.rank;
      if (tiling.batches > 0) Multiply(tiling, out_ + a, product_ + c);
      tiling.batches = t_.ranks - 1 - t_.rank;
      const uint64_t next = t_.rank + 1;
      if (tiling.batches > 0) {
        Multiply(tiling, out_ + a + next * part_of_a, product_ + c + next * part_of_c);
      }
    }
  }

  const MatmulCollectiveTiling t_;
  GM_ADDR a_, b_, bias_, product_, out_;
  Hccl<HCCL_SERVER_TYPE_AICPU> hccl_;
  HcclHandle handles_[HCCL_MAX_HANDLE_ID];
};

template <typename T>
__aicore__ inline void Run(const MatmulCollectiveTiling& tiling, GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                           GM_ADDR product, GM_ADDR out, GM_ADDR context) {
  FusedProduct<T>(tiling, a, b, bias, product, out, context).Process();
}

}  // namespace

/// `product` is the product, `out` what the collective operation gives.
extern "C" __global__ __aicore__ void matmul_collective(GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                                                        GM_ADDR product, GM_ADDR out,
                                                        GM_ADDR context,
                                                        MatmulCollectiveTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  if ASCEND_IS_AIC {
    if (tiling.piece.types == MatmulTypes::kHalfToHalf) {
      Run<half>(tiling, a, b, bias, product, out, context);
    } else {
      Run<bfloat16_t>(tiling, a, b, bias, product, out, context);
    }
  }
}
