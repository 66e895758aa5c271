// Where the windows of a group's ranks lie. Kernels read it from the context of the communicator:
// on an A3 a pointer to the record of a rank and then the record, on an A2 a table. Each of these
// is a load of the scalar unit through its data cache, as in public kernels, and no two ranks'
// records share a line. A kernel that sends each row to another rank awaits two lines for each.
#pragma once

#include "kernel_operator.h"
#include "lib/hccl/hccl.h"

namespace moe_distribute {

class EpWindows {
 public:
  /// `second_generation`: the context is that of an A3.
  __aicore__ inline EpWindows(GM_ADDR context, uint32_t rank, bool second_generation)
      : rank_(rank), a3_(second_generation) {
    hccl_.InitV2(context, nullptr);
    context_.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(context));
    own_ = a3_                  ? Address(context_, kOwn)
           : rank < kTableRanks ? Address(context_, kTable + rank)
                                : FarOf(rank);
  }

  __aicore__ inline GM_ADDR Own() const { return own_; }
  __aicore__ inline GM_ADDR Of(uint32_t rank) {
    if (rank == rank_) return own_;
    if (!a3_) return rank < kTableRanks ? Address(context_, kTable + rank) : FarOf(rank);
    AscendC::GlobalTensor<uint64_t> record;
    record.SetGlobalBuffer(
        reinterpret_cast<__gm__ uint64_t*>(Address(context_, kPointers + 2 * rank + 1)));
    return Address(record, kWindowIn);
  }

 private:
  /// Places in words of eight bytes: the own window of an A3, the table of an A2 and its length,
  /// the pointers of an A3, which are pairs for host and device, and the window of a record.
  static constexpr uint32_t kOwn = 4, kTable = 4, kTableRanks = AscendC::HCCL_MAX_RANK_NUM;
  static constexpr uint32_t kPointers = 2984 / 8, kWindowIn = 1;

  static __aicore__ inline GM_ADDR Address(const AscendC::GlobalTensor<uint64_t>& from,
                                           uint32_t word) {
    return reinterpret_cast<GM_ADDR>(from.GetValue(word));
  }
  /// An A2's context has no more ranks; what RDMA needs of others is not modelled.
  __aicore__ inline GM_ADDR FarOf(uint32_t rank) { return hccl_.GetWindowsInAddr(rank); }

  AscendC::Hccl<AscendC::HCCL_SERVER_TYPE_AICPU> hccl_;
  AscendC::GlobalTensor<uint64_t> context_;
  GM_ADDR own_;
  uint32_t rank_;
  bool a3_;
};

}  // namespace moe_distribute
