// What MoeGatingTopKSoftmax is asked for, and its parts by basic calls: rows that come and become
// probabilities, steps of sorting, results that leave.
#pragma once

#include <bit>

#include "bench/silicon/kernels/launch.hpp"
#include "kernels/common/row_reduce.h"

namespace davsim::silicon::gating {

using namespace AscendC;
using Floats = LocalTensor<float>;

constexpr std::uint32_t kRun = 32;      ///< elements that one repeat of Sort32 sorts
constexpr std::uint32_t kMostKept = 8;  ///< chosen of a row where rows are merged
constexpr std::uint32_t kMostRepeats = 255, kFloatLanes = 64;

struct Gating {
  std::uint32_t rows, experts, k;
  bool finished;  ///< a flag for each row is read too

  static Gating of(const Params& p) {
    const Gating job{p.size("rows"), p.size("experts"), p.size("k"), p.number("finished", 0) != 0};
    if (job.k > job.experts) {
      throw std::invalid_argument("parameter k is " + std::to_string(job.k) +
                                  ", allowed are 1 to experts, which is " +
                                  std::to_string(job.experts));
    }
    return job;
  }
  bool merged() const {
    return experts < 8 || (experts <= 1024 && experts % 8 == 0 && k <= kMostKept);
  }
  /// Columns of a row that is merged: folds of more than 64 take powers of two, and so do merges.
  std::uint32_t width() const {
    if (experts <= kFloatLanes) return round_up(experts, 8);
    return std::bit_ceil(std::max(kRun, experts));
  }
};

template <class T>
struct Matrices {
  T *scores, *out;
  std::uint8_t* finished;
  std::int32_t *experts, *rows;
};

/// Rows as they come and become probabilities.
template <class T>
class SoftmaxRows {
 public:
  SoftmaxRows(const Gating& job, const Matrices<T>& gm, TPipe& pipe, std::uint32_t rows)
      : job_(job), gm_(gm), width_(job.width()), pitch_(pitch(job)) {
    const std::uint32_t floats = rows * width_;
    pipe.InitBuffer(in_, 2, rows * pitch_ * sizeof(T));
    pipe.InitBuffer(flags_, 2, round_up(rows, 32));
    pipe.InitBuffer(work_, (floats + floats / 7 + 64 + 9 * round_up(rows, 8)) * 4);
    x_ = work_.Get<float>();
    folds_ = x_[floats];
    numbers_ = folds_[round_up(floats / 7 + 8, 8)];
    blocks_ = numbers_[round_up(rows, 8)];
  }

  Floats x() const { return x_; }

  /// Elements between rows as they come. Rows that are padded begin on DataBlocks.
  static std::uint32_t pitch(const Gating& job) {
    return job.experts == job.width() ? job.width() : round_up(job.width(), 32 / sizeof(T));
  }

  void load(std::uint64_t row, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.experts * sizeof(T));
    const auto apart = static_cast<std::uint32_t>(pitch_ * sizeof(T));
    auto in = in_.template AllocTensor<T>();
    const DataCopyExtParams dense(1, rows * bytes, 0, 0, 0),
        padded(static_cast<std::uint16_t>(rows), bytes, 0, apart / 32 - round_up(bytes, 32) / 32,
               0);
    DataCopyPad(in, global(gm_.scores, std::uint64_t{job_.rows} * job_.experts)[row * job_.experts],
                bytes == apart ? dense : padded, DataCopyPadExtParams<T>{});
    in_.EnQue(in);
    if (!job_.finished) return;
    auto flags = flags_.template AllocTensor<std::uint8_t>();
    DataCopyPad(flags, global(gm_.finished, job_.rows)[row], DataCopyExtParams(1, rows, 0, 0, 0),
                DataCopyPadExtParams<std::uint8_t>{});
    flags_.EnQue(flags);
  }

  void softmax(std::uint32_t rows) {
    using namespace kernel_common;
    widen(rows);
    hide_padding(rows);
    RowMaxima(numbers_, x_, folds_, rows, width_);
    SpreadNumbers(blocks_, numbers_, rows);
    WithNumbers<SubOp>(x_, x_, blocks_, rows, width_);
    PipeBarrier<PIPE_V>();
    Exp(x_, x_, static_cast<std::int32_t>(rows * width_));
    PipeBarrier<PIPE_V>();
    RowSums(numbers_, x_, folds_, rows, width_);
    SpreadNumbers(blocks_, numbers_, rows);
    WithNumbers<DivOp>(x_, x_, blocks_, rows, width_);
    PipeBarrier<PIPE_V>();
  }

  /// Experts of rows that are finished become one that does not exist.
  /// `pattern` chooses as many of a row's numbers as experts are chosen.
  void mark_finished(const LocalTensor<std::int32_t>& experts, std::uint32_t rows,
                     const LocalTensor<std::uint32_t>& pattern) {
    if (!job_.finished) return;
    auto flags = flags_.template DeQue<std::uint8_t>();
    const auto halves = folds_.ReinterpretCast<half>();
    const auto numbers = numbers_.ReinterpretCast<std::int32_t>();
    Cast(halves, flags.template ReinterpretCast<std::int8_t>(), RoundMode::CAST_NONE, rows);
    PipeBarrier<PIPE_V>();
    Cast(numbers, halves, RoundMode::CAST_FLOOR, rows);
    PipeBarrier<PIPE_V>();
    Muls(numbers, numbers, static_cast<std::int32_t>(job_.experts),
         static_cast<std::int32_t>(rows));
    PipeBarrier<PIPE_V>();
    const auto blocks = blocks_.ReinterpretCast<std::int32_t>();
    kernel_common::SpreadNumbers(blocks, numbers, rows);
    // Each row's number once for each expert that was chosen, where the probabilities were.
    const auto spread = x_.ReinterpretCast<std::int32_t>();
    std::uint64_t kept = 0;
    GatherMask(spread, blocks, pattern, true, kernel_common::kFloatsPerBlock,
               GatherMaskParams(1, static_cast<std::uint16_t>(rows), 1, 0), kept);
    PipeBarrier<PIPE_V>();
    Max(experts, experts, spread, static_cast<std::int32_t>(rows * std::min(job_.k, kMostKept)));
    PipeBarrier<PIPE_V>();
    flags_.FreeTensor(flags);
  }

 private:
  void widen(std::uint32_t rows) {
    auto in = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(x_, in, 1.0f, static_cast<std::int32_t>(rows * width_));
    } else if (pitch_ == width_) {
      Cast(x_, in, RoundMode::CAST_NONE, rows * width_);
    } else {
      widen_rows(in, rows);
    }
    in_.FreeTensor(in);
  }

  /// A row of fewer than eight in each repeat.
  void widen_rows(const LocalTensor<T>& in, std::uint32_t rows) {
    for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
      Cast(x_[row * width_], in[row * pitch_], RoundMode::CAST_NONE, std::uint64_t{width_},
           static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row)), {1, 1, 1, 1});
    }
  }

  /// Columns behind the last expert come last in the order and count nothing.
  void hide_padding(std::uint32_t rows) {
    const std::uint32_t lanes = std::min(kFloatLanes, width_);
    for (std::uint32_t col = job_.experts / lanes * lanes; col < width_; col += lanes) {
      const std::uint32_t kept = job_.experts > col ? job_.experts - col : 0;
      const std::uint64_t all = lanes == kFloatLanes ? ~std::uint64_t{0} : (1ull << lanes) - 1;
      const std::uint64_t mask[2] = {all & (~std::uint64_t{0} << kept), 0};
      for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
        Duplicate(x_[row * width_ + col], -1e30f, mask,
                  static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row)), 1,
                  static_cast<std::uint8_t>(width_ / 8));
      }
    }
  }

  const Gating& job_;
  const Matrices<T>& gm_;
  std::uint32_t width_, pitch_;
  TQue<TPosition::VECIN, 1> in_, flags_;
  TBuf<TPosition::VECCALC> work_;
  Floats x_, folds_, numbers_, blocks_;
};

/// Runs of `length` pairs, sorted each, merged by fours or twos: only fours can be repeated.
inline void merge(const Floats& to, const Floats& from, std::uint32_t pairs, std::uint32_t length,
                  std::uint32_t queues) {
  const std::uint32_t merged = queues * length, most = queues == 4 ? kMostRepeats : 1;
  const auto count = static_cast<std::uint16_t>(length);
  const std::uint16_t lengths[4] = {count, count, count, count};
  for (std::uint32_t done = 0; done < pairs; done += most * merged) {
    const auto repeats = static_cast<std::uint16_t>(std::min(most, (pairs - done) / merged));
    const auto queue = [&](std::uint32_t i) { return from[2 * (done + i % queues * length)]; };
    MrgSort(to[2 * done], {queue(0), queue(1), queue(2), queue(3)},
            MrgSort4Info(lengths, false, static_cast<std::uint16_t>((1u << queues) - 1), repeats));
  }
  PipeBarrier<PIPE_V>();
}

inline void sort_runs(const Floats& to, const Floats& from,
                      const LocalTensor<std::int32_t>& positions, std::uint32_t runs) {
  for (std::uint32_t done = 0; done < runs; done += kMostRepeats) {
    Sort32(to[2 * done * kRun], from[done * kRun],
           positions[done * kRun].ReinterpretCast<std::uint32_t>(),
           static_cast<std::int32_t>(std::min(kMostRepeats, runs - done)));
  }
  PipeBarrier<PIPE_V>();
}

/// What rows that are merged leave behind: scores, experts and the rows' own numbers.
template <class T>
class Results {
 public:
  Results(const Gating& job, const Matrices<T>& gm) : job_(job), gm_(gm) {}

  void init_rows(TPipe& pipe, std::uint32_t rows) {
    pipe.InitBuffer(rows_, 1, rows * round_up(job_.k, 8) * 4);
  }

  TQue<TPosition::VECOUT, 1> rows_;

  template <class U>
  void put(U* matrix, const LocalTensor<U>& part, std::uint64_t row, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.k * sizeof(U));
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                DataCopyExtParams(1, rows * bytes, 0, 0, 0));
  }
  void leave_rows(std::uint64_t row, std::uint32_t rows) {
    auto part = rows_.template DeQue<std::int32_t>();
    put(gm_.rows, part, row, rows);
    rows_.FreeTensor(part);
  }

  /// Scores of fp32 as they leave.
  void put_scores(const LocalTensor<T>& to, const Floats& from, std::uint32_t count) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(count));
    } else {
      Cast(to, from, RoundMode::CAST_RINT, count);
    }
  }

 private:
  const Gating& job_;
  const Matrices<T>& gm_;
};

/// The scalar unit goes on when the vector unit has come this far.
inline void await_vector() {
  SetFlag<HardEvent::V_S>(EVENT_ID4);
  WaitFlag<HardEvent::V_S>(EVENT_ID4);
}
inline void vector_awaits_scalar() {
  SetFlag<HardEvent::S_V>(EVENT_ID4);
  WaitFlag<HardEvent::S_V>(EVENT_ID4);
}
/// Eight numbers at most, written by the scalar unit.
inline void count_up(const LocalTensor<std::int32_t>& to, std::int32_t first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) to.SetValue(i, first + static_cast<std::int32_t>(i));
}

}  // namespace davsim::silicon::gating
