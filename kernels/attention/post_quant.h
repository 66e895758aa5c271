// int8 output: out * scale + offset, rounded to nearest even and saturated.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/mask_pieces.h"
#include "kernels/attention/numbers.h"

namespace kernel_attention {

class PostQuant {
 public:
  __aicore__ inline explicit PostQuant(const AttentionTiling& tiling) : tiling_(tiling) {
    if (!Used()) return;
    const uint32_t elements = tiling.ub.out_rows * tiling.value_width;
    numbers_ = LocalTensor<float>(TPosition::VECCALC, tiling.ub.quant, elements);
    halves_ = LocalTensor<half>(TPosition::VECCALC,
                                tiling.ub.quant + elements * static_cast<uint32_t>(sizeof(float)),
                                elements);
    const AttentionPostQuant& quant = tiling.post_quant;
    if (quant.per_channel != 0) return;
    scale_ = ReadNumber(quant.scale, quant.type);
    if (quant.offset != 0) offset_ = ReadNumber(quant.offset, quant.type);
  }

  __aicore__ inline bool Used() const { return tiling_.post_quant.scale != 0; }

  /// Quantises the rows [first, first + rows) of a task. `out` is overwritten.
  __aicore__ inline void Apply(const LocalTensor<int8_t>& to, const LocalTensor<float>& out,
                               const AttentionTask& task, uint32_t first, uint32_t rows) {
    const AttentionPostQuant& quant = tiling_.post_quant;
    const uint32_t count = rows * tiling_.value_width;
    if (quant.per_channel != 0) {
      WithChannels<kernel_common::MulOp>(out, quant.scale, task, first, rows);
      if (quant.offset != 0) {
        WithChannels<kernel_common::AddOp>(out, quant.offset, task, first, rows);
      }
    } else {
      Muls(out, out, scale_, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
      Adds(out, out, offset_, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
    }
    // The conversion to int32 rounds once. The conversions to smaller types saturate.
    const LocalTensor<int32_t> integers = out.ReinterpretCast<int32_t>();
    Cast(integers, out, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
    SetDeqScale(static_cast<half>(1.0f));
    Cast(halves_, integers, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    Cast(to, halves_, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
  }

 private:
  /// Combines each row with the numbers of the channels of its head.
  template <class Op>
  __aicore__ inline void WithChannels(const LocalTensor<float>& out, uint64_t address,
                                      const AttentionTask& task, uint32_t first, uint32_t rows) {
    const AttentionPostQuant& quant = tiling_.post_quant;
    const uint32_t width = tiling_.value_width;
    const uint32_t head = first / task.rows;
    const uint32_t heads = (first + rows - 1) / task.rows - head + 1;
    const uint64_t channel = task.first_channel + uint64_t{head} * width;
    LoadNumbers(numbers_, halves_, address + channel * NumberBytes(quant.type), quant.type,
                heads * width);
    const auto combine = [&](uint32_t of_head, uint32_t, uint32_t count, uint32_t at) {
      const kernel_common::Rows<float> data = {out[at * width], width};
      const LocalTensor<float> numbers = numbers_[(of_head - head) * width];
      // A run of heads of one row each has a row of numbers for each of them.
      const kernel_common::Rows<float> with = {numbers, task.rows == 1 ? width : 0};
      kernel_common::RowWise<Op>(data, data, with, count, width);
    };
    ForRuns(task, first, rows, combine);
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  LocalTensor<float> numbers_;
  LocalTensor<half> halves_;
  float scale_ = 1, offset_ = 0;
};

}  // namespace kernel_attention
