// MoeGatingTopKSoftmax where its rows are not sorted together: by the high-level API, as published.
#pragma once

#include "bench/silicon/kernels/moe_gating.hpp"
#include "lib/activation/softmax.h"
#include "lib/sort/topk.h"

namespace davsim::silicon::gating {

/// Tile by tile with SoftMax and TopK of the high-level API, in fp32 where rows are bfloat16.
template <class T>
class LibraryGating {
  static constexpr bool kWidens = std::is_same_v<T, bfloat16_t>;
  using Real = std::conditional_t<kWidens, float, T>;

 public:
  LibraryGating(const Gating& job, const Matrices<T>& gm, std::uint32_t rows)
      : job_(job),
        gm_(gm),
        width_(round_up(job.experts, kRun)),
        pitch_(round_up(job.k, 32 / sizeof(T))),
        most_rows_(rows) {
    pipe_.InitBuffer(in_, 2, rows * width_ * sizeof(Real));
    pipe_.InitBuffer(flags_, 2, round_up(rows, 32));
    pipe_.InitBuffer(out_, 2, rows * pitch_ * sizeof(T));
    pipe_.InitBuffer(experts_, 2, rows * round_up(job.k, 8) * 4);
    pipe_.InitBuffer(rows_, 2, rows * width_ * 4);
    pipe_.InitBuffer(positions_, width_ * 4);
  }

  /// Of one of two sets of buffers. What the functions take for themselves is a few rows.
  static std::uint32_t bytes_of_row(const Gating& job) {
    const std::uint32_t width = round_up(job.experts, kRun);
    const auto wide = static_cast<std::uint32_t>(sizeof(Real) == 2 ? 4 * width : 0);
    return width * static_cast<std::uint32_t>(sizeof(Real) + 4) + wide + round_up(job.k, 16) * 8;
  }

  void run(const Share& mine) {
    for (std::uint64_t row = mine.begin; row < mine.end; row += most_rows_) {
      const auto rows =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(most_rows_, mine.end - row));
      load(row, rows);
      choose(rows);
      leave(out_, gm_.out, row, rows);
      leave(experts_, gm_.experts, row, rows);
      number_rows(row, rows);
      leave(rows_, gm_.rows, row, rows);
    }
  }

 private:
  void load(std::uint64_t row, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.experts * sizeof(T));
    const auto apart = static_cast<std::uint32_t>(width_ * sizeof(T));
    auto in = in_.template AllocTensor<T>();
    DataCopyPad(in, global(gm_.scores, std::uint64_t{job_.rows} * job_.experts)[row * job_.experts],
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, 0,
                                  apart / 32 - round_up(bytes, 32) / 32, 0),
                DataCopyPadExtParams<T>{});
    in_.EnQue(in);
    if (!job_.finished) return;
    auto flags = flags_.template AllocTensor<std::uint8_t>();
    DataCopyPad(flags, global(gm_.finished, job_.rows)[row], DataCopyExtParams(1, rows, 0, 0, 0),
                DataCopyPadExtParams<std::uint8_t>{});
    flags_.EnQue(flags);
  }

  /// The buffer of the rows' numbers holds the probabilities until they are chosen from, and of
  /// bfloat16 what comes before and behind them.
  void choose(std::uint32_t rows) {
    auto out = out_.template AllocTensor<T>();
    auto experts = experts_.template AllocTensor<std::int32_t>();
    if constexpr (kWidens) {
      auto in = in_.template DeQue<T>();
      auto wide = rows_.template AllocTensor<float>();
      Cast(wide, in, RoundMode::CAST_NONE, rows * width_);
      in_.FreeTensor(in);
      PipeBarrier<PIPE_V>();
      auto probabilities = in_.template AllocTensor<float>();
      softmax(probabilities, wide, rows);
      top_k(wide, experts, probabilities, rows);
      PipeBarrier<PIPE_V>();
      narrow(out, wide, rows);
      rows_.FreeTensor(wide);
      in_.FreeTensor(probabilities);
    } else {
      auto in = in_.template DeQue<T>();
      auto probabilities = rows_.template AllocTensor<T>();
      softmax(probabilities, in, rows);
      in_.FreeTensor(in);
      top_k(out, experts, probabilities, rows);
      PipeBarrier<PIPE_V>();
      rows_.FreeTensor(probabilities);
    }
    out_.EnQue(out);
    experts_.EnQue(experts);
  }

  void softmax(const LocalTensor<Real>& to, const LocalTensor<Real>& from, std::uint32_t rows) {
    const SoftMaxShapeInfo shape{rows, width_, rows, job_.experts};
    SoftMax<Real, true, false>(to, from, SoftMaxTiling{}, shape);
    PipeBarrier<PIPE_V>();
    hide_padding(to, rows);
  }

  /// Columns behind the last expert become less than every probability.
  void hide_padding(const LocalTensor<Real>& x, std::uint32_t rows) {
    const std::uint32_t padding = width_ - job_.experts;
    if (padding == 0) return;
    const std::uint64_t mask[2] = {((std::uint64_t{1} << padding) - 1) << (kRun - padding), 0};
    const auto apart = static_cast<std::uint8_t>(width_ * sizeof(Real) / 32);
    for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
      Duplicate(x[row * width_ + width_ - kRun], Real(-1.0f), mask,
                static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row)), 1, apart);
    }
    PipeBarrier<PIPE_V>();
  }

  void top_k(const LocalTensor<Real>& to, const LocalTensor<std::int32_t>& experts,
             const LocalTensor<Real>& from, std::uint32_t rows) {
    const auto of = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
    auto positions = positions_.template Get<std::int32_t>();
    ArithProgression(positions, 0, 1, of(width_));
    PipeBarrier<PIPE_V>();
    // All columns count: those behind the last expert come last already.
    const TopKInfo info{of(rows), of(width_), of(job_.finished ? job_.experts : width_)};
    if (job_.finished) {
      auto flags = flags_.template DeQue<std::uint8_t>();
      TopK<Real, true, true, true>(to, experts, from, positions,
                                   flags.template ReinterpretCast<bool>(), of(job_.k), TopkTiling{},
                                   info);
      flags_.FreeTensor(flags);
    } else {
      TopK<Real, true, false, true>(to, experts, from, positions, LocalTensor<bool>{}, of(job_.k),
                                    TopkTiling{}, info);
    }
  }

  /// Rows of fp32 are padded to eight, those of bfloat16 to 16 elements.
  void narrow(const LocalTensor<T>& to, const LocalTensor<float>& from, std::uint32_t rows) {
    const std::uint32_t pitch = round_up(job_.k, 8);
    if (pitch == pitch_) {
      Cast(to, from, RoundMode::CAST_ROUND, rows * pitch);
      return;
    }
    for (std::uint32_t row = 0; row < rows; ++row)
      Cast(to[row * pitch_], from[row * pitch], RoundMode::CAST_ROUND, job_.k);
  }

  void number_rows(std::uint64_t row, std::uint32_t rows) {
    auto numbers = rows_.template AllocTensor<std::int32_t>();
    await_vector();
    ArithProgression(numbers, static_cast<std::int32_t>(row), static_cast<std::int32_t>(job_.rows),
                     static_cast<std::int32_t>(job_.k));
    PipeBarrier<PIPE_V>();
    for (std::uint32_t r = 1; r < rows; ++r) {
      Adds(numbers[r * round_up(job_.k, 8)], numbers, static_cast<std::int32_t>(r),
           static_cast<std::int32_t>(job_.k));
    }
    rows_.EnQue(numbers);
  }

  template <class U>
  void leave(TQue<TPosition::VECOUT, 1>& queue, U* matrix, std::uint64_t row, std::uint32_t rows) {
    auto part = queue.template DeQue<U>();
    const auto bytes = static_cast<std::uint32_t>(job_.k * sizeof(U));
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, 0, 0, 0));
    queue.FreeTensor(part);
  }

  Gating job_;
  Matrices<T> gm_;
  std::uint32_t width_, pitch_, most_rows_;  ///< of rows and of results in UB; rows of a tile
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, flags_;
  TQue<TPosition::VECOUT, 1> out_, experts_, rows_;
  TBuf<TPosition::VECCALC> positions_;
};

}  // namespace davsim::silicon::gating
