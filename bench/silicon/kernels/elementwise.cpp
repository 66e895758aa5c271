// Elementwise operators of the vendor's libraries, as kernels of ours: queues of two buffers, tiles
// as large as UB allows, arithmetic in fp32 unless the vendor's published expression says
// otherwise.
#include <array>

#include "bench/silicon/kernels/elementwise_operations.hpp"
#include "bench/silicon/kernels/fixed_queue.hpp"
#include "bench/silicon/kernels/foreach.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace elementwise;

/// Matrices of `rows` rows of `width` elements; a row of an input begins `pitch` elements behind
/// the one before.
struct Sheet {
  std::uint64_t rows;
  std::uint32_t width, pitch;
};

/// A tile of several rows, or of a piece of them.
struct TileShape {
  std::uint32_t rows, width;

  std::uint64_t tiles(const Sheet& s) const {
    return ceil_div(s.rows, rows) * ceil_div(s.width, width);
  }
};

/// The tile of at most so many elements that keeps most cores busy, and then is dealt in fewest
/// pieces: whole rows or columns in whole lines of L2.
TileShape best_tile(const Sheet& sheet, std::uint32_t most, std::uint32_t type_bytes,
                    std::uint32_t cores) {
  constexpr std::uint64_t kMostRows = 4095;
  const std::uint32_t line = 512 / type_bytes, block = 32 / type_bytes;
  TileShape best{0, 0};
  std::uint32_t width = std::min(sheet.width, most);
  if (width < sheet.width && width > line) width = width / line * line;
  while (true) {
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {std::max(1u, most / round_up(width, block)), sheet.rows, kMostRows}));
    const TileShape tile{rows, width};
    const auto busy = [&](const TileShape& t) {
      return std::min<std::uint64_t>(t.tiles(sheet), cores);
    };
    if (best.rows == 0 || busy(tile) > busy(best) ||
        (busy(tile) == busy(best) && tile.tiles(sheet) < best.tiles(sheet))) {
      best = tile;
    }
    if (width <= line || rows == sheet.rows) return best;
    width = width % line == 0 ? width - line : width / line * line;
  }
}

/// Buffers of the type that is computed in: temporary ones, and, if the tensors are of another
/// type, one for each tensor.
template <class T, class F>
constexpr std::uint32_t work_buffers(const Operation& operation) {
  return operation.temps + (sizeof(T) < sizeof(F) ? operation.inputs + operation.outputs : 0);
}

/// The host chooses the tile.
template <class T, class F>
TileShape tile_of(const Operation& operation, const Sheet& sheet, std::uint32_t cores) {
  const auto per_element =
      static_cast<std::uint32_t>((operation.inputs + operation.outputs) * 2 * sizeof(T) +
                                 work_buffers<T, F>(operation) * sizeof(F));
  const std::uint32_t most = 186 * 1024 / per_element / 64 * 64;
  return sheet.rows > 1 ? best_tile(sheet, most, sizeof(T), cores)
                        : TileShape{1, std::min(sheet.width, most)};
}

/// `body(0)` to `body(count - 1)`, as straight code.
template <std::uint32_t count, class Body>
void each(Body body) {
  [&]<std::uint32_t... i>(std::integer_sequence<std::uint32_t, i...>) {
    (body(i), ...);
  }
  (std::make_integer_sequence<std::uint32_t, count>());
}

/// The queues of a kernel with TPipe.
template <std::uint32_t inputs, std::uint32_t outputs>
struct PipeQueues {
  static constexpr std::uint32_t kInputs = inputs, kOutputs = outputs;
  using In = TQue<TPosition::VECIN, 1>;
  using Out = TQue<TPosition::VECOUT, 1>;

  void init(std::uint32_t bytes, std::uint32_t work_bytes) {
    each<inputs>([&](std::uint32_t i) { pipe.InitBuffer(in[i], 2, bytes); });
    each<outputs>([&](std::uint32_t i) { pipe.InitBuffer(out[i], 2, bytes); });
    pipe.InitBuffer(work_buffer, work_bytes);
    work = work_buffer.Get<std::uint8_t>();
  }
  void end() {}

  TPipe pipe;
  In in[inputs];
  Out out[outputs];
  TBuf<TPosition::VECCALC> work_buffer;
  LocalTensor<std::uint8_t> work;
};

/// The queues of a kernel that a compiler made of an expression.
template <std::uint32_t inputs, std::uint32_t outputs>
struct FixedQueues {
  static constexpr std::uint32_t kInputs = inputs, kOutputs = outputs;
  using In = FixedQueue<HardEvent::MTE2_V, HardEvent::V_MTE2>;
  using Out = FixedQueue<HardEvent::V_MTE3, HardEvent::MTE3_V>;

  void init(std::uint32_t bytes, std::uint32_t work_bytes) {
    each<inputs>([&](std::uint32_t i) { in[i].init(2 * i * bytes, bytes, i); });
    each<outputs>([&](std::uint32_t i) { out[i].init(2 * (inputs + i) * bytes, bytes, i); });
    work = local<std::uint8_t>(TPosition::VECCALC, 2 * (inputs + outputs) * bytes, work_bytes);
  }
  void end() {
    each<inputs>([&](std::uint32_t i) { in[i].end(); });
    each<outputs>([&](std::uint32_t i) { out[i].end(); });
  }

  In in[inputs];
  Out out[outputs];
  LocalTensor<std::uint8_t> work;
};

/// Tensors of T, computed in F.
template <class T, class F, class Queues>
class Elementwise {
 public:
  Elementwise(const Operation& operation, const Sheet& sheet, const TileShape& shape, T* const* in,
              T* const* out)
      : operation_(operation), s_(sheet), tile_(shape) {
    each<kInputs>([&](std::uint32_t i) { in_[i] = global(in[i], sheet.rows * sheet.pitch); });
    each<kOutputs>([&](std::uint32_t i) { out_[i] = global(out[i], sheet.rows * sheet.width); });
    // Comparisons take whole repeats.
    const std::uint32_t tile = round_up(tile_.rows * round_up(tile_.width, kBlock), 64);
    const std::uint32_t buffers = work_buffers<T, F>(operation), buffer_bytes = tile * sizeof(F);
    queues_.init(tile * sizeof(T), buffers * buffer_bytes + round_up(tile / 8, 32));
    for (std::uint32_t i = 0; i < buffers; ++i) {
      work_[i] = queues_.work[i * buffer_bytes].template ReinterpretCast<F>();
    }
    bits_ = queues_.work[buffers * buffer_bytes];
  }
  ~Elementwise() { queues_.end(); }

  /// One row is cut into pieces, several are dealt in tiles.
  void run(std::uint64_t core, std::uint64_t cores) {
    if (s_.rows == 1) {
      constexpr std::uint64_t kPiece = 512 / sizeof(T);
      const Share mine = share_of(ceil_div(s_.width, kPiece), core, cores);
      const std::uint64_t end = std::min<std::uint64_t>(s_.width, mine.end * kPiece);
      for (std::uint64_t at = mine.begin * kPiece; at < end; at += tile_.width) {
        tile(at, at, 1, static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_.width, end - at)));
      }
      return;
    }
    const std::uint64_t across = ceil_div(s_.width, tile_.width);
    for (std::uint64_t i = core; i < tile_.tiles(s_); i += cores) {
      const std::uint64_t row = i / across * tile_.rows;
      const auto col = static_cast<std::uint32_t>(i % across * tile_.width);
      tile(row * s_.pitch + col, row * s_.width + col,
           static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_.rows, s_.rows - row)),
           std::min(tile_.width, s_.width - col));
    }
  }

 private:
  void tile(std::uint64_t from, std::uint64_t to, std::uint32_t rows, std::uint32_t width) {
    const auto bytes = static_cast<std::uint32_t>(width * sizeof(T));
    const DataCopyExtParams load(static_cast<std::uint16_t>(rows), bytes,
                                 static_cast<std::uint32_t>((s_.pitch - width) * sizeof(T)), 0, 0);
    each<kInputs>([&](std::uint32_t i) {
      auto x = queues_.in[i].template AllocTensor<T>();
      DataCopyPad(x, in_[i][from], load, DataCopyPadExtParams<T>{});
      queues_.in[i].EnQue(x);
    });
    compute(rows * (rows > 1 ? round_up(width, kBlock) : width));
    const DataCopyExtParams store(static_cast<std::uint16_t>(rows), bytes, 0,
                                  static_cast<std::uint32_t>((s_.width - width) * sizeof(T)), 0);
    each<kOutputs>([&](std::uint32_t i) {
      auto y = queues_.out[i].template DeQue<T>();
      DataCopyPad(out_[i][to], y, store);
      queues_.out[i].FreeTensor(y);
    });
  }

  void compute(std::uint32_t count) {
    LocalTensor<T> in[kInputs], out[kOutputs];
    each<kInputs>([&](std::uint32_t i) { in[i] = queues_.in[i].template DeQue<T>(); });
    each<kOutputs>([&](std::uint32_t i) { out[i] = queues_.out[i].template AllocTensor<T>(); });
    Tile<F> t;
    t.count = static_cast<std::int32_t>(count);
    t.bits = bits_;
    each<kMostTemps>([&](std::uint32_t i) { t.temp[i] = work_[i]; });
    if constexpr (std::is_same_v<T, F>) {
      each<kInputs>([&](std::uint32_t i) { t.in[i] = in[i]; });
      each<kOutputs>([&](std::uint32_t i) { t.out[i] = out[i]; });
      evaluate(t);
    } else {
      each<kInputs>([&](std::uint32_t i) {
        t.in[i] = work_[operation_.temps + i];
        Cast(t.in[i], in[i], RoundMode::CAST_NONE, count);
      });
      each<kOutputs>([&](std::uint32_t i) { t.out[i] = work_[operation_.temps + kInputs + i]; });
      evaluate(t);
      each<kOutputs>([&](std::uint32_t i) { Cast(out[i], t.out[i], RoundMode::CAST_RINT, count); });
    }
    each<kOutputs>([&](std::uint32_t i) { queues_.out[i].EnQue(out[i]); });
    each<kInputs>([&](std::uint32_t i) { queues_.in[i].FreeTensor(in[i]); });
  }

  void evaluate(const Tile<F>& tile) {
    if constexpr (std::is_same_v<F, half>) {
      operation_.compute_half(tile);
    } else {
      operation_.compute(tile);
    }
  }

  static constexpr std::uint32_t kBlock = 32 / sizeof(T);
  static constexpr std::uint32_t kInputs = Queues::kInputs, kOutputs = Queues::kOutputs;

  const Operation& operation_;
  Sheet s_;
  TileShape tile_;
  GlobalTensor<T> in_[kInputs], out_[kOutputs];
  Queues queues_;
  LocalTensor<F> work_[kMostTemps + kInputs + kOutputs];
  LocalTensor<std::uint8_t> bits_;
};

template <class T, class F, class Queues>
Launch launch_as(sim::Device& device, const Params& params, const Operation& operation,
                 const Sheet& sheet) {
  const std::uint32_t cores = vector_cores(device, params);
  std::array<T*, kMostInputs> in{};
  std::array<T*, kMostOutputs> out{};
  for (std::uint32_t i = 0; i < operation.inputs; ++i) {
    in[i] = allocate<T>(device, sheet.rows * sheet.pitch, "in");
  }
  for (std::uint32_t i = 0; i < operation.outputs; ++i) {
    out[i] = operation.in_place ? in[i] : allocate<T>(device, sheet.rows * sheet.width, "out");
  }
  const TileShape tile = tile_of<T, F>(operation, sheet, cores);
  return vector_launch(device, params, "elementwise", operation.reads, cores, [=, &operation] {
    Elementwise<T, F, Queues>(operation, sheet, tile, in.data(), out.data())
        .run(GetBlockIdx(), cores);
  });
}

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Operation& operation = operation_of(params);
  if constexpr (std::is_same_v<T, float>) {
    if (operation.foreach) return foreach_launch(device, params, params.size("width"));
  }
  Sheet sheet{params.size("rows", 1), params.size("width"), 0};
  sheet.pitch = params.size("pitch", sheet.width);
  if (sheet.pitch < sheet.width) {
    throw std::invalid_argument("parameter pitch is " + std::to_string(sheet.pitch) +
                                ", rows of width=" + std::to_string(sheet.width) +
                                " begin at least as far apart");
  }
  if constexpr (std::is_same_v<T, half>) {
    if (operation.compute_half != nullptr) {
      return launch_as<T, half, FixedQueues<4, 3>>(device, params, operation, sheet);
    }
  }
  // Operators of one or of four inputs are tensor expressions of the vendor's, which a compiler
  // turns into kernels without TPipe.
  switch (operation.inputs) {
    case 1:
      return launch_as<T, float, FixedQueues<1, 1>>(device, params, operation, sheet);
    case 3:
      return launch_as<T, float, PipeQueues<3, 1>>(device, params, operation, sheet);
    default:
      return launch_as<T, float, FixedQueues<4, 3>>(device, params, operation, sheet);
  }
}

const KernelRegistrar g_elementwise(
    typed_kernel("elementwise",
                 "op over rows of width elements: op width [base rows pitch type cores tiling "
                 "scalars]",
                 []<class T>(sim::Device& device, const Params& params) {
                   return prepare_as<T>(device, params);
                 }));

}  // namespace
}  // namespace davsim::silicon
