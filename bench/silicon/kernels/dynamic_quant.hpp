// DynamicQuant, as the vendor's kernels by their published structure: several rows by each
// instruction, or one row after the other.
#pragma once

#include "bench/silicon/kernels/row_wise.hpp"
#include "bench/silicon/quant_cut.hpp"
#include "lib/pad/broadcast.h"

namespace davsim::silicon::row_wise {

/// Halves to int8, or to int4 where the job says so.
inline void narrow_halves(const LocalTensor<std::int8_t>& to, const LocalTensor<half>& from,
                          bool to_int4, std::uint32_t count) {
  if (to_int4) {
    Cast(to.ReinterpretCast<int4b_t>(), from, RoundMode::CAST_TRUNC, count);
  } else {
    Cast(to, from, RoundMode::CAST_TRUNC, count);
  }
}

template <class T>
void widen(const LocalTensor<float>& to, const LocalTensor<T>& from, std::uint32_t count) {
  if constexpr (sizeof(T) == 4) {
    Muls(to, from, 1.0f, static_cast<std::int32_t>(count));
  } else {
    Cast(to, from, RoundMode::CAST_NONE, count);
  }
}

/// The largest element of a row to its first place, by as many lanes as an instruction has.
template <class U>
void largest_of_row(const LocalTensor<U>& row, std::uint32_t width) {
  constexpr std::uint32_t kLanes = 256 / sizeof(U), kMostRepeats = 255;
  const std::uint32_t whole = width / kLanes, rest = width % kLanes;
  const BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
  for (std::uint32_t lanes = 1; lanes < whole; lanes += kMostRepeats) {
    const auto repeats = static_cast<std::uint8_t>(std::min(whole - lanes, kMostRepeats));
    Max(row, row[lanes * kLanes], row, kLanes, repeats, onto);
    PipeBarrier<PIPE_V>();
  }
  if (rest > 0 && whole > 0) {
    Max(row, row[whole * kLanes], row, rest, 1, onto);
    PipeBarrier<PIPE_V>();
  }
  WholeReduceMax(row, row, whole > 0 ? kLanes : width, 1, 8, 1, 8);
}

constexpr float largest_quantised(const Job& job) {
  return job.to_int4 ? 7.0f : 127.0f;
}

/// Rows that go through one after the other. Only the input has a second buffer.
template <class T>
class QuantisedRows {
 public:
  QuantisedRows(const Job& job, const RowsByOne& cut, const Matrices<T>& gm)
      : job_(job), cut_(cut), gm_(gm) {
    pipe_.InitBuffer(constant_buffer_, kConstants * 4);
    pipe_.InitBuffer(wide_buffer_, cut.pitch * 4);
    pipe_.InitBuffer(work_buffer_, cut.pitch * 4);
    pipe_.InitBuffer(in_, static_cast<std::uint8_t>(cut.buffers),
                     cut.rows * cut.pitch * std::uint32_t{sizeof(T)});
    pipe_.InitBuffer(out_buffer_, cut.rows * out_pitch());
    pipe_.InitBuffer(scale_buffer_, round_up(cut.rows, 8) * 4);
    constant_ = constant_buffer_.template Get<float>();
    wide_ = wide_buffer_.template Get<float>();
    work_ = work_buffer_.template Get<float>();
    out_ = out_buffer_.template Get<std::int8_t>();
    scales_ = scale_buffer_.template Get<float>();
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    Duplicate(constant_, largest_quantised(job_), kConstants);
    const auto rows_from = [&](std::uint64_t row) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(cut_.rows, mine.end - row));
    };
    // With two buffers, the next tile is under way before this one is worked on.
    const std::uint64_t ahead = cut_.buffers == 2 ? cut_.rows : 0;
    if (ahead > 0) fetch(mine.begin, rows_from(mine.begin));
    for (std::uint64_t row = mine.begin; row < mine.end; row += cut_.rows) {
      if (row + ahead < mine.end) fetch(row + ahead, rows_from(row + ahead));
      tile(row, rows_from(row));
    }
  }

 private:
  static constexpr std::int32_t kConstants = 8;
  using Floats = LocalTensor<float>;

  std::uint32_t out_pitch() const {
    return job_.to_int4 ? round_up(job_.width, 64) / 2 : round_up(job_.width, 32);
  }

  void fetch(std::uint64_t row, std::uint32_t rows) {
    auto in = in_.template AllocTensor<T>();
    const std::uint32_t missing = cut_.pitch - job_.width;
    DataCopyPad(in, global(gm_.x, std::uint64_t{job_.rows} * job_.width)[row * job_.width],
                DataCopyExtParams(static_cast<std::uint16_t>(rows),
                                  job_.width * std::uint32_t{sizeof(T)}, 0, 0, 0),
                DataCopyPadExtParams<T>(missing > 0, 0, static_cast<std::uint8_t>(missing), T(0)));
    in_.EnQue(in);
  }

  void tile(std::uint64_t row, std::uint32_t rows) {
    auto in = in_.template DeQue<T>();
    // What the tile before left is on its way, and only what overwrites it waits.
    SetFlag<HardEvent::MTE3_S>(EVENT_ID2);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID2);
    for (std::uint32_t r = 0; r < rows; ++r) {
      const float factor = factor_of(in[r * cut_.pitch]);
      if (r == 0) WaitFlag<HardEvent::MTE3_S>(EVENT_ID2);
      scales_.SetValue(r, 1 / factor);
      quantise(out_[r * out_pitch()], factor, r == 0);
    }
    in_.FreeTensor(in);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    leave(row, rows);
  }

  /// The row becomes one of float, and its largest magnitude the factor that quantises it.
  float factor_of(const LocalTensor<T>& row) {
    widen(wide_, row, job_.width);
    if constexpr (std::is_same_v<T, half>) {
      if (cut_.buffers == 2) {
        largest_of_halves(row);
      } else {
        largest_of_floats();
      }
    } else {
      largest_of_floats();
    }
    PipeBarrier<PIPE_V>();
    Div(work_, constant_, work_, kConstants);
    SetFlag<HardEvent::V_S>(EVENT_ID2);
    WaitFlag<HardEvent::V_S>(EVENT_ID2);
    return work_.GetValue(0);
  }
  void largest_of_floats() const {
    PipeBarrier<PIPE_V>();
    Abs(work_, wide_, static_cast<std::int32_t>(job_.width));
    PipeBarrier<PIPE_V>();
    largest_of_row(work_, job_.width);
  }
  /// Of half in place, and then the whole row is widened for the sake of its first number.
  void largest_of_halves(const LocalTensor<half>& row) const {
    Abs(row, row, static_cast<std::int32_t>(job_.width));
    PipeBarrier<PIPE_V>();
    largest_of_row(row, job_.width);
    PipeBarrier<PIPE_V>();
    widen(work_, row, job_.width);
  }

  void quantise(const LocalTensor<std::int8_t>& out, float factor, bool first) {
    const auto integers = work_.template ReinterpretCast<std::int32_t>();
    const auto halves = work_.template ReinterpretCast<half>();
    Muls(wide_, wide_, factor, static_cast<std::int32_t>(job_.width));
    PipeBarrier<PIPE_V>();
    Cast(integers, wide_, RoundMode::CAST_RINT, job_.width);
    PipeBarrier<PIPE_V>();
    SetDeqScale(half(1.0f));
    PipeBarrier<PIPE_V>();
    Cast(halves, integers, RoundMode::CAST_ROUND, job_.width);
    PipeBarrier<PIPE_V>();
    if (first) WaitFlag<HardEvent::MTE3_V>(EVENT_ID2);
    narrow_halves(out, halves, job_.to_int4, job_.width);
  }

  void leave(std::uint64_t row, std::uint32_t rows) {
    const std::uint32_t bytes = job_.quantised_bytes();
    DataCopyPad(global(gm_.quantised, std::uint64_t{job_.rows} * bytes)[row * bytes], out_,
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, 0, 0, 0));
    DataCopyPad(global(gm_.scales, job_.rows)[row], scales_,
                DataCopyExtParams(1, rows * 4, 0, 0, 0));
  }

  Job job_;
  RowsByOne cut_;
  Matrices<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TBuf<TPosition::VECCALC> constant_buffer_, wide_buffer_, work_buffer_, out_buffer_, scale_buffer_;
  Floats constant_, wide_, work_, scales_;
  LocalTensor<std::int8_t> out_;
};

/// Tiles of rows without gaps, with one buffer and without a queue.
template <class T>
class QuantisedTiles {
 public:
  QuantisedTiles(const Job& job, const RowsTogether& cut, const Matrices<T>& gm)
      : job_(job), cut_(cut), gm_(gm) {
    const std::uint32_t elements = round_up(cut.rows * job.width, 32);
    pipe_.InitBuffer(all_,
                     elements * std::uint32_t{sizeof(T) + 2 * 4 + 1} + (3 * kNumbers + 16) * 4);
    const auto all = all_.template Get<std::uint8_t>();
    std::uint32_t at = 0;
    const auto next = [&](std::uint32_t bytes) {
      const auto part = all[at];
      at += bytes;
      return part;
    };
    in_ = next(elements * std::uint32_t{sizeof(T)}).template ReinterpretCast<T>();
    x_ = next(elements * 4).template ReinterpretCast<float>();
    work_ = next(elements * 4).template ReinterpretCast<float>();
    out_ = next(elements).template ReinterpretCast<std::int8_t>();
    scales_ = next(kNumbers * 4).template ReinterpretCast<float>();
    largest_ = next(kNumbers * 4).template ReinterpretCast<float>();
    factors_ = next(kNumbers * 4).template ReinterpretCast<float>();
    constant_ = next(32).template ReinterpretCast<float>();
    inverse_ = next(32).template ReinterpretCast<float>();
  }

  void run(std::uint32_t core) {
    const std::uint32_t mine = cut_.rows_of(core);
    const std::uint64_t first = cut_.first_of(core);
    Duplicate(constant_, largest_quantised(job_), 8);
    Duplicate(inverse_, 1 / largest_quantised(job_), 8);
    for (std::uint32_t row = 0; row < mine; row += cut_.rows) {
      const std::uint32_t rows = std::min(cut_.rows, mine - row);
      fetch(first + row, rows * job_.width);
      compute(rows, rows * job_.width);
      leave(first + row, rows, row > 0);
    }
  }

 private:
  static constexpr std::uint32_t kLanes = 64, kNumbers = 192;
  using Floats = LocalTensor<float>;

  void fetch(std::uint64_t row, std::uint32_t elements) {
    DataCopyPad(in_, global(gm_.x, std::uint64_t{job_.rows} * job_.width)[row * job_.width],
                DataCopyExtParams(1, elements * std::uint32_t{sizeof(T)}, 0, 0, 0),
                DataCopyPadExtParams<T>{});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
    widen(x_, in_, elements);
    PipeBarrier<PIPE_V>();
    SetFlag<HardEvent::V_MTE2>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID2);
  }

  void compute(std::uint32_t rows, std::uint32_t elements) {
    const auto count = static_cast<std::int32_t>(elements);
    Abs(work_, x_, count);
    PipeBarrier<PIPE_V>();
    find_largest(rows);
    PipeBarrier<PIPE_V>();
    Div(factors_, constant_, largest_, kLanes, repeats_of(rows), {1, 0, 1, 8, 0, 8});
    PipeBarrier<PIPE_V>();
    const std::uint32_t numbers[] = {rows, 1}, all[] = {rows, job_.width};
    BroadCast<float, 2, 1>(work_, factors_, all, numbers);
    PipeBarrier<PIPE_V>();
    Mul(work_, x_, work_, count);
    PipeBarrier<PIPE_V>();
    const auto integers = work_.template ReinterpretCast<std::int16_t>();
    Cast(integers, work_, RoundMode::CAST_RINT, elements);
    PipeBarrier<PIPE_V>();
    Cast(work_.template ReinterpretCast<half>(), integers, RoundMode::CAST_ROUND, elements);
    PipeBarrier<PIPE_V>();
  }

  /// The largest magnitude of each row of work_.
  void find_largest(std::uint32_t rows) {
    const std::uint32_t whole = job_.width / kLanes, rest = job_.width % kLanes;
    const BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
    for (std::uint32_t r = 0; r < rows; ++r) {
      const Floats row = work_[r * job_.width];
      if (rest > 0) {
        Max(row, row, row[whole * kLanes], rest, 1, onto);
        PipeBarrier<PIPE_V>();
      }
      if (whole > 1) {
        Max(row, row[kLanes], row, kLanes, static_cast<std::uint8_t>(whole - 1), onto);
        PipeBarrier<PIPE_V>();
      }
    }
    WholeReduceMax(largest_, work_, kLanes, static_cast<std::int32_t>(rows), 1, 1,
                   static_cast<std::int32_t>(job_.width / 8), ReduceOrder::ORDER_ONLY_VALUE);
  }

  void leave(std::uint64_t row, std::uint32_t rows, bool later) {
    const std::uint32_t elements = rows * job_.width;
    if (later) {
      SetFlag<HardEvent::MTE3_V>(EVENT_ID2);
      WaitFlag<HardEvent::MTE3_V>(EVENT_ID2);
    }
    Mul(scales_, largest_, inverse_, kLanes, repeats_of(rows), {1, 1, 0, 8, 8, 0});
    narrow_halves(out_, work_.template ReinterpretCast<half>(), job_.to_int4, elements);
    PipeBarrier<PIPE_V>();
    SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    DataCopyPad(global(gm_.scales, job_.rows)[row], scales_,
                DataCopyExtParams(1, rows * 4, 0, 0, 0));
    const std::uint32_t bytes = job_.quantised_bytes();
    DataCopyPad(global(gm_.quantised, std::uint64_t{job_.rows} * bytes)[row * bytes], out_,
                DataCopyExtParams(1, rows * bytes, 0, 0, 0));
  }

  static std::uint8_t repeats_of(std::uint32_t rows) {
    return static_cast<std::uint8_t>(ceil_div(rows, kLanes));
  }

  Job job_;
  RowsTogether cut_;
  Matrices<T> gm_;
  TPipe pipe_;
  TBuf<TPosition::VECCALC> all_;
  LocalTensor<T> in_;
  LocalTensor<std::int8_t> out_;
  Floats x_, work_, scales_, largest_, factors_, constant_, inverse_;
};

}  // namespace davsim::silicon::row_wise
