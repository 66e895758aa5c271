// Softmax over the rows of a matrix: many rows at a time, computed in float. The largest element of
// each row is subtracted, and the exponentials are divided by their sum. Rows that are too long for
// UB come in pieces, once for each of these steps.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/piece_queues.hpp"
#include "bench/silicon/kernels/row_copies.hpp"
#include "kernels/common/row_reduce.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

struct Job {
  std::uint32_t rows, width, tile_rows;

  std::uint32_t pitch() const { return round_up(width, 32); }
};

template <class T>
class SoftmaxCore {
 public:
  SoftmaxCore(const Job& job, T* x, T* y) : job_(job), x_(x), y_(y) {
    const std::uint32_t elements = job.tile_rows * job.pitch(),
                        numbers = round_up(job.tile_rows, 64);
    pipe_.InitBuffer(in_, 1, elements * sizeof(T));
    pipe_.InitBuffer(out_, 1, elements * sizeof(T));
    pipe_.InitBuffer(work_, (2 * elements + 9 * numbers) * 4);
    values_ = work_.template Get<float>();
    temp_ = values_[elements];
    numbers_ = temp_[elements];
    blocks_ = numbers_[numbers];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    for (std::uint64_t row = mine.begin; row < mine.end; row += job_.tile_rows) {
      const auto rows =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(job_.tile_rows, mine.end - row));
      tile(row * job_.width, {rows, job_.width, job_.width, job_.pitch()});
    }
  }

 private:
  static constexpr std::uint32_t kLanes = kernel_common::kFloatLanes;

  void tile(std::uint64_t at, const RowCopies& rows) {
    const std::uint64_t all = std::uint64_t{job_.rows} * job_.width;
    auto in = in_.template AllocTensor<T>();
    rows.load(in, global(x_, all)[at]);
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    const std::uint32_t elements = rows.rows * job_.pitch();
    if constexpr (sizeof(T) == 4) {
      Adds(values_, in, 0.0f, static_cast<std::int32_t>(elements));
    } else {
      Cast(values_, in, RoundMode::CAST_NONE, elements);
    }
    PipeBarrier<PIPE_V>();
    in_.FreeTensor(in);
    softmax(rows.rows, static_cast<std::int32_t>(elements));
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Adds(out, values_, 0.0f, static_cast<std::int32_t>(elements));
    } else {
      Cast(out, values_, RoundMode::CAST_RINT, elements);
    }
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    rows.store(global(y_, all)[at], out);
    out_.FreeTensor(out);
  }

  void softmax(std::uint32_t rows, std::int32_t elements) {
    using namespace kernel_common;
    Adds(temp_, values_, 0.0f, elements);
    PipeBarrier<PIPE_V>();
    fold<MaxOp>(rows);
    WholeReduceMax(numbers_, temp_, std::min(kLanes, job_.width), rows, 1, 1, job_.pitch() / 8,
                   ReduceOrder::ORDER_ONLY_VALUE);
    with_numbers<SubOp>(rows);
    Exp(values_, values_, elements);
    PipeBarrier<PIPE_V>();
    Adds(temp_, values_, 0.0f, elements);
    PipeBarrier<PIPE_V>();
    fold<AddOp>(rows);
    WholeReduceSum(numbers_, temp_, std::min(kLanes, job_.width), rows, 1, 1, job_.pitch() / 8);
    with_numbers<DivOp>(rows);
  }

  struct MaxOp {
    static void Call(const Floats& dst, const Floats& a, const Floats& b, std::uint64_t mask,
                     std::uint8_t repeats, const BinaryRepeatParams& strides) {
      Max(dst, a, b, mask, repeats, strides);
    }
  };

  /// The lanes of each row of temp_ one upon the other. Repeats go down the rows if these are more
  /// than the repeats of a row.
  template <class Op>
  void fold(std::uint32_t rows) {
    const std::uint32_t whole = job_.width / kLanes, rest = job_.width % kLanes;
    const std::uint32_t blocks = job_.pitch() / 8;
    if (whole == 0) return;
    if (rows > whole && blocks <= kernel_common::kMaxRepeatStride) {
      const auto stride = static_cast<std::uint8_t>(blocks);
      const BinaryRepeatParams down(1, 1, 1, stride, stride, stride);
      for (std::uint32_t at = kLanes; at < job_.width; at += kLanes) {
        Op::Call(temp_, temp_[at], temp_, std::min(kLanes, job_.width - at),
                 static_cast<std::uint8_t>(rows), down);
        PipeBarrier<PIPE_V>();
      }
      return;
    }
    const BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
    for (std::uint32_t r = 0; r < rows; ++r) {
      const auto row = temp_[r * job_.pitch()];
      if (whole > 1)
        Op::Call(row, row[kLanes], row, kLanes, static_cast<std::uint8_t>(whole - 1), onto);
      if (rest > 0) Op::Call(row, row[whole * kLanes], row, rest, 1, onto);
    }
    PipeBarrier<PIPE_V>();
  }

  template <class Op>
  void with_numbers(std::uint32_t rows) {
    PipeBarrier<PIPE_V>();
    kernel_common::SpreadNumbers(blocks_, numbers_, rows);
    kernel_common::WithNumbers<Op>(values_, values_, blocks_, rows, job_.pitch());
    PipeBarrier<PIPE_V>();
  }

  Job job_;
  T *x_, *y_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  Floats values_, temp_, numbers_, blocks_;
};

template <class T>
class PiecedSoftmax {
 public:
  PiecedSoftmax(const Job& job, T* x, T* y) : job_(job), x_(x), y_(y), queues_(pipe_) {
    pipe_.InitBuffer(work_, (3 * PieceQueues::kPiece + 64) * 4);
    values_ = work_.template Get<float>();
    folded_ = values_[PieceQueues::kPiece];
    temp_ = folded_[PieceQueues::kPiece];
    number_ = temp_[PieceQueues::kPiece];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) row(i * job_.width);
  }

 private:
  static constexpr std::int32_t kPiece = PieceQueues::kPiece;

  void row(std::uint64_t at) {
    const std::uint64_t all = std::uint64_t{job_.rows} * job_.width;
    const auto x = global(x_, all)[at];
    Duplicate(folded_, -3e38f, kPiece);
    PieceQueues::for_pieces(job_.width, [&](std::uint32_t col, std::int32_t count) {
      queues_.load(values_, x[col], count);
      PipeBarrier<PIPE_V>();
      Max(folded_, folded_, values_, count);
    });
    PipeBarrier<PIPE_V>();
    ReduceMax(number_, folded_, temp_, kPiece);
    const float largest = number();
    Duplicate(folded_, 0.0f, kPiece);
    PieceQueues::for_pieces(job_.width, [&](std::uint32_t col, std::int32_t count) {
      exponentials(x[col], largest, count);
      Add(folded_, folded_, values_, count);
    });
    PipeBarrier<PIPE_V>();
    ReduceSum(number_, folded_, temp_, kPiece);
    const float share = 1.0f / number();
    PieceQueues::for_pieces(job_.width, [&](std::uint32_t col, std::int32_t count) {
      exponentials(x[col], largest, count);
      Muls(values_, values_, share, count);
      PipeBarrier<PIPE_V>();
      queues_.store(global(y_, all)[at + col], values_, count);
    });
  }

  void exponentials(const GlobalTensor<T>& x, float largest, std::int32_t count) {
    queues_.load(values_, x, count);
    PipeBarrier<PIPE_V>();
    Adds(values_, values_, -largest, count);
    PipeBarrier<PIPE_V>();
    Exp(values_, values_, count);
    PipeBarrier<PIPE_V>();
  }

  float number() {
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    return number_.GetValue(0);
  }

  Job job_;
  T *x_, *y_;
  TPipe pipe_;
  PieceQueues queues_;
  TBuf<TPosition::VECCALC> work_;
  Floats values_, folded_, temp_, number_;
};

const KernelRegistrar g_softmax(typed_kernel(
    "softmax", "softmax over rows: rows width [type cores]",
    []<class T>(sim::Device& device, const Params& params) {
      Job job{params.size("rows"), params.size("width"), 0};
      const std::uint32_t cores = std::min(vector_cores(device, params), job.rows);
      constexpr std::uint32_t kNumbers = 9 * 256 * 4;
      const std::uint64_t row =
          job.pitch() * std::uint64_t{2 * sizeof(T) + 8};  // both queues, two rows of float
      const bool pieces = row + kNumbers > kRoomForRows;
      if (!pieces) {
        job.tile_rows = rows_that_fit(static_cast<std::uint32_t>(row), kNumbers,
                                      static_cast<std::uint32_t>(ceil_div(job.rows, cores)));
      }
      const std::uint64_t elements = std::uint64_t{job.rows} * job.width;
      T* const x = allocate<T>(device, elements, "x");
      T* const y = allocate<T>(device, elements, "y");
      return vector_launch(device, params, "softmax", {}, cores, [=] {
        if (pieces) {
          PiecedSoftmax<T>(job, x, y).run(GetBlockIdx(), cores);
        } else {
          SoftmaxCore<T>(job, x, y).run(GetBlockIdx(), cores);
        }
      });
    }));

}  // namespace
}  // namespace davsim::silicon
