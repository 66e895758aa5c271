// SwiGlu of int32 sums of a quantised product: both halves of a row times the scales of their
// columns and the scale of the row, silu of the first times the second, and the result quantised to
// int8 by its largest magnitude. Row by row, as each row has a scale that the scalar unit reads.
// Rows that are too long for UB come in pieces, of which the results wait in a workspace for the
// scale.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/piece_queues.hpp"
#include "bench/silicon/kernels/row_copies.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

/// `width` columns of the result; rows of the sums have twice as many.
struct Job {
  std::uint32_t rows, width;

  std::uint32_t pitch() const { return round_up(width, 64); }
};

struct Matrices {
  std::int32_t* sums;
  float *column_scales, *row_scales, *scales;
  std::int8_t* out;
  float* waiting;  ///< a row for each core
};

/// first = its silu times second.
void swi_glu(const Floats& first, const Floats& second, const Floats& temp, std::int32_t count) {
  Muls(temp, first, -1.0f, count);
  PipeBarrier<PIPE_V>();
  Exp(temp, temp, count);
  PipeBarrier<PIPE_V>();
  Adds(temp, temp, 1.0f, count);
  PipeBarrier<PIPE_V>();
  Div(first, first, temp, count);
  PipeBarrier<PIPE_V>();
  Mul(first, first, second, count);
  PipeBarrier<PIPE_V>();
}

/// Numbers of `values` become int8, by way of `temp`; `values` is overwritten.
void narrow(const LocalTensor<std::int8_t>& to, const Floats& values, const Floats& temp,
            std::uint32_t count) {
  const auto integers = temp.ReinterpretCast<std::int32_t>();
  Cast(integers, values, RoundMode::CAST_RINT, count);
  PipeBarrier<PIPE_V>();
  SetDeqScale(half(1.0f));
  const auto halves = values.ReinterpretCast<half>();
  Cast(halves, integers, RoundMode::CAST_NONE, count);
  PipeBarrier<PIPE_V>();
  Cast(to, halves, RoundMode::CAST_TRUNC, count);
}

/// The scale that makes `largest`, a result of the vector unit, 127.
float scale_of(const Floats& largest) {
  SetFlag<HardEvent::V_S>(EVENT_ID4);
  WaitFlag<HardEvent::V_S>(EVENT_ID4);
  return largest.GetValue(0) / 127.0f;
}

class DequantSwiGluCore {
 public:
  DequantSwiGluCore(const Job& job, const Matrices& gm) : job_(job), gm_(gm), pitch_(job.pitch()) {
    pipe_.InitBuffer(in_, 2, 2 * pitch_ * 4);
    pipe_.InitBuffer(out_, 1, pitch_);
    pipe_.InitBuffer(scale_, 1, 32);
    pipe_.InitBuffer(work_, 5 * pitch_ * 4);
    columns_ = work_.Get<float>();
    values_ = columns_[2 * pitch_];
    temp_ = values_[2 * pitch_];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    halves().load(columns_, global(gm_.column_scales, 2 * job_.width));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) row(i);
  }

 private:
  /// Both halves of a row, each on DataBlocks of its own.
  RowCopies halves() const { return {2, job_.width, job_.width, pitch_}; }

  void row(std::uint64_t row) {
    const auto both = static_cast<std::int32_t>(2 * pitch_),
               one = static_cast<std::int32_t>(pitch_);
    auto in = in_.AllocTensor<std::int32_t>();
    halves().load(
        in, global(gm_.sums, std::uint64_t{job_.rows} * 2 * job_.width)[row * 2 * job_.width]);
    in_.EnQue(in);
    const float row_scale = global(gm_.row_scales, job_.rows).GetValue(row);
    in = in_.DeQue<std::int32_t>();
    Cast(values_, in, RoundMode::CAST_NONE, 2 * pitch_);
    PipeBarrier<PIPE_V>();
    in_.FreeTensor(in);
    Mul(values_, values_, columns_, both);
    PipeBarrier<PIPE_V>();
    Muls(values_, values_, row_scale, both);
    PipeBarrier<PIPE_V>();
    swi_glu(values_, values_[pitch_], temp_, one);
    quantise(row, one);
  }

  void quantise(std::uint64_t row, std::int32_t count) {
    Abs(temp_, values_, count);
    PipeBarrier<PIPE_V>();
    ReduceMax(temp_, temp_, values_[pitch_], static_cast<std::int32_t>(job_.width));
    const float scale = scale_of(temp_);
    auto scales = scale_.AllocTensor<float>();
    scales.SetValue(0, scale);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID4);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID4);
    Muls(values_, values_, 1.0f / std::max(scale, 1e-6f), count);
    PipeBarrier<PIPE_V>();
    auto out = out_.AllocTensor<std::int8_t>();
    narrow(out, values_, temp_, static_cast<std::uint32_t>(count));
    leave(out_, out, global(gm_.out, std::uint64_t{job_.rows} * job_.width)[row * job_.width],
          job_.width);
    leave(scale_, scales, global(gm_.scales, job_.rows)[row], 1);
  }

  template <class T>
  void leave(TQue<TPosition::VECOUT, 1>& queue, LocalTensor<T>& part, const GlobalTensor<T>& to,
             std::uint32_t count) {
    queue.EnQue(part);
    part = queue.DeQue<T>();
    DataCopyPad(to, part, DataCopyExtParams(1, count * std::uint32_t{sizeof(T)}, 0, 0, 0));
    queue.FreeTensor(part);
  }

  Job job_;
  Matrices gm_;
  std::uint32_t pitch_;  ///< elements from one half to the next in UB
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_, scale_;
  TBuf<TPosition::VECCALC> work_;
  Floats columns_, values_, temp_;
};

/// Rows in pieces.
class PiecedSwiGlu {
 public:
  PiecedSwiGlu(const Job& job, const Matrices& gm) : job_(job), gm_(gm), queues_(pipe_) {
    pipe_.InitBuffer(work_, (4 * PieceQueues::kPiece + 64) * 4);
    first_ = work_.Get<float>();
    second_ = first_[kPiece];
    temp_ = second_[kPiece];
    folded_ = temp_[kPiece];
    number_ = folded_[kPiece];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    waiting_ = global(gm_.waiting, cores * job_.width)[core * job_.width];
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) row(i);
  }

 private:
  static constexpr std::int32_t kPiece = PieceQueues::kPiece;

  void row(std::uint64_t row) {
    const float row_scale = global(gm_.row_scales, job_.rows).GetValue(row);
    Duplicate(folded_, 0.0f, kPiece);
    PieceQueues::for_pieces(job_.width, [&](std::uint32_t col, std::int32_t count) {
      half_of(first_, row, col, row_scale, count);
      half_of(second_, row, job_.width + col, row_scale, count);
      swi_glu(first_, second_, temp_, count);
      queues_.store(waiting_[col], first_, count);
      Abs(temp_, first_, count);
      PipeBarrier<PIPE_V>();
      Max(folded_, folded_, temp_, count);
    });
    PipeBarrier<PIPE_V>();
    ReduceMax(number_, folded_, temp_, kPiece);
    const float scale = scale_of(number_);
    PieceQueues::for_pieces(job_.width, [&](std::uint32_t col, std::int32_t count) {
      quantise(row * job_.width + col, col, scale, count);
    });
    auto left = queues_.room<float>();
    left.SetValue(0, scale);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID4);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID4);
    queues_.leave(global(gm_.scales, job_.rows)[row], left, 4);
  }

  /// to = columns from `col` on of a row of sums, times both scales.
  void half_of(const Floats& to, std::uint64_t row, std::uint32_t col, float row_scale,
               std::int32_t count) {
    const std::uint64_t pitch = 2 * std::uint64_t{job_.width};
    queues_.load(to, global(gm_.sums, job_.rows * pitch)[row * pitch + col], count);
    queues_.load(temp_, global(gm_.column_scales, pitch)[col], count);
    PipeBarrier<PIPE_V>();
    Mul(to, to, temp_, count);
    PipeBarrier<PIPE_V>();
    Muls(to, to, row_scale, count);
    PipeBarrier<PIPE_V>();
  }

  void quantise(std::uint64_t to, std::uint32_t col, float scale, std::int32_t count) {
    queues_.load(first_, waiting_[col], count);
    PipeBarrier<PIPE_V>();
    Muls(first_, first_, 1.0f / std::max(scale, 1e-6f), count);
    PipeBarrier<PIPE_V>();
    auto out = queues_.room<std::int8_t>();
    narrow(out, first_, temp_, static_cast<std::uint32_t>(count));
    queues_.leave(global(gm_.out, std::uint64_t{job_.rows} * job_.width)[to], out,
                  static_cast<std::uint32_t>(count));
  }

  Job job_;
  Matrices gm_;
  TPipe pipe_;
  PieceQueues queues_;
  TBuf<TPosition::VECCALC> work_;
  Floats first_, second_, temp_, folded_, number_;
  GlobalTensor<float> waiting_;
};

Launch prepare(sim::Device& device, const Params& params) {
  const Job job{params.size("rows"), params.size("width")};
  constexpr std::uint64_t kBytes = 2 * 2 * 4 + 1 + 5 * 4;  // of UB for each column
  const bool pieces = job.pitch() * kBytes + 32 > kRoomForRows;
  const std::uint32_t cores = std::min(vector_cores(device, params), job.rows);
  const std::uint64_t elements = std::uint64_t{job.rows} * job.width;
  const Matrices gm{
      allocate<std::int32_t>(device, 2 * elements, "sums"),
      allocate<float>(device, 2 * std::uint64_t{job.width}, "column_scales"),
      allocate<float>(device, job.rows, "row_scales"),
      allocate<float>(device, job.rows, "scales"),
      allocate<std::int8_t>(device, elements, "out"),
      pieces ? allocate<float>(device, std::uint64_t{cores} * job.width, "waiting") : nullptr};
  return vector_launch(device, params, "dequant_swi_glu", {}, cores, [=] {
    if (pieces) {
      PiecedSwiGlu(job, gm).run(GetBlockIdx(), cores);
    } else {
      DequantSwiGluCore(job, gm).run(GetBlockIdx(), cores);
    }
  });
}

const KernelRegistrar g_dequant_swi_glu(
    {"dequant_swi_glu", "swi_glu of int32 sums, quantised to int8: rows width [cores]", prepare});

}  // namespace
}  // namespace davsim::silicon
