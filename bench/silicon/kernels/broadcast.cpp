// The larger of two matrices element by element, where the second may be a row for all rows, or a
// number for each row.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/row_copies.hpp"
#include "kernels/common/row_wise.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct MaxOp {
  template <class T>
  static void Call(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b,
                   std::uint64_t mask, std::uint8_t repeats, const BinaryRepeatParams& strides) {
    Max(dst, a, b, mask, repeats, strides);
  }
};

enum class Second { kMatrix, kRow, kColumn };

Second second_named(const std::string& name) {
  if (name == "matrix") return Second::kMatrix;
  if (name == "row") return Second::kRow;
  if (name == "column") return Second::kColumn;
  throw std::invalid_argument("maximum: second=" + name + "; it is matrix, row or column");
}

struct Job {
  std::uint32_t rows, width, piece, tile_rows;  ///< `piece`: columns of a tile
  Second second;

  static Job of(const Params& p, std::uint32_t type_bytes, std::uint32_t cores) {
    Job job{p.number("rows", 1), p.size("width"), 0, 0, second_named(p.text("second", "matrix"))};
    // Two buffers of both inputs and of the result, and as much again where they are computed in
    // float.
    constexpr std::uint32_t kMostColumns = 4096;
    job.piece = std::min(round_up(job.width, 64), kMostColumns);
    const std::uint32_t row_bytes = job.piece * (6 * type_bytes + 3 * 4);
    job.tile_rows =
        rows_that_fit(row_bytes, 0, static_cast<std::uint32_t>(ceil_div(job.rows, cores)));
    return job;
  }
  std::uint64_t tiles() const { return ceil_div(rows, tile_rows) * ceil_div(width, piece); }
};

/// bfloat16 is computed in float.
template <class T>
using ComputedIn = std::conditional_t<std::is_same_v<T, bfloat16_t>, float, T>;

template <class T>
class MaximumCore {
 public:
  MaximumCore(const Job& job, T* a, T* b, T* c) : job_(job), a_(a), b_(b), c_(c) {
    const std::uint32_t elements = job.tile_rows * job.piece;
    pipe_.InitBuffer(in_, 2, elements * sizeof(T));
    pipe_.InitBuffer(second_, 2,
                     (job.second == Second::kMatrix ? elements : job.piece) * sizeof(T));
    pipe_.InitBuffer(out_, 2, elements * sizeof(T));
    pipe_.InitBuffer(work_, 3 * elements * 4);
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const std::uint64_t across = ceil_div(job_.width, job_.piece);
    for (std::uint64_t i = core; i < job_.tiles(); i += cores) {
      const auto row = static_cast<std::uint32_t>(i / across) * job_.tile_rows,
                 col = static_cast<std::uint32_t>(i % across) * job_.piece;
      tile(row, col,
           {std::min(job_.tile_rows, job_.rows - row), std::min(job_.piece, job_.width - col),
            job_.width, job_.piece});
    }
  }

 private:
  using F = ComputedIn<T>;

  void tile(std::uint64_t row, std::uint32_t col, const RowCopies& rows) {
    const std::uint64_t all = std::uint64_t{job_.rows} * job_.width, at = row * job_.width + col;
    auto a = in_.template AllocTensor<T>();
    rows.load(a, global(a_, all)[at]);
    in_.EnQue(a);
    auto b = second_.template AllocTensor<T>();
    if (job_.second == Second::kMatrix) rows.load(b, global(b_, all)[at]);
    if (job_.second == Second::kRow) {
      RowCopies{1, rows.width, job_.width, job_.piece}.load(b, global(b_, job_.width)[col]);
    }
    if (job_.second == Second::kColumn) {
      RowCopies{1, rows.rows, rows.rows, job_.piece}.load(b, global(b_, job_.rows)[row]);
    }
    second_.EnQue(b);
    a = in_.template DeQue<T>();
    b = second_.template DeQue<T>();
    auto c = out_.template AllocTensor<T>();
    compute(c, a, b, rows);
    in_.FreeTensor(a);
    second_.FreeTensor(b);
    out_.EnQue(c);
    c = out_.template DeQue<T>();
    rows.store(global(c_, all)[at], c);
    out_.FreeTensor(c);
  }

  void compute(const LocalTensor<T>& c, const LocalTensor<T>& a, const LocalTensor<T>& b,
               const RowCopies& rows) {
    if constexpr (std::is_same_v<T, F>) {
      maximum(c, a, b, rows);
    } else {
      const std::uint32_t elements = rows.rows * job_.piece,
                          seconds = job_.second == Second::kMatrix ? elements : job_.piece;
      const auto x = work_.template Get<F>();
      const auto y = x[job_.tile_rows * job_.piece], z = y[job_.tile_rows * job_.piece];
      Cast(x, a, RoundMode::CAST_NONE, elements);
      Cast(y, b, RoundMode::CAST_NONE, seconds);
      PipeBarrier<PIPE_V>();
      maximum(z, x, y, rows);
      PipeBarrier<PIPE_V>();
      Cast(c, z, RoundMode::CAST_RINT, elements);
    }
  }

  void maximum(const LocalTensor<F>& c, const LocalTensor<F>& a, const LocalTensor<F>& b,
               const RowCopies& rows) {
    using kernel_common::Rows;
    const auto elements = static_cast<std::int32_t>(rows.rows * job_.piece);
    switch (job_.second) {
      case Second::kMatrix:
        Max(c, a, b, elements);
        return;
      case Second::kRow:
        kernel_common::RowWise<MaxOp>(Rows<F>{c, job_.piece}, Rows<F>{a, job_.piece},
                                      kernel_common::SameRow(b), rows.rows, rows.width);
        return;
      case Second::kColumn:
        SetFlag<HardEvent::V_S>(EVENT_ID4);
        WaitFlag<HardEvent::V_S>(EVENT_ID4);
        for (std::uint32_t row = 0; row < rows.rows; ++row) {
          Maxs(c[row * job_.piece], a[row * job_.piece], b.GetValue(row),
               static_cast<std::int32_t>(rows.width));
        }
    }
  }

  Job job_;
  T *a_, *b_, *c_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, second_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
};

const KernelRegistrar g_maximum(typed_kernel(
    "maximum", "larger of two matrices, the second=matrix, row or column: rows width [type cores]",
    []<class T>(sim::Device& device, const Params& params) {
      const Job job = Job::of(params, sizeof(T), vector_cores(device, params));
      const std::uint64_t elements = std::uint64_t{job.rows} * job.width;
      T* const a = allocate<T>(device, elements, "a");
      T* const b = allocate<T>(device,
                               job.second == Second::kMatrix ? elements
                               : job.second == Second::kRow  ? job.width
                                                             : job.rows,
                               "b");
      T* const c = allocate<T>(device, elements, "c");
      const std::uint32_t cores = busy_cores(job.tiles(), vector_cores(device, params));
      return vector_launch(device, params, "maximum", {}, cores,
                           [=] { MaximumCore<T>(job, a, b, c).run(GetBlockIdx(), cores); });
    }));

}  // namespace
}  // namespace davsim::silicon
