// SwiGlu of int32 sums of a quantised product: both halves of a row times the scales of their
// columns and the scale of the row, silu of the first times the second, and the result quantised to
// int8 by its largest magnitude. Row by row, as each row has a scale that the scalar unit reads.
#include "bench/silicon/kernels/launch.hpp"
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
};

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
    swi_glu(one);
    quantise(row, one);
  }

  /// The first half of values_ = its silu times the second.
  void swi_glu(std::int32_t count) {
    Muls(temp_, values_, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Exp(temp_, temp_, count);
    PipeBarrier<PIPE_V>();
    Adds(temp_, temp_, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Div(values_, values_, temp_, count);
    PipeBarrier<PIPE_V>();
    Mul(values_, values_, values_[pitch_], count);
    PipeBarrier<PIPE_V>();
  }

  void quantise(std::uint64_t row, std::int32_t count) {
    const auto second = values_[pitch_];
    Abs(temp_, values_, count);
    PipeBarrier<PIPE_V>();
    ReduceMax(temp_, temp_, second, static_cast<std::int32_t>(job_.width));
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    const float scale = temp_.GetValue(0) / 127.0f;
    auto scales = scale_.AllocTensor<float>();
    scales.SetValue(0, scale);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID4);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID4);
    const auto bytes = static_cast<std::uint32_t>(count);
    Muls(values_, values_, 1.0f / std::max(scale, 1e-6f), count);
    PipeBarrier<PIPE_V>();
    const auto integers = temp_.ReinterpretCast<std::int32_t>();
    Cast(integers, values_, RoundMode::CAST_RINT, bytes);
    PipeBarrier<PIPE_V>();
    SetDeqScale(half(1.0f));
    const auto halves = values_.ReinterpretCast<half>();
    Cast(halves, integers, RoundMode::CAST_NONE, bytes);
    PipeBarrier<PIPE_V>();
    auto out = out_.AllocTensor<std::int8_t>();
    Cast(out, halves, RoundMode::CAST_TRUNC, bytes);
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

Launch prepare(sim::Device& device, const Params& params) {
  const Job job{params.number("rows"), params.number("width")};
  constexpr std::uint32_t kBytes = 2 * 2 * 4 + 1 + 5 * 4;  // of UB for each column
  rows_that_fit(job.pitch() * kBytes, 32, 1);
  const std::uint64_t elements = std::uint64_t{job.rows} * job.width;
  const Matrices gm{allocate<std::int32_t>(device, 2 * elements, "sums"),
                    allocate<float>(device, 2 * job.width, "column_scales"),
                    allocate<float>(device, job.rows, "row_scales"),
                    allocate<float>(device, job.rows, "scales"),
                    allocate<std::int8_t>(device, elements, "out")};
  const std::uint32_t cores = std::min(vector_cores(device, params), job.rows);
  return vector_launch(device, params, "dequant_swi_glu", {}, cores,
                       [=] { DequantSwiGluCore(job, gm).run(GetBlockIdx(), cores); });
}

const KernelRegistrar g_dequant_swi_glu(
    {"dequant_swi_glu", "swi_glu of int32 sums, quantised to int8: rows width [cores]", prepare});

}  // namespace
}  // namespace davsim::silicon
