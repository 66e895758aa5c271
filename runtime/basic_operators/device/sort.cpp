// The kernel that sorts rows, or finds the first elements of sorted rows. Rows longer than UB come
// in pieces: the best elements so far are merged with each sorted piece.
#include "device/rows.h"
#include "device/sort_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr uint32_t kRun = 32;  // elements that one instruction sorts
/// Patterns of GatherMask.
constexpr uint8_t kFirstOfTwo = 1, kSecondOfTwo = 2;

template <typename T>
class SortRows {
 public:
  __aicore__ inline explicit SortRows(const SortTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices) {
    // Short rows come and go while others are sorted.
    const uint32_t buffers = tiling_.shares.length <= kSortTile / 2 ? 2 : 1;
    in_.Init(pipe_, x, kSortTile / buffers, buffers);
    values_out_.Init(pipe_, values, kSortTile / buffers, buffers);
    indices_out_.Init(pipe_, indices, kSortTile / buffers, buffers);
    scores_ = Zeros<float>(pipe_, scores_buffer_, kSortTile);
    places_ = Zeros<int32_t>(pipe_, places_buffer_, kSortTile);
    columns_ = Zeros<int32_t>(pipe_, columns_buffer_, kSortTile);
    CreateVecIndex(columns_, 0, kSortTile);
    sorted_ = Zeros<float>(pipe_, sorted_buffer_, 2 * kSortTile);
    other_ = Zeros<float>(pipe_, other_buffer_, 2 * kSortTile);
    piece_ = kSortTile;
    if (tiling_.shares.length > kSortTile) {
      most_ = RoundUp(tiling_.kept, kRun);
      piece_ = kSortTile - most_;
      best_ = Zeros<float>(pipe_, best_buffer_, 2 * most_);
    }
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t) { SortRow(row); });
  }

 private:
  __aicore__ inline void SortRow(uint64_t row) {
    const uint64_t length = tiling_.shares.length;
    uint32_t found = 0;
    for (uint64_t at = 0; at < length; at += piece_) {
      const uint32_t count = min(static_cast<uint64_t>(piece_), length - at);
      SortPiece(row * length + at, at, count);
      if (length > piece_) found = Merge(found, RoundUp(count, kRun));
    }
    Part(length > piece_ ? best_ : sorted_);
    WriteRow(row);
  }

  /// The pairs of a piece of a row, in descending order, in sorted_.
  __aicore__ inline void SortPiece(uint64_t from, uint64_t at, uint32_t count) {
    constexpr float kLowest = -INFINITY;
    const uint32_t whole = RoundUp(count, kRun);
    Duplicate(scores_, kLowest, whole);
    in_.Read(scores_, from, count, RowTile{1, count, count});
    Muls(scores_, scores_, tiling_.order == SortOrder::kLeast ? -1.0f : 1.0f, count);
    if (tiling_.order == SortOrder::kLeast) {
      const LocalTensor<uint8_t> bits = sorted_.ReinterpretCast<uint8_t>();
      Compare(bits, scores_, scores_, CMPMODE::EQ, RoundUp(count, kLanes));
      Select(scores_, bits, scores_, kLowest, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
    if (tiling_.order == SortOrder::kAscending) {
      Reverse(scores_, other_, count);
      Muls(places_, columns_, -1, whole);
      Adds(places_, places_, static_cast<int32_t>(count - 1), whole);
    } else {
      Adds(places_, columns_, static_cast<int32_t>(at), whole);
    }
    Sort<float, true>(sorted_, scores_, places_.ReinterpretCast<uint32_t>(), other_, whole / kRun);
  }

  /// Equal elements keep their order where a row is turned around before and after it is sorted.
  template <typename Number>
  __aicore__ inline void Reverse(const LocalTensor<Number>& x, const LocalTensor<float>& scratch,
                                 uint32_t count) {
    const LocalTensor<int32_t> offsets = scratch.ReinterpretCast<int32_t>();
    Muls(offsets, columns_, -static_cast<int32_t>(sizeof(Number)), count);
    Adds(offsets, offsets, static_cast<int32_t>((count - 1) * sizeof(Number)), count);
    const LocalTensor<Number> turned = scratch[kSortTile].template ReinterpretCast<Number>();
    Gather(turned, x, offsets.ReinterpretCast<uint32_t>(), 0, count);
    Adds(x, turned, static_cast<Number>(0), count);
  }

  /// Merges `found` pairs of best_ with those of sorted_. Returns how many are in best_ then.
  __aicore__ inline uint32_t Merge(uint32_t found, uint32_t count) {
    const uint32_t all = min(found + count, most_);
    if (found == 0) {
      DataCopy(best_, sorted_, 2 * all);
      return all;
    }
    const uint16_t lengths[4] = {static_cast<uint16_t>(found), static_cast<uint16_t>(count), 0, 0};
    MrgSort(other_, MrgSortSrcList<float>{best_, sorted_, sorted_, sorted_},
            MrgSort4Info{lengths, false, 3, 1});
    DataCopy(best_, other_, 2 * all);
    return all;
  }

  /// The elements of the result in scores_ and places_.
  __aicore__ inline void Part(const LocalTensor<float>& pairs) {
    const bool ascending = tiling_.order == SortOrder::kAscending;
    const uint32_t count = ascending ? tiling_.shares.length : tiling_.kept;
    // As Extract, which would wait for the number of elements.
    const uint16_t repeats = (count + kRun - 1) / kRun;
    GatherMask(scores_, pairs, kFirstOfTwo, false, 0, {1, repeats, 8, 0});
    GatherMask(places_, pairs.ReinterpretCast<int32_t>(), kSecondOfTwo, false, 0,
               {1, repeats, 8, 0});
    if (tiling_.order == SortOrder::kLeast) Muls(scores_, scores_, -1.0f, count);
    if (ascending) {
      Reverse(scores_, other_, count);
      Reverse(places_, other_, count);
    }
  }

  __aicore__ inline void WriteRow(uint64_t row) {
    const uint64_t kept = tiling_.kept;
    const RowTile tile{1, tiling_.kept, tiling_.kept};
    values_out_.Write(scores_, row * kept, kept, tile);
    indices_out_.Write(places_, row * kept, kept, tile);
  }

  const SortTiling& tiling_;
  TPipe pipe_;
  RowInput<T> in_;
  RowOutput<T> values_out_;
  RowOutput<int32_t> indices_out_;
  TBuf<QuePosition::VECCALC> scores_buffer_, places_buffer_, columns_buffer_, sorted_buffer_,
      other_buffer_, best_buffer_;
  LocalTensor<float> scores_, sorted_, other_, best_;
  LocalTensor<int32_t> places_, columns_;
  uint32_t piece_ = 0, most_ = 0;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR values, GM_ADDR indices, const SortTiling& tiling) {
  SortRows<T> sort(tiling);
  sort.Init(x, values, indices);
  sort.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_sort(GM_ADDR x, GM_ADDR values, GM_ADDR indices,
                                                  GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(SortTiling, tiling, tiling_data);
  ForElement(tiling.element, [&](auto in) { Run<decltype(in)>(x, values, indices, tiling); });
}
