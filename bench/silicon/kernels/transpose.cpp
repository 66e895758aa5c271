// Matrices transposed: tiles of rows come into UB, their 16 x 16 corners are turned there
// (TransDataTo5HD), and columns leave as rows.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/row_copies.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// `batches` matrices of `rows` rows. T has two or four bytes.
struct Job {
  std::uint32_t batches, rows, cols, tile_rows, tile_cols;

  static Job of(const Params& p, std::uint32_t type_bytes) {
    // Two buffers for the tile and for what it becomes.
    Job job{p.number("batches", 1), p.size("rows"), p.size("cols"), 128, 256 / type_bytes};
    job.tile_rows = std::min(job.tile_rows, round_up(job.rows, 16));
    job.tile_cols = std::min(job.tile_cols, round_up(job.cols, 32 / type_bytes));
    return job;
  }
  std::uint64_t tiles() const {
    return batches * ceil_div(rows, tile_rows) * ceil_div(cols, tile_cols);
  }
};

template <class T>
class TransposeCore {
 public:
  TransposeCore(const Job& job, T* x, T* y) : job_(job) {
    const std::uint64_t all = std::uint64_t{job.batches} * job.rows * job.cols;
    x_ = global(x, all);
    y_ = global(y, all);
    pipe_.InitBuffer(in_, 2, job.tile_rows * job.tile_cols * sizeof(T));
    pipe_.InitBuffer(out_, 2, job.tile_rows * job.tile_cols * sizeof(T));
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.tiles(), core, cores);
    const std::uint64_t across = ceil_div(job_.cols, job_.tile_cols),
                        down = ceil_div(job_.rows, job_.tile_rows);
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
      const auto row = static_cast<std::uint32_t>(i / across % down) * job_.tile_rows,
                 col = static_cast<std::uint32_t>(i % across) * job_.tile_cols;
      tile(i / across / down * job_.rows * job_.cols, row, col);
    }
  }

 private:
  static constexpr std::uint32_t kBlock = 32 / sizeof(T);

  void tile(std::uint64_t matrix, std::uint32_t row, std::uint32_t col) {
    const std::uint32_t rows = std::min(job_.tile_rows, job_.rows - row),
                        cols = std::min(job_.tile_cols, job_.cols - col);
    auto in = in_.template AllocTensor<T>();
    RowCopies{rows, cols, job_.cols, job_.tile_cols}.load(
        in, x_[matrix + std::uint64_t{row} * job_.cols + col]);
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    auto out = out_.template AllocTensor<T>();
    turn(out, in, rows, cols);
    in_.FreeTensor(in);
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    RowCopies{cols, rows, job_.rows, job_.tile_rows}.store(
        y_[matrix + std::uint64_t{col} * job_.rows + row], out);
    out_.FreeTensor(out);
  }

  /// Sixteen rows become columns by one instruction, a DataBlock of each row a repeat.
  void turn(const LocalTensor<T>& to, const LocalTensor<T>& from, std::uint32_t rows,
            std::uint32_t cols) {
    const auto repeats = static_cast<std::uint8_t>(ceil_div(cols, kBlock));
    const auto to_stride = static_cast<std::uint16_t>(repeats > 1 ? job_.tile_rows : 0);
    const TransDataTo5HDParams params(false, false, repeats, to_stride, repeats > 1 ? 1 : 0);
    for (std::uint32_t band = 0; band < rows; band += 16) {
      LocalTensor<T> dst[16], src[16];
      for (std::uint32_t i = 0; i < 16; ++i) {
        src[i] = from[(band + i) * job_.tile_cols];
        // A column of 16 elements is one DataBlock of two bytes each, or two of four.
        if constexpr (sizeof(T) == 2) {
          dst[i] = to[i * job_.tile_rows + band];
        } else {
          dst[i] = to[i / 2 * job_.tile_rows + band + i % 2 * 8];
        }
      }
      TransDataTo5HD(dst, src, params);
    }
  }

  Job job_;
  GlobalTensor<T> x_, y_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
};

const KernelRegistrar g_transpose(typed_kernel(
    "transpose", "matrices with rows as columns: rows cols [batches type cores]",
    []<class T>(sim::Device& device, const Params& params) {
      // Nothing is computed: bfloat16 moves as half.
      using Moved = std::conditional_t<std::is_same_v<T, bfloat16_t>, half, T>;
      const Job job = Job::of(params, sizeof(Moved));
      const std::uint64_t elements = std::uint64_t{job.batches} * job.rows * job.cols;
      Moved* const x = allocate<Moved>(device, elements, "x");
      Moved* const y = allocate<Moved>(device, elements, "y");
      const std::uint32_t cores = busy_cores(job.tiles(), vector_cores(device, params));
      return vector_launch(device, params, "transpose", {}, cores,
                           [=] { TransposeCore<Moved>(job, x, y).run(GetBlockIdx(), cores); });
    }));

}  // namespace
}  // namespace davsim::silicon
