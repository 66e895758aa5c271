// Row by row work of measured kernels, written with the high-level API: SoftMax, TopK, RmsNorm. The
// kinds by basic instructions follow the structure of the vendor's kernels where it is public.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/row_copies.hpp"
#include "lib/activation/softmax.h"
#include "lib/normalization/rmsnorm.h"
#include "lib/sort/topk.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

struct Job {
  std::uint32_t rows, width, k;
  bool softmax, chosen, normalised;
  std::uint32_t tile_rows;

  static Job of(const Params& p) {
    const std::string op = p.text("op", "softmax");
    Job job{p.size("rows"), p.size("width"), p.number("k", 0), false, false, false, 0};
    job.softmax = op == "softmax" || op == "gating";
    job.chosen = op == "topk" || op == "gating";
    job.normalised = op == "rms_norm";
    if (!job.softmax && !job.chosen && !job.normalised)
      throw std::invalid_argument("op is softmax, topk, gating or rms_norm, not " + op);
    return job;
  }
  /// Columns of a row in UB: TopK takes multiples of 32.
  std::uint32_t pitch() const { return round_up(width, 32); }
  std::uint32_t kept() const { return chosen ? round_up(k, 32) : pitch(); }
  /// Of a row: as it comes, in float, results and their numbers.
  std::uint32_t bytes_of_row(std::uint32_t bytes) const {
    return pitch() * (bytes + 8) + kept() * (bytes + 8);
  }
};

template <class T>
struct Matrices {
  T *x, *gamma, *y;
  std::int32_t* numbers;
};

template <class T>
class LibraryRows {
 public:
  LibraryRows(const Job& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    const std::uint32_t in = job.tile_rows * job.pitch(), out = job.tile_rows * job.kept();
    pipe_.InitBuffer(in_, 1, in * sizeof(T));
    pipe_.InitBuffer(out_, 1, out * sizeof(T));
    pipe_.InitBuffer(numbers_, 1, job.chosen ? out * 4 : 32);
    pipe_.InitBuffer(floats_, (2 * in + (job.chosen ? out : 0) + job.pitch()) * 4);
    values_ = floats_.Get<float>();
    results_ = values_[in];
    kept_ = job.chosen ? results_[in] : results_;
    gamma_ = results_[in + (job.chosen ? out : 0)];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.rows, core, cores);
    if (job_.normalised) load_gamma();
    for (std::uint64_t row = mine.begin; row < mine.end; row += job_.tile_rows) {
      tile(row,
           static_cast<std::uint32_t>(std::min<std::uint64_t>(job_.tile_rows, mine.end - row)));
    }
  }

 private:
  void load_gamma() {
    auto in = load(gm_.gamma, 0, 1);
    widen(gamma_, in, job_.pitch());
    in_.FreeTensor(in);
  }

  LocalTensor<T> load(T* from, std::uint64_t row, std::uint32_t rows) {
    auto in = in_.template AllocTensor<T>();
    RowCopies{rows, job_.width, job_.width, job_.pitch()}.load(
        in, global(from, std::uint64_t{job_.rows} * job_.width)[row * job_.width]);
    in_.EnQue(in);
    return in_.template DeQue<T>();
  }

  static void widen(const Floats& to, const LocalTensor<T>& from, std::uint32_t count) {
    if constexpr (sizeof(T) == 4) {
      Adds(to, from, 0.0f, static_cast<std::int32_t>(count));
    } else {
      Cast(to, from, RoundMode::CAST_NONE, count);
    }
    PipeBarrier<PIPE_V>();
  }

  void tile(std::uint64_t row, std::uint32_t rows) {
    auto in = load(gm_.x, row, rows);
    widen(values_, in, rows * job_.pitch());
    in_.FreeTensor(in);
    Floats now = values_;
    if (job_.softmax) {
      const SoftMaxShapeInfo shape{rows, job_.pitch(), rows, job_.width};
      SoftMax<float>(results_, values_, SoftMaxTilingFunc(shape, 4, kScratch), shape);
      now = results_;
    } else if (job_.normalised) {
      RmsNormTiling tiling{};
      tiling.bLength = 1;
      tiling.sLength = rows;
      tiling.hLength = job_.pitch();
      tiling.originalHLength = job_.width;
      RmsNorm<float>(results_, values_, gamma_, 1e-5f, tiling);
      now = results_;
    }
    PipeBarrier<PIPE_V>();
    if (job_.chosen) choose(now, row, rows);
    leave(job_.chosen ? kept_ : now, row, rows);
  }

  void choose(const Floats& from, std::uint64_t row, std::uint32_t rows) {
    auto numbers = numbers_.template AllocTensor<std::int32_t>();
    const auto height = static_cast<std::int32_t>(rows);
    TopK<float>(
        kept_, numbers, from, {}, {}, static_cast<std::int32_t>(job_.k), TopkTiling{},
        {height, static_cast<std::int32_t>(job_.pitch()), static_cast<std::int32_t>(job_.width)});
    numbers_.EnQue(numbers);
    numbers = numbers_.template DeQue<std::int32_t>();
    RowCopies{rows, job_.k, job_.k, round_up(job_.k, 8)}.store(
        global(gm_.numbers, std::uint64_t{job_.rows} * job_.k)[row * job_.k], numbers);
    numbers_.FreeTensor(numbers);
  }

  void leave(const Floats& from, std::uint64_t row, std::uint32_t rows) {
    const std::uint32_t width = job_.chosen ? job_.k : job_.width;
    const std::uint32_t pitch = job_.chosen ? round_up(job_.k, 8) : job_.pitch();
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Adds(out, from, 0.0f, static_cast<std::int32_t>(rows * pitch));
    } else {
      narrow(out, from, rows, pitch);
    }
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    RowCopies{rows, width, width, sizeof(T) == 4 ? pitch : round_up(pitch, 16)}.store(
        global(gm_.y, std::uint64_t{job_.rows} * width)[row * width], out);
    out_.FreeTensor(out);
  }

  /// Rows of an odd number of DataBlocks of floats take a DataBlock more than half of them.
  static void narrow(const LocalTensor<T>& to, const Floats& from, std::uint32_t rows,
                     std::uint32_t pitch) {
    if (pitch % 16 == 0) {
      Cast(to, from, RoundMode::CAST_RINT, rows * pitch);
      return;
    }
    for (std::uint32_t row = 0; row < rows; ++row)
      Cast(to[row * round_up(pitch, 16)], from[row * pitch], RoundMode::CAST_RINT, pitch);
  }

  static constexpr std::uint32_t kScratch = 32 * 1024;

  Job job_;
  Matrices<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_, numbers_;
  TBuf<TPosition::VECCALC> floats_;
  Floats values_, results_, kept_, gamma_;
};

const KernelRegistrar g_library_rows(typed_kernel(
    "library_rows",
    "rows by the high-level API: op=softmax|topk|gating|rms_norm rows width [k type cores]",
    []<class T>(sim::Device& device, const Params& params) {
      Job job = Job::of(params);
      const std::uint32_t cores = busy_cores(job.rows, vector_cores(device, params));
      // What is left is what the functions take for themselves.
      constexpr std::uint32_t kLeft = 64 * 1024;
      job.tile_rows = rows_that_fit(job.bytes_of_row(sizeof(T)), kLeft + 4 * job.pitch(),
                                    static_cast<std::uint32_t>(ceil_div(job.rows, cores)));
      const std::uint64_t elements = std::uint64_t{job.rows} * job.width;
      Matrices<T> gm{};
      gm.x = allocate<T>(device, elements, "x");
      gm.gamma = allocate<T>(device, job.width, "gamma");
      gm.y = allocate<T>(device, elements, "y");
      gm.numbers = allocate<std::int32_t>(device, std::uint64_t{job.rows} * (job.k + 1), "numbers");
      return vector_launch(device, params, "library_rows", {}, cores,
                           [=] { LibraryRows<T>(job, gm).run(GetBlockIdx(), cores); });
    }));

}  // namespace
}  // namespace davsim::silicon
