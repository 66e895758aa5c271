// Sorting by descending scores: Sort32, MrgSort, and the calls that consist of them.
//
// A sorted tensor holds pairs of 8 bytes: the score in the low four (a half in the low two, the
// next two are 0), its index in the high four. Of equal scores the one that came first stays first.
#pragma once

#include "ascendc/data_copy.h"
#include "ascendc/pipe_order.h"
#include "ascendc/vector_reduce.h"
#include "isa/instr/params.hpp"

namespace AscendC {

constexpr std::int32_t MRG_SORT_ELEMENT_LEN = 4;

struct MrgSort4Info {
  MrgSort4Info() = default;
  MrgSort4Info(const std::uint16_t elementLengthsIn[MRG_SORT_ELEMENT_LEN],
               const bool ifExhaustedSuspensionIn, const std::uint16_t validBitIn,
               const std::uint16_t repeatTimesIn)
      : ifExhaustedSuspension(ifExhaustedSuspensionIn),
        validBit(validBitIn),
        repeatTimes(static_cast<std::uint8_t>(repeatTimesIn)) {
    std::copy(elementLengthsIn, elementLengthsIn + MRG_SORT_ELEMENT_LEN, elementLengths);
  }

  std::uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {};  ///< pairs of each queue, 0 to 4095
  bool ifExhaustedSuspension = false;  ///< stop as soon as a queue has nothing left
  std::uint16_t validBit = 0;          ///< 3, 7 or 15: the first two, three or four queues
  std::uint8_t repeatTimes = 1;        ///< counts only with four queues alike, one behind the other
};

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& src1In, const LocalTensor<T>& src2In,
                 const LocalTensor<T>& src3In, const LocalTensor<T>& src4In)
      : src1(src1In), src2(src2In), src3(src3In), src4(src4In) {}

  LocalTensor<T> src1, src2, src3, src4;
};

/// Elements of T from the start of a sorted tensor to its pair `elemOffset`.
template <typename T>
std::uint32_t GetSortOffset(const std::uint32_t elemOffset) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kSort32, davsim::api::dtype_of<T>()),
                "GetSortOffset: half, float");
  return static_cast<std::uint32_t>(elemOffset * davsim::isa::kSortPairBytes /
                                    davsim::api::kElementBytes<T>);
}

/// Elements of T that `elemCount` pairs fill.
template <typename T>
std::uint32_t GetSortLen(const std::uint32_t elemCount) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kSort32, davsim::api::dtype_of<T>()),
                "GetSortLen: half, float");
  return static_cast<std::uint32_t>(elemCount * davsim::isa::kSortPairBytes /
                                    davsim::api::kElementBytes<T>);
}

}  // namespace AscendC

namespace davsim::api {

inline std::uint8_t merge_queues(std::uint16_t valid_bit, Location where) {
  if (valid_bit != 3 && valid_bit != 7 && valid_bit != 15) {
    refuse("MrgSort", "validBit", valid_bit, "3, 7 and 15", where);
  }
  return valid_bit == 3 ? 2 : valid_bit == 7 ? 3 : 4;
}

template <typename T>
void emit_merge(const AscendC::LocalTensor<T>& dst, const AscendC::MrgSortSrcList<T>& src,
                const AscendC::MrgSort4Info& info, Location where) {
  static_assert(isa::type_exists(isa::Opcode::kMergeSort, dtype_of<T>()), "MrgSort: half, float");
  if (!core_has(isa::Pipe::V)) return;
  isa::SortParams params;
  params.repeats = info.repeatTimes;
  params.queues = merge_queues(info.validBit, where);
  params.stop_when_empty = info.ifExhaustedSuspension;
  const AscendC::LocalTensor<T>* const queues[] = {&src.src1, &src.src2, &src.src3, &src.src4};
  for (std::uint32_t q = 0; q < params.queues; ++q) {
    const isa::Operand queue = queues[q]->Operand();
    if (queue.space != isa::Space::kUb) {
      refuse_path("MrgSort", queue.space, isa::Space::kUb, where);
    }
    params.lengths[q] = info.elementLengths[q];
    params.queue_addr[q] = static_cast<std::uint32_t>(queue.addr);
  }
  emit(isa::Opcode::kMergeSort, isa::Pipe::V, dst.Operand(), src.src1.Operand(), {}, params, where);
}

/// A sort of whole tensors: runs of sorted pairs are merged, four into one, until one is left.
template <typename T>
class FullSort {
 public:
  FullSort(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& tmp,
           std::uint32_t pairs, Location where)
      : dst_(dst), tmp_(tmp), pairs_(pairs), where_(where) {}

  void run() {
    for (std::uint32_t run = isa::kSortedPerRepeat; run < pairs_; run *= 4) {
      AscendC::PipeBarrier<PIPE_V>(where_);
      AscendC::DataCopy(tmp_, dst_, AscendC::GetSortLen<T>(pairs_), where_);
      AscendC::PipeBarrier<PIPE_V>(where_);
      merge_round(run);
    }
  }

 private:
  /// Merges runs of `run` pairs in tmp into runs of four times that in dst; the last may be
  /// shorter.
  void merge_round(std::uint32_t run) {
    const std::uint32_t groups = pairs_ / (4 * run);
    for (std::uint32_t done = 0; done < groups;) {
      const std::uint32_t now = std::min(groups - done, 255u);
      const std::uint16_t lengths[] = {narrow(run), narrow(run), narrow(run), narrow(run)};
      merge(done * 4 * run, run, {lengths, false, 15, narrow(now)});
      done += now;
    }
    merge_rest(groups * 4 * run, run);
  }

  void merge_rest(std::uint32_t from, std::uint32_t run) {
    const std::uint32_t rest = pairs_ - from;
    const std::uint32_t queues = (rest + run - 1) / run;
    if (queues == 0) return;
    if (queues == 1) {
      AscendC::DataCopy(dst_[offset(from)], tmp_[offset(from)], AscendC::GetSortLen<T>(rest),
                        where_);
      return;
    }
    std::uint16_t lengths[4] = {};
    for (std::uint32_t q = 0; q < queues; ++q) lengths[q] = narrow(std::min(run, rest - q * run));
    merge(from, run, {lengths, false, narrow((1u << queues) - 1), 1});
  }

  void merge(std::uint32_t from, std::uint32_t run, const AscendC::MrgSort4Info& info) {
    const auto queue = [&](std::uint32_t q) { return tmp_[offset(from + q * run)]; };
    emit_merge<T>(dst_[offset(from)], {queue(0), queue(1), queue(2), queue(3)}, info, where_);
  }

  static std::uint32_t offset(std::uint32_t pair) { return AscendC::GetSortOffset<T>(pair); }
  static std::uint16_t narrow(std::uint32_t value) { return static_cast<std::uint16_t>(value); }

  AscendC::LocalTensor<T> dst_, tmp_;
  std::uint32_t pairs_;
  Location where_;
};

}  // namespace davsim::api

namespace AscendC {

/// Sorts 32 scores of src0 with their indices of src1 a repeat; dst gets pairs. half, float;
/// repeatTime 0 to 255.
template <typename T, typename U>
requires std::is_same_v<PrimT<U>, std::uint32_t>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1,
            const std::int32_t repeatTime,
            davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kSort32, davsim::api::dtype_of<T>()),
                "Sort32: half, float");
  davsim::api::require_range("Sort32", "repeatTime", repeatTime, 0, 255, where);
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::isa::SortParams params;
  params.repeats = static_cast<std::uint8_t>(repeatTime);
  davsim::api::emit(davsim::isa::Opcode::kSort32, davsim::isa::Pipe::V, dst.Operand(),
                    src0.Operand(), src1.Operand(), params, where);
}

/// Merges two to four sorted queues into dst, which overlaps none of them. half, float.
template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_merge(dst, src, params, where);
}

/// Pairs that the last MrgSort took of each queue; a flag must order it behind that instruction.
inline void GetMrgSortResult(std::uint16_t& mrgSortList1, std::uint16_t& mrgSortList2,
                             std::uint16_t& mrgSortList3, std::uint16_t& mrgSortList4,
                             davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  const auto counts =
      davsim::api::read_vector_register<std::uint64_t>(davsim::isa::kSprMergeCounts, where);
  mrgSortList1 = static_cast<std::uint16_t>(counts);
  mrgSortList2 = static_cast<std::uint16_t>(counts >> 16);
  mrgSortList3 = static_cast<std::uint16_t>(counts >> 32);
  mrgSortList4 = static_cast<std::uint16_t>(counts >> 48);
}

/// The same with single parameters; with isExhaustedSuspension, sortedNum gets what was taken of
/// each queue, for which the scalar unit waits.
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
             const std::uint16_t elementCountList[4], std::uint32_t sortedNum[4],
             std::uint16_t validBit, const std::int32_t repeatTime,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("MrgSort", "repeatTime", repeatTime, 0, 255, where);
  MrgSort(
      dst, sortList,
      {elementCountList, isExhaustedSuspension, validBit, static_cast<std::uint16_t>(repeatTime)},
      where);
  if constexpr (isExhaustedSuspension) {
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
    davsim::api::order_pipes<HardEvent::V_S>(where);
    std::uint16_t taken[4] = {};
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3], where);
    std::copy(taken, taken + 4, sortedNum);
  }
}

/// What Sort takes as its scores: on 2201 src itself; tmp and repeatTime mean nothing.
template <typename T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& tmp,
            const std::int32_t repeatTime,
            davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kSort32, davsim::api::dtype_of<T>()),
                "Concat: half, float");
  davsim::api::require_range("Concat", "repeatTime", repeatTime, 0, 255, where);
  static_cast<void>(tmp);
  concat = src;
}

/// Sorts 32 * repeatTime scores with their indices: with isFullSort all of them, else each 32. tmp
/// is as large as dst, and used only by a full sort.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
          const LocalTensor<std::uint32_t>& index, LocalTensor<T>& tmp,
          const std::int32_t repeatTime,
          davsim::api::Location where = davsim::api::Location::current()) {
  Sort32(dst, concat, index, repeatTime, where);
  if constexpr (isFullSort) {
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
    const auto pairs = static_cast<std::uint32_t>(repeatTime) * davsim::isa::kSortedPerRepeat;
    davsim::api::FullSort<T>(dst, tmp, pairs, where).run();
  }
}

/// Parts 32 * repeatTime pairs into scores and indices: two GatherMasks.
template <typename T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<std::uint32_t>& dstIndex,
             const LocalTensor<T>& sorted, const std::int32_t repeatTime,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::isa::type_exists(davsim::isa::Opcode::kSort32, davsim::api::dtype_of<T>()),
                "Extract: half, float");
  davsim::api::require_range("Extract", "repeatTime", repeatTime, 0, 255, where);
  // Fixed patterns: 1 takes the first of two elements, 2 the second, 3 the first of four.
  constexpr std::uint8_t kValues = davsim::api::kElementBytes<T> == 2 ? 3 : 1, kIndices = 2;
  const auto repeats = static_cast<std::uint16_t>(repeatTime);
  std::uint64_t taken = 0;
  GatherMask(dstValue, sorted, kValues, false, 0, {1, repeats, 8, 0}, taken, where);
  GatherMask(dstIndex, sorted.template ReinterpretCast<std::uint32_t>(), kIndices, false, 0,
             {1, repeats, 8, 0}, taken, where);
}

}  // namespace AscendC
