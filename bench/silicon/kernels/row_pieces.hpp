// Rows that do not fit into UB, piece by piece, as the vendor's kernels do it by their published
// structure: once for the sum of squares, once more for the normalised row and its largest
// magnitude, which goes to a workspace, and once more for what is quantised.
#pragma once

#include "bench/silicon/kernels/piece_queues.hpp"
#include "bench/silicon/kernels/row_wise.hpp"

namespace davsim::silicon::row_wise {

template <class T>
class PiecedRows {
 public:
  PiecedRows(const Job& job, const Matrices<T>& gm) : job_(job), gm_(gm), queues_(pipe_) {
    pipe_.InitBuffer(work_, (3 * kPiece + 2 * kLanes) * 4);
    x_ = work_.template Get<float>();
    temp_ = x_[kPiece];
    folded_ = x_[2 * kPiece];
    numbers_ = x_[3 * kPiece];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    const auto normalised = global(gm_.normalised, (core + 1) * job_.width)[core * job_.width];
    for (std::uint64_t row = mine.begin; row < mine.end; ++row) {
      if (job_.normalise) {
        const float number = normaliser(row);
        normalise(row, number, normalised);
      } else {
        largest(row);
      }
      quantise(row, normalised);
    }
  }

 private:
  static constexpr std::uint32_t kPiece = PieceQueues::kPiece, kLanes = 64;
  using Floats = LocalTensor<float>;

  template <class Body>
  void for_pieces(Body body) const {
    PieceQueues::for_pieces(job_.width, body);
  }
  GlobalTensor<T> at(T* matrix, std::uint64_t row, std::uint32_t col) const {
    return global(matrix, std::uint64_t{job_.rows} * job_.width)[row * job_.width + col];
  }

  /// What became of the pieces, as a number of the scalar unit.
  float number_of_pieces(bool sum) {
    if (sum) {
      ReduceSum(numbers_, folded_, temp_, static_cast<std::int32_t>(kPiece));
    } else {
      ReduceMax(numbers_, folded_, temp_, static_cast<std::int32_t>(kPiece));
    }
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    return numbers_.GetValue(0);
  }

  /// One by the root of the mean square of a row; the sum of both matrices is a result.
  float normaliser(std::uint64_t row) {
    Duplicate(folded_, 0.0f, static_cast<std::int32_t>(kPiece));
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      queues_.load(x_, at(gm_.x, row, col), count);
      if (job_.adds) {
        queues_.load(temp_, at(gm_.x2, row, col), count);
        Add(x_, x_, temp_, count);
        queues_.store(at(gm_.sum, row, col), x_, count);
      }
      Mul(temp_, x_, x_, count);
      Add(folded_, folded_, temp_, count);
    });
    return number_of_pieces(true);
  }

  void normalise(std::uint64_t row, float number, const GlobalTensor<float>& normalised) {
    Duplicate(folded_, 0.0f, static_cast<std::int32_t>(kPiece));
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      queues_.load(x_, at(job_.adds ? gm_.sum : gm_.x, row, col), count);
      Muls(x_, x_, number, count);
      queues_.load(temp_, global(gm_.gamma, job_.width)[col], count);
      Mul(x_, x_, temp_, count);
      queues_.store(normalised[col], x_, count);
      fold_largest(count);
    });
  }
  void fold_largest(std::int32_t count) {
    Abs(temp_, x_, count);
    Max(folded_, folded_, temp_, count);
  }
  void largest(std::uint64_t row) {
    Duplicate(folded_, 0.0f, static_cast<std::int32_t>(kPiece));
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      queues_.load(x_, at(gm_.x, row, col), count);
      fold_largest(count);
    });
  }

  void quantise(std::uint64_t row, const GlobalTensor<float>& normalised) {
    const float number = number_of_pieces(false);
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      if (job_.normalise) {
        queues_.load(x_, normalised[col], count);
      } else {
        queues_.load(x_, at(gm_.x, row, col), count);
      }
      Muls(x_, x_, number, count);
      quantise_piece(row, col, static_cast<std::uint32_t>(count));
    });
    auto scale = queues_.template room<float>();
    scale.SetValue(0, number);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID4);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID4);
    queues_.leave(global(gm_.scales, job_.rows)[row], scale, 4);
  }
  void quantise_piece(std::uint64_t row, std::uint32_t col, std::uint32_t count) {
    const auto integers = temp_.template ReinterpretCast<std::int16_t>();
    const auto halves = temp_.template ReinterpretCast<half>();
    Cast(integers, x_, RoundMode::CAST_RINT, count);
    Cast(halves, integers, RoundMode::CAST_NONE, count);
    auto out = queues_.template room<std::int8_t>();
    if (job_.to_int4) {
      Cast(out.template ReinterpretCast<int4b_t>(), halves, RoundMode::CAST_RINT, count);
    } else {
      Cast(out, halves, RoundMode::CAST_RINT, count);
    }
    const std::uint32_t bytes = job_.to_int4 ? count / 2 : count;
    const std::uint64_t first = row * job_.quantised_bytes() + (job_.to_int4 ? col / 2 : col);
    queues_.leave(global(gm_.quantised, std::uint64_t{job_.rows} * job_.quantised_bytes())[first],
                  out, bytes);
  }

  Job job_;
  Matrices<T> gm_;
  TPipe pipe_;
  PieceQueues queues_;
  TBuf<TPosition::VECCALC> work_;
  Floats x_, temp_, folded_, numbers_;
};

}  // namespace davsim::silicon::row_wise
