// Operators that reduce each row of a matrix: RmsNorm, DynamicQuant, AddRmsNormDynamicQuant.
// Kernels of ours that go about it as the vendor's do by their published structure: how many rows
// share an instruction, and where the number of a row is used.
#include <bit>

#include "bench/silicon/kernels/dynamic_quant.hpp"
#include "bench/silicon/kernels/rms_norm.hpp"
#include "bench/silicon/kernels/row_pieces.hpp"
#include "bench/silicon/kernels/row_plan.hpp"
#include "kernels/common/row_reduce.h"

namespace davsim::silicon {
namespace {

using namespace row_wise;
using Floats = LocalTensor<float>;

template <class T>
class RowCore {
 public:
  RowCore(const Job& job, const Plan& plan, const Matrices<T>& gm)
      : job_(job), plan_(plan), gm_(gm), pitch_(job.pitch()) {
    const std::uint32_t tile = plan.rows * pitch_, numbers = round_up(plan.rows, 64);
    pipe_.InitBuffer(in_queue_, 1, inputs(job) * tile * sizeof(T));
    pipe_.InitBuffer(out_queue_, 1, tile * sizeof(T));
    pipe_.InitBuffer(scale_queue_, 1, numbers * 4);
    pipe_.InitBuffer(work_, (2 * tile + pitch_) * 4);
    pipe_.InitBuffer(numbers_buffer_, (2 * numbers + 8 * numbers) * 4);
    x_ = work_.Get<float>();
    temp_ = x_[tile];
    gamma_ = x_[2 * tile];
    numbers_ = numbers_buffer_.Get<float>();
    constants_ = numbers_[numbers];
    blocks_ = numbers_[2 * numbers];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    if (mine.begin == mine.end) return;
    load(gamma_, global(gm_.gamma, job_.width), 1);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    Duplicate(constants_, 1.0f, static_cast<std::int32_t>(round_up(plan_.rows, 64)));
    const auto rows_from = [&](std::uint64_t row) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.rows, mine.end - row));
    };
    for (std::uint64_t row = mine.begin; row < mine.end; row += plan_.rows) {
      fetch(row, rows_from(row));
      tile(row, rows_from(row));
    }
  }

 private:
  /// Rows of global memory into rows of UB, `pitch_` elements apart.
  template <class U>
  void load(const LocalTensor<U>& to, const GlobalTensor<U>& from, std::uint32_t rows) {
    const auto [count, bytes, gap] = blocks_of<U>(rows, job_.width * sizeof(U));
    DataCopyPad(to, from, DataCopyExtParams(count, bytes, 0, gap, 0), DataCopyPadExtParams<U>{});
  }
  template <class U>
  void store(const GlobalTensor<U>& to, const LocalTensor<U>& from, std::uint32_t rows,
             std::uint64_t row_bytes) {
    const auto [count, bytes, gap] = blocks_of<U>(rows, row_bytes);
    DataCopyPad(to, from, DataCopyExtParams(count, bytes, gap, 0, 0));
  }
  /// Rows as a copy moves them: how many, bytes of each, DataBlocks between them in UB.
  struct Blocks {
    std::uint16_t count;
    std::uint32_t bytes, gap;
  };
  template <class U>
  Blocks blocks_of(std::uint32_t rows, std::uint64_t row_bytes) const {
    const auto bytes = static_cast<std::uint32_t>(row_bytes);
    const auto apart = static_cast<std::uint32_t>(pitch_ * sizeof(U));
    if (bytes == apart) return {1, rows * bytes, 0};
    return {static_cast<std::uint16_t>(rows), bytes, apart / 32 - round_up(bytes, 32) / 32};
  }
  GlobalTensor<T> at(T* matrix, std::uint64_t row) const {
    return global(matrix, std::uint64_t{job_.rows} * job_.width)[row * job_.width];
  }

  void fetch(std::uint64_t row, std::uint32_t rows) {
    auto in = in_queue_.template AllocTensor<T>();
    load(in, at(gm_.x, row), rows);
    if (job_.adds) load(in[rows * pitch_], at(gm_.x2, row), rows);
    in_queue_.EnQue(in);
  }

  void tile(std::uint64_t row, std::uint32_t rows) {
    auto in = in_queue_.template DeQue<T>();
    auto scales = scale_queue_.template AllocTensor<float>();
    count_ = rows > 1 ? rows * pitch_ : job_.width;
    widen(x_, in, count_);
    if (job_.adds) add(in[rows * pitch_], row, rows);
    in_queue_.FreeTensor(in);
    if (job_.adds) {
      compute(out_queue_.template AllocTensor<std::int8_t>(), scales, rows);
      leave(gm_.quantised, job_.width, row, rows);
    } else {
      compute(out_queue_.template AllocTensor<T>(), scales, rows);
      leave(gm_.out, job_.width, row, rows);
    }
    scale_queue_.EnQue(scales);
    scales = scale_queue_.template DeQue<float>();
    DataCopyPad(global(gm_.scales, job_.rows)[row], scales,
                DataCopyExtParams(1, rows * 4, 0, 0, 0));
    scale_queue_.FreeTensor(scales);
  }

  /// The sum leaves through the buffer that the result needs next.
  void add(const LocalTensor<T>& second, std::uint64_t row, std::uint32_t rows) {
    widen(temp_, second, count_);
    Add(x_, x_, temp_, static_cast<std::int32_t>(count_));
    auto sum = out_queue_.template AllocTensor<T>();
    narrow(sum, x_);
    out_queue_.EnQue(sum);
    leave(gm_.sum, job_.width, row, rows);
  }

  /// What is in the queue of results to rows of global memory.
  template <class U>
  void leave(U* matrix, std::uint32_t row_elements, std::uint64_t row, std::uint32_t rows) {
    auto out = out_queue_.template DeQue<U>();
    store(global(matrix, std::uint64_t{job_.rows} * row_elements)[row * row_elements], out, rows,
          row_elements * sizeof(U));
    out_queue_.FreeTensor(out);
  }

  template <class Out>
  void compute(LocalTensor<Out> out, const Floats& scales, std::uint32_t rows) {
    if (job_.adds) {
      // The buffer of the inputs serves once more, as scratch.
      auto scratch = in_queue_.template AllocTensor<T>();
      group(out, scales, rows);
      in_queue_.FreeTensor(scratch);
    } else {
      group(out, scales, rows);
    }
    out_queue_.EnQue(out);
  }

  /// The rows of x_, all of them by one instruction each step that needs no number of a row.
  template <class Out>
  void group(const LocalTensor<Out>& out, const Floats& scales, std::uint32_t rows) {
    const auto count = static_cast<std::int32_t>(count_);
    Mul(temp_, x_, x_, count);
    reduce_and_scale<kernel_common::AddOp, Sums>(scales, rows);
    multiply_by_gamma(rows);
    if constexpr (std::is_same_v<Out, std::int8_t>) {
      smooth(rows);
      Abs(temp_, x_, count);
      reduce_and_scale<MaxOp, Maxima>(scales, rows);
      quantise(out);
    } else {
      narrow(out, x_);
    }
  }

  struct Sums {
    static void Call(const Floats& dst, const Floats& src, std::uint32_t lanes, std::uint32_t rows,
                     std::uint32_t blocks) {
      WholeReduceSum(dst, src, lanes, rows, 1, 1, blocks);
    }
  };
  struct Maxima {
    static void Call(const Floats& dst, const Floats& src, std::uint32_t lanes, std::uint32_t rows,
                     std::uint32_t blocks) {
      WholeReduceMax(dst, src, lanes, rows, 1, 1, blocks, ReduceOrder::ORDER_ONLY_VALUE);
    }
  };
  struct MaxOp {
    static void Call(const Floats& dst, const Floats& a, const Floats& b, std::uint64_t mask,
                     std::uint8_t repeats, const BinaryRepeatParams& strides) {
      Max(dst, a, b, mask, repeats, strides);
    }
  };

  /// Rows of x_ by a number each that comes of the same rows of temp_.
  template <class Lanes, class Whole>
  void reduce_and_scale(const Floats& scales, std::uint32_t rows) {
    const std::uint32_t at_a_time = job_.adds ? 1 : rows;
    for (std::uint32_t r = 0; r < rows; r += at_a_time) {
      for (std::uint32_t i = r; i < r + at_a_time; ++i) {
        if (job_.adds && std::is_same_v<Lanes, kernel_common::AddOp>) {
          fold_halves(temp_[i * pitch_]);
        } else {
          fold_lanes<Lanes>(temp_[i * pitch_]);
        }
      }
      Whole::Call(numbers_, temp_[r * pitch_], std::min(kLanes, job_.width), at_a_time, pitch_ / 8);
      scale(scales, r, x_[r * pitch_], at_a_time);
    }
  }

  /// The lanes of a row one upon the other.
  template <class Lanes>
  void fold_lanes(const Floats& row) {
    const std::uint32_t whole = job_.width / kLanes, rest = job_.width % kLanes;
    const BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
    if (rest > 0 && whole > 0) Lanes::Call(row, row[whole * kLanes], row, rest, 1, onto);
    if (whole > 1) {
      Lanes::Call(row, row[kLanes], row, kLanes, static_cast<std::uint8_t>(whole - 1), onto);
    }
  }

  /// One half of a row upon the other until a repeat is left, as the sums of the operator with an
  /// addition.
  void fold_halves(const Floats& row) {
    std::uint32_t left = std::bit_floor(job_.width);
    if (job_.width <= kLanes) return;
    if (job_.width > left) Add(row, row, row[left], static_cast<std::int32_t>(job_.width - left));
    for (; left > kLanes; left /= 2) {
      PipeBarrier<PIPE_V>();
      Add(row, row, row[left / 2], static_cast<std::int32_t>(left / 2));
    }
    PipeBarrier<PIPE_V>();
  }

  /// Rows times their numbers, which leave as scales.
  void scale(const Floats& scales, std::uint32_t first, const Floats& x, std::uint32_t rows) {
    if (job_.adds) return scale_by_scalar(scales, first, x);
    Div(numbers_, constants_, numbers_, static_cast<std::int32_t>(rows));
    Muls(scales[first], numbers_, 1.0f, static_cast<std::int32_t>(rows));
    kernel_common::SpreadNumbers(blocks_, numbers_, rows);
    kernel_common::WithNumbers<kernel_common::MulOp>(x, x, blocks_, rows, pitch_);
  }

  /// The operator with an addition finds a row's factor by the scalar unit alone.
  void scale_by_scalar(const Floats& scales, std::uint32_t row, const Floats& x) {
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    const float factor = 127.0f / numbers_.GetValue(0);
    scales.SetValue(row, 1 / factor);
    SetFlag<HardEvent::S_V>(EVENT_ID4);
    WaitFlag<HardEvent::S_V>(EVENT_ID4);
    Muls(x, x, factor, static_cast<std::int32_t>(job_.width));
  }

  /// Smooth scales are taken row by row, and where there are none the rows are copied.
  void smooth(std::uint32_t rows) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      Muls(x_[r * pitch_], x_[r * pitch_], 1.0f, static_cast<std::int32_t>(job_.width));
    }
    PipeBarrier<PIPE_V>();
  }

  void multiply_by_gamma(std::uint32_t rows) {
    using namespace kernel_common;
    if (job_.adds) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        Mul(x_[r * pitch_], x_[r * pitch_], gamma_, static_cast<std::int32_t>(job_.width));
        PipeBarrier<PIPE_V>();
      }
      return;
    }
    const Rows<float> x{x_, pitch_};
    RowWise<MulOp>(x, x, SameRow(gamma_), rows, job_.width);
  }

  void quantise(const LocalTensor<std::int8_t>& out) {
    const auto halves = temp_.template ReinterpretCast<half>();
    Cast(temp_.template ReinterpretCast<std::int16_t>(), x_, RoundMode::CAST_RINT, count_);
    Cast(halves, temp_.template ReinterpretCast<std::int16_t>(), RoundMode::CAST_NONE, count_);
    Cast(out, halves, RoundMode::CAST_RINT, count_);
  }

  void narrow(const LocalTensor<T>& to, const Floats& from) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(count_));
    } else {
      Cast(to, from, RoundMode::CAST_RINT, count_);
    }
  }

  static constexpr std::uint32_t kLanes = kernel_common::kFloatLanes;

  Job job_;
  Plan plan_;
  Matrices<T> gm_;
  std::uint32_t pitch_, count_ = 0;  ///< of a row in UB; elements of the group at hand
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_queue_;
  TQue<TPosition::VECOUT, 1> out_queue_, scale_queue_;
  TBuf<TPosition::VECCALC> work_, numbers_buffer_;
  Floats x_, temp_, gamma_, numbers_, constants_, blocks_;
};

/// The fields of the operators' tiling structures.
KernelReads reads_of(const Job& job) {
  if (job.adds) return {.tiling = 112};
  return {.tiling = job.normalise ? 88u : 240u};
}

template <class T>
Launch quantise_only(sim::Device& device, const Params& params, const Job& job,
                     const Matrices<T>& gm, std::uint32_t cores) {
  if (std::is_same_v<T, float>) {
    throw std::invalid_argument("type=float; rows of op=dynamic_quant are half or bfloat16");
  }
  const RowsTogether together = RowsTogether::of(job.rows, job.width, cores);
  const RowsByOne by_one = RowsByOne::of(job.rows, job.width, cores);
  const std::uint32_t busy = together.rows > 0 ? together.cores : cores;
  return vector_launch(device, params, "dynamic_quant", reads_of(job), busy, [=] {
    if (together.rows > 0) {
      QuantisedTiles<T>(job, together, gm).run(static_cast<std::uint32_t>(GetBlockIdx()));
    } else if (by_one.rows > 0) {
      QuantisedRows<T>(job, by_one, gm).run(GetBlockIdx(), cores);
    } else {
      PiecedRows<T>(job, gm).run(GetBlockIdx(), cores);
    }
  });
}

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Job job = Job::of(params);
  const std::uint64_t count = std::uint64_t{job.rows} * job.width;
  Matrices<T> gm{};
  gm.x = allocate<T>(device, count, "x");
  if (job.adds) gm.x2 = allocate<T>(device, count, "x2");
  if (job.adds) gm.sum = allocate<T>(device, count, "sum");
  const bool wide = job.normalise && !job.adds && job.width > kMostMerged;
  if (wide) {
    gm.gamma_of_x = allocate<T>(device, job.width, "gamma");
  } else if (job.normalise) {
    gm.gamma = allocate<float>(device, job.width, "gamma");
  }
  if (job.quantise) {
    gm.quantised = allocate<std::int8_t>(device, count, "quantised");
  } else {
    gm.out = allocate<T>(device, count, "out");
  }
  gm.scales = allocate<float>(device, job.rows, "scales");
  gm.normalised =
      allocate<float>(device, std::uint64_t{device.soc().aiv_count()} * job.width, "normalised");
  const std::uint32_t cores = std::min(vector_cores(device, params), job.rows);
  if (job.quantise && !job.adds) return quantise_only(device, params, job, gm, cores);
  const Plan plan = Plan::of(job, sizeof(T));
  return vector_launch(device, params, "row_wise", reads_of(job), cores, [=] {
    if (wide) {
      WideRmsNorm<T>(job, gm).run(GetBlockIdx(), cores);
    } else if (plan.rows == 0) {
      PiecedRows<T>(job, gm).run(GetBlockIdx(), cores);
    } else {
      RowCore<T>(job, plan, gm).run(GetBlockIdx(), cores);
    }
  });
}

const KernelRegistrar g_row_wise(typed_kernel(
    "row_wise",
    "op = rms_norm, dynamic_quant or add_rms_norm_dynamic_quant: rows width [type to cores "
    "tiling]",
    []<class T>(sim::Device& device, const Params& params) {
      return prepare_as<T>(device, params);
    }));

}  // namespace
}  // namespace davsim::silicon
