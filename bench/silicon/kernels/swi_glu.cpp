// SwiGlu, as the vendor's kernel by its published structure: the left half of each row, times its
// sigmoid, times the right half; tiles of rows are dealt to the cores one after the other.
#include "bench/silicon/glu_cut.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// What the host hands over.
struct Tiling {
  std::uint64_t rows, width;
  std::uint32_t tile_rows, tile_width;
  bool whole_blocks;
};

template <class T>
struct Halves {
  T *in, *out;
};

/// What is in UB beside the queues: float is computed in the result's buffer, and divides ones;
/// others are widened, both halves into one buffer.
template <class T, std::uint32_t buffers>
class GluBuffers {
 protected:
  static constexpr bool kWidened = !std::is_same_v<T, float>;

  void init(std::uint32_t elements) {
    pipe_.InitBuffer(left_, buffers, elements * sizeof(T));
    pipe_.InitBuffer(right_, buffers, elements * sizeof(T));
    pipe_.InitBuffer(out_, buffers, elements * sizeof(T));
    pipe_.InitBuffer(work_, elements * sizeof(float));
    if constexpr (kWidened) {
      pipe_.InitBuffer(wide_, elements * sizeof(float));
    } else {
      Duplicate(work_.template Get<float>(), 1.0f, static_cast<std::int32_t>(elements));
    }
  }

  /// One plus the exponential of the negative.
  static void divisor(const LocalTensor<float>& to, const LocalTensor<float>& x,
                      std::int32_t count) {
    Muls(to, x, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Exp(to, to, count);
    PipeBarrier<PIPE_V>();
    Adds(to, to, 1.0f, count);
    PipeBarrier<PIPE_V>();
  }

  void compute(std::int32_t count) {
    auto left = left_.template DeQue<T>();
    auto out = out_.template AllocTensor<T>();
    if constexpr (kWidened) {
      const auto x = work_.template Get<float>(), y = wide_.template Get<float>();
      Cast(x, left, RoundMode::CAST_NONE, static_cast<std::uint32_t>(count));
      PipeBarrier<PIPE_V>();
      left_.FreeTensor(left);
      divisor(y, x, count);
      Div(y, x, y, count);
      PipeBarrier<PIPE_V>();
      auto right = right_.template DeQue<T>();
      Cast(x, right, RoundMode::CAST_NONE, static_cast<std::uint32_t>(count));
      PipeBarrier<PIPE_V>();
      right_.FreeTensor(right);
      Mul(y, y, x, count);
      PipeBarrier<PIPE_V>();
      Cast(out, y, RoundMode::CAST_RINT, static_cast<std::uint32_t>(count));
      PipeBarrier<PIPE_V>();
    } else {
      PipeBarrier<PIPE_V>();
      divisor(out, left, count);
      PipeBarrier<PIPE_V>();
      Div(out, work_.template Get<float>(), out, count);
      PipeBarrier<PIPE_V>();
      Mul(out, out, left, count);
      PipeBarrier<PIPE_V>();
      left_.FreeTensor(left);
      auto right = right_.template DeQue<T>();
      PipeBarrier<PIPE_V>();
      Mul(out, out, right, count);
      PipeBarrier<PIPE_V>();
      right_.FreeTensor(right);
    }
    out_.EnQue(out);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> left_, right_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_, wide_;
};

template <class T, std::uint32_t buffers>
class SwiGlu : GluBuffers<T, buffers> {
  using Base = GluBuffers<T, buffers>;

 public:
  void init(const Tiling& tiling, const Halves<T>& gm) {
    t_ = tiling;
    in_ = global(gm.in, t_.rows * t_.width * 2);
    out_gm_ = global(gm.out, t_.rows * t_.width);
    const std::uint64_t whole_down = t_.rows / t_.tile_rows,
                        whole_across = t_.width / t_.tile_width;
    const auto rows_left = static_cast<std::uint32_t>(t_.rows % t_.tile_rows);
    const auto width_left = static_cast<std::uint32_t>(t_.width % t_.tile_width);
    whole_down_ = whole_down, whole_across_ = whole_across;
    across_ = whole_across + (width_left > 0 ? 1 : 0);
    tiles_ = (whole_down + (rows_left > 0 ? 1 : 0)) * across_;
    kinds_[0] = tile_of(t_.tile_rows, t_.tile_width);
    kinds_[1] = tile_of(t_.tile_rows, width_left);
    kinds_[2] = tile_of(rows_left, t_.tile_width);
    kinds_[3] = tile_of(rows_left, width_left);
    Base::init(t_.tile_rows * padded(t_.tile_width));
  }

  void process() {
    const auto cores = static_cast<std::uint64_t>(GetBlockNum());
    for (std::uint64_t i = static_cast<std::uint64_t>(GetBlockIdx()); i < tiles_; i += cores) {
      const std::uint64_t down = i / across_, along = i % across_;
      const std::uint64_t row = down * t_.tile_rows, col = along * t_.tile_width;
      const std::uint32_t cut_below = down < whole_down_ ? 0 : 2;
      const TileKind& tile = kinds_[cut_below + (along < whole_across_ ? 0 : 1)];
      copy_in(tile, row * t_.width * 2 + col);
      Base::compute(static_cast<std::int32_t>(tile.elements));
      copy_out(tile, row * t_.width + col);
    }
  }

 private:
  /// Tiles that no edge cuts, that the right one, the lower one, or both do.
  struct TileKind {
    std::uint16_t rows, length, apart_in, apart_out;  ///< in DataBlocks, or in bytes
    std::uint32_t elements;
  };

  std::uint32_t padded(std::uint32_t width) const {
    return t_.whole_blocks ? width : round_up(width, 32 / sizeof(T));
  }

  TileKind tile_of(std::uint32_t rows, std::uint32_t width) const {
    const std::uint32_t unit = t_.whole_blocks ? 32 : 1;
    const auto units = [&](std::uint64_t elements) {
      return static_cast<std::uint16_t>(elements * sizeof(T) / unit);
    };
    const bool one = rows == 1;
    return {static_cast<std::uint16_t>(rows), units(width),
            one ? std::uint16_t{0} : units(2 * t_.width - width),
            one ? std::uint16_t{0} : units(t_.width - width), rows * padded(width)};
  }

  void copy_in(const TileKind& tile, std::uint64_t from) {
    const DataCopyParams params(tile.rows, tile.length, tile.apart_in, 0);
    load(this->left_, from, params);
    load(this->right_, from + t_.width, params);
  }
  void load(TQue<TPosition::VECIN, 1>& queue, std::uint64_t from, const DataCopyParams& params) {
    auto half_row = queue.template AllocTensor<T>();
    if (t_.whole_blocks) {
      DataCopy(half_row, in_[from], params);
    } else {
      DataCopyPad(half_row, in_[from], params, DataCopyPadParams{});
    }
    queue.EnQue(half_row);
  }

  void copy_out(const TileKind& tile, std::uint64_t to) {
    const DataCopyParams params(tile.rows, tile.length, 0, tile.apart_out);
    auto result = this->out_.template DeQue<T>();
    if (t_.whole_blocks) {
      DataCopy(out_gm_[to], result, params);
    } else {
      DataCopyPad(out_gm_[to], result, params);
    }
    this->out_.FreeTensor(result);
  }

  Tiling t_;
  GlobalTensor<T> in_, out_gm_;
  std::uint64_t whole_down_, whole_across_, across_, tiles_;
  TileKind kinds_[4];
};

template <class T, std::uint32_t buffers>
void run(const Tiling& tiling, const Halves<T>& gm) {
  SwiGlu<T, buffers> kernel;
  kernel.init(tiling, gm);
  kernel.process();
}

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const GluRows job{params.size("rows"), params.size("width"), sizeof(T)};
  const GluCut cut = GluCut::of(job, vector_cores(device, params));
  const Tiling tiling{job.rows, job.width, static_cast<std::uint32_t>(cut.rows),
                      static_cast<std::uint32_t>(cut.width), job.whole_blocks()};
  const Halves<T> gm{allocate<T>(device, job.rows * job.width * 2, "in"),
                     allocate<T>(device, job.rows * job.width, "out")};
  const Preamble preamble = Preamble::of(device, params, {.tiling = 80});
  const std::function<void()> nothing;
  return launch_of(device, "swi_glu", isa::KernelType::kAivOnly,
                   static_cast<std::uint32_t>(cut.cores), nothing, [=] {
                     // To choose how many buffers there are, and once more by the class that works.
                     preamble();
                     preamble();
                     if (cut.buffers == 2) {
                       run<T, 2>(tiling, gm);
                     } else {
                       run<T, 1>(tiling, gm);
                     }
                   });
}

const KernelRegistrar g_swi_glu(
    typed_kernel("swi_glu", "rows of two halves of width elements: rows width [type cores tiling]",
                 []<class T>(sim::Device& device, const Params& params) {
                   return prepare_as<T>(device, params);
                 }));

}  // namespace
}  // namespace davsim::silicon
