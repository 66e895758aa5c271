// RmsNorm of rows that are not merged, as the vendor's kernel by its published structure: row by
// row, or, where a row is too wide for UB, the sums of squares of 64 rows piece by piece, and then
// the results of all of them piece by piece, for which a piece of gamma is loaded once.
#pragma once

#include <bit>
#include <cmath>

#include "bench/silicon/kernels/row_wise.hpp"

namespace davsim::silicon::row_wise {

/// Rows of up to so many elements are merged, and the others come one by one.
constexpr std::uint32_t kMostMerged = 2000;

/// Elements of a row that are worked on at a time: all, or pieces of about the same width.
inline std::uint32_t rms_piece(std::uint32_t width, std::size_t type_bytes) {
  const std::uint32_t whole = type_bytes == 4 ? 10240 : 12288, cut = type_bytes == 4 ? 9696 : 12096;
  if (width <= whole) return width;
  const auto pieces = static_cast<std::uint32_t>(ceil_div(width, cut));
  return round_up(static_cast<std::uint32_t>(ceil_div(width, pieces)),
                  static_cast<std::uint32_t>(32 / type_bytes));
}

template <class T>
class WideRmsNorm {
 public:
  WideRmsNorm(const Job& job, const Matrices<T>& gm)
      : job_(job), gm_(gm), piece_(rms_piece(job.width, sizeof(T))) {
    const std::uint32_t room = round_up(piece_, 64);
    pipe_.InitBuffer(in_, 1, room * sizeof(T));
    pipe_.InitBuffer(gamma_, 1, room * sizeof(T));
    pipe_.InitBuffer(out_, 1, room * sizeof(T));
    pipe_.InitBuffer(factors_, 1, kRows * 4);
    pipe_.InitBuffer(work_, ((kWidened ? 2 : 1) * room + kLanes + 8) * 4);
    squares_ = work_.template Get<float>();
    wide_ = squares_[room];
    ones_ = squares_[(kWidened ? 2 : 1) * room];
    sum_ = ones_[kLanes];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    const bool whole = piece_ == job_.width;
    if (whole) load_gamma(0);
    for (std::uint64_t row = mine.begin; row < mine.end; row += kRows) {
      const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(kRows, mine.end - row));
      auto factors = factors_.template AllocTensor<float>();
      if (whole) {
        for (std::uint32_t r = 0; r < rows; ++r) whole_row(row + r, factors, r);
      } else {
        piece_by_piece(row, rows, factors);
      }
      leave_factors(factors, row, rows);
    }
    if (whole) gamma_.FreeTensor(gamma_here_);
  }

 private:
  static constexpr bool kWidened = sizeof(T) < 4;
  static constexpr std::uint32_t kRows = 64, kLanes = 64;
  using Floats = LocalTensor<float>;

  std::uint32_t columns(std::uint32_t col) const { return std::min(piece_, job_.width - col); }
  GlobalTensor<T> at(T* matrix, std::uint64_t row, std::uint32_t col) const {
    return global(matrix, std::uint64_t{job_.rows} * job_.width)[row * job_.width + col];
  }

  void load(TQue<TPosition::VECIN, 1>& queue, const GlobalTensor<T>& from, std::uint32_t count) {
    auto in = queue.template AllocTensor<T>();
    DataCopyPad(in, from,
                DataCopyExtParams(1, static_cast<std::uint32_t>(count * sizeof(T)), 0, 0, 0),
                DataCopyPadExtParams<T>{});
    queue.EnQue(in);
  }
  void load_gamma(std::uint32_t col) {
    load(gamma_, global(gm_.gamma_of_x, job_.width)[col], columns(col));
    gamma_here_ = gamma_.template DeQue<T>();
  }
  void leave(std::uint64_t row, std::uint32_t col) {
    auto out = out_.template DeQue<T>();
    DataCopyPad(
        at(gm_.out, row, col), out,
        DataCopyExtParams(1, static_cast<std::uint32_t>(columns(col) * sizeof(T)), 0, 0, 0));
    out_.FreeTensor(out);
  }
  void leave_factors(Floats factors, std::uint64_t row, std::uint32_t rows) {
    factors_.EnQue(factors);
    factors = factors_.template DeQue<float>();
    DataCopyPad(global(gm_.scales, job_.rows)[row], factors,
                DataCopyExtParams(1, rows * 4, 0, 0, 0));
    factors_.FreeTensor(factors);
  }

  /// The scalar unit finds the factor of a row.
  void whole_row(std::uint64_t row, const Floats& factors, std::uint32_t r) {
    const auto count = static_cast<std::int32_t>(job_.width);
    load(in_, at(gm_.x, row, 0), job_.width);
    auto x = in_.template DeQue<T>();
    square(x, count);
    if constexpr (kWidened) in_.FreeTensor(x);
    await_vector();
    const float mean = sum_.GetValue(0) / static_cast<float>(job_.width);
    const float factor = 1 / std::sqrt(mean + kEpsilon);
    factors.SetValue(r, factor);
    vector_awaits_scalar();
    if constexpr (kWidened) {
      Muls(squares_, wide_, factor, count);
    } else {
      Muls(squares_, x, factor, count);
      in_.FreeTensor(x);
    }
    PipeBarrier<PIPE_V>();
    multiply_by_gamma(count);
    leave(row, 0);
  }

  void piece_by_piece(std::uint64_t row, std::uint32_t rows, const Floats& factors) {
    for (std::uint32_t r = 0; r < rows; ++r) sum_up(row + r, factors, r);
    const auto count = static_cast<std::int32_t>(rows);
    Muls(factors, factors, 1.0f / static_cast<float>(job_.width), count);
    Adds(factors, factors, kEpsilon, count);
    Sqrt(factors, factors, count);
    Duplicate(ones_, 1.0f, count);
    Div(factors, ones_, factors, count);
    // The last piece comes first.
    const auto last = static_cast<std::uint32_t>(ceil_div(job_.width, piece_)) - 1;
    normalise_pieces(row, rows, last * piece_, factors);
    for (std::uint32_t i = 0; i < last; ++i) normalise_pieces(row, rows, i * piece_, factors);
  }

  /// The scalar unit adds the sums of the pieces up.
  void sum_up(std::uint64_t row, const Floats& factors, std::uint32_t r) {
    float sum = 0;
    for (std::uint32_t col = 0; col < job_.width; col += piece_) {
      load(in_, at(gm_.x, row, col), columns(col));
      auto x = in_.template DeQue<T>();
      square(x, static_cast<std::int32_t>(columns(col)));
      in_.FreeTensor(x);
      await_vector();
      sum += sum_.GetValue(0);
      vector_awaits_scalar();
    }
    factors.SetValue(r, sum);
  }

  /// The sum of the squares: one half upon the other until a repeat is left.
  void square(const LocalTensor<T>& x, std::int32_t count) {
    if constexpr (kWidened) {
      Cast(wide_, x, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      Mul(squares_, wide_, wide_, count);
    } else {
      Mul(squares_, x, x, count);
    }
    PipeBarrier<PIPE_V>();
    const auto all = static_cast<std::uint32_t>(count);
    std::uint32_t left = std::bit_floor(all);
    if (all > left) Add(squares_, squares_, squares_[left], static_cast<std::int32_t>(all - left));
    for (; left > kLanes; left /= 2) {
      PipeBarrier<PIPE_V>();
      Add(squares_, squares_, squares_[left / 2], static_cast<std::int32_t>(left / 2));
    }
    PipeBarrier<PIPE_V>();
    WholeReduceSum(sum_, squares_, static_cast<std::int32_t>(std::min(left, kLanes)), 1, 1, 1, 8);
    PipeBarrier<PIPE_V>();
  }

  void normalise_pieces(std::uint64_t row, std::uint32_t rows, std::uint32_t col,
                        const Floats& factors) {
    const auto count = static_cast<std::int32_t>(columns(col));
    load_gamma(col);
    for (std::uint32_t r = 0; r < rows; ++r) {
      load(in_, at(gm_.x, row + r, col), columns(col));
      auto x = in_.template DeQue<T>();
      await_vector();
      const float factor = factors.GetValue(r);
      vector_awaits_scalar();
      if constexpr (kWidened) {
        Cast(squares_, x, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        Muls(squares_, squares_, factor, count);
      } else {
        Muls(squares_, x, factor, count);
      }
      in_.FreeTensor(x);
      PipeBarrier<PIPE_V>();
      multiply_by_gamma(count);
      leave(row + r, col);
    }
    gamma_.FreeTensor(gamma_here_);
  }

  /// Gamma is widened for each row anew.
  void multiply_by_gamma(std::int32_t count) {
    auto out = out_.template AllocTensor<T>();
    if constexpr (kWidened) {
      Cast(wide_, gamma_here_, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      Mul(squares_, squares_, wide_, count);
      PipeBarrier<PIPE_V>();
      Cast(out, squares_, RoundMode::CAST_RINT, count);
    } else {
      Mul(out, squares_, gamma_here_, count);
    }
    out_.EnQue(out);
    PipeBarrier<PIPE_V>();
  }

  static void await_vector() {
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
  }
  static void vector_awaits_scalar() {
    SetFlag<HardEvent::S_V>(EVENT_ID4);
    WaitFlag<HardEvent::S_V>(EVENT_ID4);
  }

  static constexpr float kEpsilon = 1e-6f;

  Job job_;
  Matrices<T> gm_;
  std::uint32_t piece_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, gamma_;
  TQue<TPosition::VECOUT, 1> out_, factors_;
  TBuf<TPosition::VECCALC> work_;
  Floats squares_, wide_, ones_, sum_;
  LocalTensor<T> gamma_here_;
};

}  // namespace davsim::silicon::row_wise
