// Converts pages of int8 fractals to pages of 16-bit fractals. The cube can then multiply MLA's
// cache with 16-bit probabilities and rope parts.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/kv_loader.h"

namespace kernel_attention {

template <typename T>
class WidenPages {
 public:
  __aicore__ inline explicit WidenPages(const AttentionTiling& tiling) : tiling_(tiling) {
    const uint32_t elements = tiling.page_elements;
    uint32_t end = 0;
    for (uint32_t i = 0; i < kBuffers; ++i) {
      narrow_[i] = LocalTensor<int8_t>(TPosition::VECCALC, end, elements);
      wide_[i] = LocalTensor<half>(TPosition::VECCALC, end + elements, elements);
      end += elements * (sizeof(int8_t) + sizeof(half));
    }
  }

  /// Entries `first`, `first + step`, ... of those behind the rows.
  __aicore__ inline void Process(uint32_t first, uint32_t step) {
    for (uint32_t i = 0; i < kBuffers; ++i) {
      SetFlag<HardEvent::V_MTE2>(Event(i));
      SetFlag<HardEvent::MTE3_V>(Event(i));
    }
    for (uint32_t i = first; i < tiling_.page_widens; i += step) {
      const uint64_t at = uint64_t{tiling_.widens} + i;
      Widen(ReadRecord<AttentionWiden>(tiling_.widen_list + at * sizeof(AttentionWiden)),
            taken_++ % kBuffers);
    }
    for (uint32_t i = 0; i < kBuffers; ++i) {
      WaitFlag<HardEvent::V_MTE2>(Event(i));
      WaitFlag<HardEvent::MTE3_V>(Event(i));
    }
  }

 private:
  static constexpr uint32_t kBuffers = 2;
  static constexpr uint32_t kNarrowC0 = 32, kWideC0 = 16;

  __aicore__ inline static int32_t Event(uint32_t buffer) { return static_cast<int32_t>(buffer); }

  /// All rows of the page, of which the last ones may mean nothing.
  __aicore__ inline void Widen(const AttentionWiden& entry, uint32_t buffer) {
    const AttentionKv& access = tiling_.widen[entry.tensor].access;
    const int32_t event = Event(buffer);
    const uint32_t column = access.page_rows * kNarrowC0, count = entry.columns * column;
    const auto page = static_cast<uint64_t>(
        AtAddress<int32_t>(entry.table).GetValue(entry.first / access.page_rows));
    const GlobalTensor<int8_t> from = AtAddress<int8_t>(entry.from + page * access.page_stride);
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(narrow_[buffer], from[uint64_t{entry.column} * column], count);
    SetFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE3_V>(event);
    Cast(wide_[buffer], narrow_[buffer], RoundMode::CAST_NONE, static_cast<int32_t>(count));
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::V_MTE3>(event);
    WaitFlag<HardEvent::V_MTE3>(event);
    for (uint32_t i = 0; i < entry.columns; ++i) {
      Store(entry.to + uint64_t{i} * column * sizeof(half), wide_[buffer][i * column],
            access.page_rows);
    }
    SetFlag<HardEvent::MTE3_V>(event);
  }

  /// A column of 32 elements a row becomes two of 16.
  __aicore__ inline void Store(uint64_t to, const LocalTensor<half>& from, uint32_t rows) {
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(rows);
    copy.blockLen = 1;
    copy.srcGap = kNarrowC0 / kWideC0 - 1;
    for (uint32_t part = 0; part < kNarrowC0 / kWideC0; ++part) {
      const uint64_t offset = uint64_t{part} * rows * kWideC0 * sizeof(half);
      DataCopy(AtAddress<half>(to + offset), from[part * kWideC0], copy);
    }
  }

  const AttentionTiling& tiling_;
  LocalTensor<int8_t> narrow_[kBuffers];
  LocalTensor<half> wide_[kBuffers];
  uint32_t taken_ = 0;
};

}  // namespace kernel_attention
