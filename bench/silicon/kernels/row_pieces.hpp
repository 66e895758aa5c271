// Rows that do not fit into UB, piece by piece, as the vendor's kernels do it by their published
// structure: once for the sum of squares, once more for the normalised row and its largest
// magnitude, which goes to a workspace, and once more for what is quantised.
#pragma once

#include "bench/silicon/kernels/row_wise.hpp"

namespace davsim::silicon::row_wise {

template <class T>
class PiecedRows {
 public:
  PiecedRows(const Job& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    pipe_.InitBuffer(in_, 1, 2 * kPiece * sizeof(float));
    pipe_.InitBuffer(out_, 1, kPiece * sizeof(float));
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
      if (job_.quantise) quantise(row, normalised);
    }
  }

 private:
  static constexpr std::uint32_t kPiece = 4096, kLanes = 64;
  using Floats = LocalTensor<float>;

  template <class Body>
  void for_pieces(Body body) const {
    for (std::uint32_t at = 0; at < job_.width; at += kPiece) {
      body(at, static_cast<std::int32_t>(std::min(kPiece, job_.width - at)));
    }
  }
  GlobalTensor<T> at(T* matrix, std::uint64_t row, std::uint32_t col) const {
    return global(matrix, std::uint64_t{job_.rows} * job_.width)[row * job_.width + col];
  }

  /// to = `count` numbers of global memory.
  template <class U>
  void load(const Floats& to, const GlobalTensor<U>& from, std::int32_t count) {
    auto in = in_.template AllocTensor<U>();
    DataCopyPad(
        in, from,
        DataCopyExtParams(1, static_cast<std::uint32_t>(count) * std::uint32_t{sizeof(U)}, 0, 0, 0),
        DataCopyPadExtParams<U>{});
    in_.EnQue(in);
    in = in_.template DeQue<U>();
    if constexpr (sizeof(U) == 4) {
      Muls(to, in, 1.0f, count);
    } else {
      Cast(to, in, RoundMode::CAST_NONE, static_cast<std::uint32_t>(count));
    }
    in_.FreeTensor(in);
  }
  template <class U>
  void store(const GlobalTensor<U>& to, const Floats& from, std::int32_t count) {
    auto out = out_.template AllocTensor<U>();
    if constexpr (sizeof(U) == 4) {
      Muls(out, from, 1.0f, count);
    } else {
      Cast(out, from, RoundMode::CAST_RINT, static_cast<std::uint32_t>(count));
    }
    leave(to, out, static_cast<std::uint32_t>(count) * std::uint32_t{sizeof(U)});
  }
  template <class U>
  void leave(const GlobalTensor<U>& to, LocalTensor<U> out, std::uint32_t bytes) {
    out_.EnQue(out);
    out = out_.template DeQue<U>();
    DataCopyPad(to, out, DataCopyExtParams(1, bytes, 0, 0, 0));
    out_.FreeTensor(out);
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
      load(x_, at(gm_.x, row, col), count);
      if (job_.adds) {
        load(temp_, at(gm_.x2, row, col), count);
        Add(x_, x_, temp_, count);
        store(at(gm_.sum, row, col), x_, count);
      }
      Mul(temp_, x_, x_, count);
      Add(folded_, folded_, temp_, count);
    });
    return number_of_pieces(true);
  }

  void normalise(std::uint64_t row, float number, const GlobalTensor<float>& normalised) {
    Duplicate(folded_, 0.0f, static_cast<std::int32_t>(kPiece));
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      load(x_, at(job_.adds ? gm_.sum : gm_.x, row, col), count);
      Muls(x_, x_, number, count);
      load(temp_, global(gm_.gamma, job_.width)[col], count);
      Mul(x_, x_, temp_, count);
      if (!job_.quantise) {
        store(at(gm_.out, row, col), x_, count);
        return;
      }
      store(normalised[col], x_, count);
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
      load(x_, at(gm_.x, row, col), count);
      fold_largest(count);
    });
  }

  void quantise(std::uint64_t row, const GlobalTensor<float>& normalised) {
    const float number = number_of_pieces(false);
    for_pieces([&](std::uint32_t col, std::int32_t count) {
      if (job_.normalise) {
        load(x_, normalised[col], count);
      } else {
        load(x_, at(gm_.x, row, col), count);
      }
      Muls(x_, x_, number, count);
      quantise_piece(row, col, static_cast<std::uint32_t>(count));
    });
    auto scale = out_.template AllocTensor<float>();
    scale.SetValue(0, number);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID4);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID4);
    leave(global(gm_.scales, job_.rows)[row], scale, 4);
  }
  void quantise_piece(std::uint64_t row, std::uint32_t col, std::uint32_t count) {
    const auto integers = temp_.template ReinterpretCast<std::int16_t>();
    const auto halves = temp_.template ReinterpretCast<half>();
    Cast(integers, x_, RoundMode::CAST_RINT, count);
    Cast(halves, integers, RoundMode::CAST_NONE, count);
    auto out = out_.template AllocTensor<std::int8_t>();
    if (job_.to_int4) {
      Cast(out.template ReinterpretCast<int4b_t>(), halves, RoundMode::CAST_RINT, count);
    } else {
      Cast(out, halves, RoundMode::CAST_RINT, count);
    }
    const std::uint32_t bytes = job_.to_int4 ? count / 2 : count;
    const std::uint64_t first = row * job_.quantised_bytes() + (job_.to_int4 ? col / 2 : col);
    leave(global(gm_.quantised, std::uint64_t{job_.rows} * job_.quantised_bytes())[first], out,
          bytes);
  }

  Job job_;
  Matrices<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  Floats x_, temp_, folded_, numbers_;
};

}  // namespace davsim::silicon::row_wise
