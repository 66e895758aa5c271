// Operators that reduce each row of a matrix, as kernels of ours: tiles of several rows through
// queues, one row after the other, its scale passed through the scalar unit.
#include <cmath>

#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

struct Job {
  std::uint32_t rows, width;
  bool adds;       ///< a second matrix is added first, and the sum is a result
  bool normalise;  ///< by the root mean square, times gamma
  bool quantise;   ///< to int8, by the row's largest magnitude
  bool to_int4;    ///< instead, two to a byte

  /// Bytes of a row of the result where it is quantised.
  std::uint32_t quantised_bytes() const { return to_int4 ? width / 2 : width; }
};

/// What lies in global memory; those that a job has no use for are null.
template <class T>
struct Matrices {
  T *x, *x2, *sum, *out;
  std::int8_t* quantised;
  float *gamma, *scales;
};

template <class T>
class RowWise {
 public:
  RowWise(const Job& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    padded_ = round_up(job.width, 64);
    // Bytes a row, per buffer of the queues, beside the three rows of floats.
    const std::uint32_t row = padded_ * static_cast<std::uint32_t>((job.adds ? 3 : 1) * sizeof(T) +
                                                                   (job.quantise ? 1 : sizeof(T)));
    const std::uint32_t room = 184 * 1024 - 3 * padded_ * 4;
    const std::uint32_t buffers = 2 * row <= room ? 2 : 1;
    tile_rows_ = std::clamp(room / (buffers * row), 1u, 64u);
    const std::uint32_t tile = tile_rows_ * padded_;
    const auto depth = static_cast<std::uint8_t>(buffers);
    pipe_.InitBuffer(x_queue_, depth, tile * sizeof(T));
    if (job.adds) pipe_.InitBuffer(x2_queue_, depth, tile * sizeof(T));
    if (job.adds) pipe_.InitBuffer(sum_queue_, depth, tile * sizeof(T));
    pipe_.InitBuffer(out_queue_, depth, job.quantise ? tile : tile * sizeof(T));
    pipe_.InitBuffer(work_, 3 * padded_ * 4);
    pipe_.InitBuffer(scalar_, 4096);
    x_ = work_.Get<float>();
    temp_ = x_[padded_];
    gamma_ = x_[2 * padded_];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    if (mine.begin == mine.end) return;
    if (job_.normalise) {
      load(gamma_, global(gm_.gamma, job_.width), 1);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    }
    for (std::uint64_t row = mine.begin; row < mine.end; row += tile_rows_) {
      tile(row, static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_rows_, mine.end - row)));
    }
  }

 private:
  /// Rows of global memory into rows of `padded_` elements of UB.
  template <class U>
  void load(const LocalTensor<U>& to, const GlobalTensor<U>& from, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.width * sizeof(U));
    const auto gap =
        static_cast<std::uint32_t>(padded_ * sizeof(U)) / 32 - round_up(bytes, 32) / 32;
    DataCopyPad(to, from, DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, 0, gap, 0),
                DataCopyPadExtParams<U>{});
  }
  template <class U>
  void store(const GlobalTensor<U>& to, const LocalTensor<U>& from, std::uint32_t rows,
             std::uint32_t bytes) {
    const auto gap =
        static_cast<std::uint32_t>(padded_ * sizeof(U)) / 32 - round_up(bytes, 32) / 32;
    DataCopyPad(to, from, DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, gap, 0, 0));
  }
  template <class U>
  GlobalTensor<U> at(U* matrix, std::uint64_t row) const {
    return global(matrix, std::uint64_t{job_.rows} * job_.width)[row * job_.width];
  }

  void tile(std::uint64_t row, std::uint32_t rows) {
    auto in = x_queue_.template AllocTensor<T>();
    load(in, at(gm_.x, row), rows);
    x_queue_.EnQue(in);
    if (job_.adds) {
      auto second = x2_queue_.template AllocTensor<T>();
      load(second, at(gm_.x2, row), rows);
      x2_queue_.EnQue(second);
    }
    in = x_queue_.template DeQue<T>();
    LocalTensor<T> second, sum;
    if (job_.adds) {
      second = x2_queue_.template DeQue<T>();
      sum = sum_queue_.template AllocTensor<T>();
    }
    if (job_.quantise) {
      auto out = out_queue_.template AllocTensor<std::int8_t>();
      for (std::uint32_t r = 0; r < rows; ++r) compute(in, second, sum, out, r);
      out_queue_.EnQue(out);
    } else {
      auto out = out_queue_.template AllocTensor<T>();
      for (std::uint32_t r = 0; r < rows; ++r) compute(in, second, sum, out, r);
      out_queue_.EnQue(out);
    }
    x_queue_.FreeTensor(in);
    if (job_.adds) x2_queue_.FreeTensor(second);
    leave(sum, row, rows);
  }

  /// Results to global memory.
  void leave(LocalTensor<T> sum, std::uint64_t row, std::uint32_t rows) {
    if (job_.adds) {
      sum_queue_.EnQue(sum);
      sum = sum_queue_.template DeQue<T>();
      store(at(gm_.sum, row), sum, rows, job_.width * sizeof(T));
      sum_queue_.FreeTensor(sum);
    }
    if (job_.quantise) {
      auto out = out_queue_.template DeQue<std::int8_t>();
      const std::uint32_t bytes = job_.quantised_bytes();
      store(global(gm_.quantised, std::uint64_t{job_.rows} * bytes)[row * bytes], out, rows, bytes);
      out_queue_.FreeTensor(out);
    } else {
      auto out = out_queue_.template DeQue<T>();
      store(at(gm_.out, row), out, rows, job_.width * sizeof(T));
      out_queue_.FreeTensor(out);
    }
  }

  template <class Out>
  void compute(const LocalTensor<T>& in, const LocalTensor<T>& second, const LocalTensor<T>& sum,
               const LocalTensor<Out>& out, std::uint32_t row) {
    const std::uint32_t from = row * padded_, n = job_.width;
    const auto count = static_cast<std::int32_t>(n);
    widen(x_, in[from]);
    if (job_.adds) {
      widen(temp_, second[from]);
      Add(x_, x_, temp_, count);
      narrow(sum[from], x_);
    }
    if (job_.normalise) {
      Mul(temp_, x_, x_, count);
      ReduceSum(scalar_.Get<float>(), temp_, temp_, count);
      const float mean = read_scalar() / static_cast<float>(n);
      Muls(x_, x_, 1.0f / std::sqrt(mean + 1e-6f), count);
      Mul(x_, x_, gamma_, count);
    }
    if constexpr (std::is_same_v<Out, std::int8_t>) {
      Abs(temp_, x_, count);
      ReduceMax(scalar_.Get<float>(), temp_, temp_, count);
      Muls(x_, x_, (job_.to_int4 ? 7.0f : 127.0f) / (read_scalar() + 1e-12f), count);
      const auto halves = temp_.template ReinterpretCast<half>();
      Cast(halves, x_, RoundMode::CAST_RINT, n);
      if (job_.to_int4) {
        const LocalTensor<std::int8_t> row = out[from];
        Cast(row.template ReinterpretCast<int4b_t>(), halves, RoundMode::CAST_RINT, n);
      } else {
        Cast(out[from], halves, RoundMode::CAST_RINT, n);
      }
    } else {
      narrow(out[from], x_);
    }
  }

  void widen(const Floats& to, const LocalTensor<T>& from) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(job_.width));
    } else {
      Cast(to, from, RoundMode::CAST_NONE, job_.width);
    }
  }
  void narrow(const LocalTensor<T>& to, const Floats& from) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(job_.width));
    } else {
      Cast(to, from, RoundMode::CAST_RINT, job_.width);
    }
  }
  /// What a reduction left, once it has.
  float read_scalar() {
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    return scalar_.Get<float>().GetValue(0);
  }

  Job job_;
  Matrices<T> gm_;
  std::uint32_t padded_ = 0, tile_rows_ = 1;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> x_queue_, x2_queue_;
  TQue<TPosition::VECOUT, 1> sum_queue_, out_queue_;
  TBuf<TPosition::VECCALC> work_, scalar_;
  Floats x_, temp_, gamma_;
};

Job job_of(const Params& params) {
  const std::string op = params.text("op", "");
  Job job{params.number("rows"), params.number("width"), false, false, false, false};
  job.adds = op == "add_rms_norm_dynamic_quant";
  job.normalise = job.adds || op == "rms_norm";
  job.quantise = job.adds || op == "dynamic_quant";
  job.to_int4 = params.text("to", "int8") == "int4";
  if (!job.normalise && !job.quantise) {
    throw std::invalid_argument("no row-wise operation is called " + op);
  }
  return job;
}

template <class T>
std::function<traces::LaunchReport()> prepare_as(sim::Device& device, const Params& params) {
  const Job job = job_of(params);
  const std::uint64_t count = std::uint64_t{job.rows} * job.width;
  Matrices<T> gm{};
  gm.x = allocate<T>(device, count, "x");
  if (job.adds) gm.x2 = allocate<T>(device, count, "x2");
  if (job.adds) gm.sum = allocate<T>(device, count, "sum");
  if (job.normalise) gm.gamma = allocate<float>(device, job.width, "gamma");
  if (job.quantise) {
    gm.quantised = allocate<std::int8_t>(device, count, "quantised");
  } else {
    gm.out = allocate<T>(device, count, "out");
  }
  const std::uint32_t cores = vector_cores(device, params);
  return [=, &device] {
    const isa::KernelEntry entry{"row_wise", isa::KernelType::kAivOnly, nullptr, nullptr};
    return device.launch(entry, cores, {}, [=] { RowWise<T>(job, gm).run(GetBlockIdx(), cores); });
  };
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "half");
  if (type == "float") return prepare_as<float>(device, params);
  if (type == "bfloat16") return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

const KernelRegistrar g_row_wise(
    {"row_wise",
     "op = rms_norm, dynamic_quant or add_rms_norm_dynamic_quant: rows width [type to cores]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
