// Elementwise operators of the vendor's libraries, as kernels of ours: queues of two buffers, tiles
// as large as UB allows, arithmetic in fp32.
#include <array>

#include "bench/silicon/kernels/gelu.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

constexpr std::uint32_t kMostInputs = 4, kMostOutputs = 3;

/// A tile in fp32: its inputs, room for results and for what is in between.
struct Tile {
  Floats in[kMostInputs];
  Floats out[kMostOutputs], temp;
  std::int32_t count;
};

/// 1 / (1 + exp(-x)).
void sigmoid(const Tile& t) {
  Muls(t.out[0], t.in[0], -1.0f, t.count);
  Exp(t.out[0], t.out[0], t.count);
  Adds(t.out[0], t.out[0], 1.0f, t.count);
  Duplicate(t.temp, 1.0f, t.count);
  Div(t.out[0], t.temp, t.out[0], t.count);
}

/// exp(scale x + shift).
void exponential(const Tile& t) {
  Muls(t.out[0], t.in[0], 0.5f, t.count);
  Adds(t.out[0], t.out[0], 1.0f, t.count);
  Exp(t.out[0], t.out[0], t.count);
}

void gelu(const Tile& t) {
  silicon::gelu(t.out[0], t.in[0], t.temp, t.count);
}

/// x tanh(ln(1 + exp x)): ln(1 + exp x) as max(x, 0) + ln(1 + exp(-|x|)), which does not overflow,
/// then tanh y = 1 - 2 / (exp(2 y) + 1).
void mish(const Tile& t) {
  Abs(t.temp, t.in[0], t.count);
  Muls(t.temp, t.temp, -1.0f, t.count);
  Exp(t.temp, t.temp, t.count);
  Adds(t.temp, t.temp, 1.0f, t.count);
  Ln(t.temp, t.temp, t.count);
  Maxs(t.out[0], t.in[0], 0.0f, t.count);
  Add(t.temp, t.temp, t.out[0], t.count);
  Muls(t.temp, t.temp, 2.0f, t.count);
  Exp(t.temp, t.temp, t.count);
  Adds(t.temp, t.temp, 1.0f, t.count);
  Duplicate(t.out[0], -2.0f, t.count);
  Div(t.temp, t.out[0], t.temp, t.count);
  Adds(t.temp, t.temp, 1.0f, t.count);
  Mul(t.out[0], t.temp, t.in[0], t.count);
}

/// a sigmoid(a) b.
void swi_glu(const Tile& t) {
  Muls(t.temp, t.in[0], -1.0f, t.count);
  Exp(t.temp, t.temp, t.count);
  Adds(t.temp, t.temp, 1.0f, t.count);
  Div(t.temp, t.in[0], t.temp, t.count);
  Mul(t.out[0], t.temp, t.in[1], t.count);
}

/// x + scalar y / z.
void addcdiv(const Tile& t) {
  Div(t.temp, t.in[1], t.in[2], t.count);
  Muls(t.temp, t.temp, 2.0f, t.count);
  Add(t.out[0], t.in[0], t.temp, t.count);
}

/// A step of AdamW: weights, first and second moment, gradient.
void apply_adam_w(const Tile& t) {
  const auto& [weight, first, second] = t.out;
  Muls(first, t.in[1], 0.9f, t.count);
  Muls(t.temp, t.in[3], 0.1f, t.count);
  Add(first, first, t.temp, t.count);
  Mul(t.temp, t.in[3], t.in[3], t.count);
  Muls(t.temp, t.temp, 0.001f, t.count);
  Muls(second, t.in[2], 0.999f, t.count);
  Add(second, second, t.temp, t.count);
  Muls(t.temp, second, 1.1f, t.count);
  Sqrt(t.temp, t.temp, t.count);
  Adds(t.temp, t.temp, 1e-8f, t.count);
  Muls(weight, first, 1e-3f, t.count);
  Div(t.temp, weight, t.temp, t.count);
  Muls(weight, t.in[0], 0.99f, t.count);
  Sub(weight, weight, t.temp, t.count);
}

struct Operation {
  const char* name;
  std::uint32_t inputs, outputs;
  void (*compute)(const Tile&);
};
constexpr Operation kOperations[] = {
    {"sigmoid", 1, 1, sigmoid},
    {"exp", 1, 1, exponential},
    {"gelu", 1, 1, gelu},
    {"mish", 1, 1, mish},
    {"swi_glu", 2, 1, swi_glu},
    {"addcdiv", 3, 1, addcdiv},
    {"apply_adam_w", 4, 3, apply_adam_w},
};

const Operation& operation_named(const std::string& name) {
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return operation;
  }
  throw std::invalid_argument("no elementwise operation is called " + name);
}

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
/// pieces: whole rows or columns in whole lines of L2, as the vendor's SwiGlu chooses it.
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

template <class T>
class Elementwise {
 public:
  Elementwise(const Operation& operation, const Sheet& sheet, T* const* in, T* const* out,
              std::uint32_t cores)
      : operation_(operation), s_(sheet) {
    for (std::uint32_t i = 0; i < operation.inputs; ++i)
      in_[i] = global(in[i], sheet.rows * sheet.pitch);
    for (std::uint32_t i = 0; i < operation.outputs; ++i) {
      out_[i] = global(out[i], sheet.rows * sheet.width);
    }
    constexpr bool kNarrow = sizeof(T) < 4;
    const std::uint32_t per_element =
        (operation.inputs + operation.outputs) * 2 * sizeof(T) +
        (kNarrow ? (operation.inputs + operation.outputs + 1) * 4 : 4);
    const std::uint32_t most = 190 * 1024 / per_element / 64 * 64;
    tile_ = sheet.rows > 1 ? best_tile(sheet, most, sizeof(T), cores)
                           : TileShape{1, std::min(sheet.width, most)};
    const std::uint32_t tile = tile_.rows * round_up(tile_.width, kBlock);
    for (std::uint32_t i = 0; i < operation.inputs; ++i)
      pipe_.InitBuffer(in_queue_[i], 2, tile * sizeof(T));
    for (std::uint32_t i = 0; i < operation.outputs; ++i)
      pipe_.InitBuffer(out_queue_[i], 2, tile * sizeof(T));
    const std::uint32_t floats = kNarrow ? operation.inputs + operation.outputs + 1 : 1;
    pipe_.InitBuffer(work_, floats * tile * 4);
    for (std::uint32_t i = 0; i < floats; ++i) float_[i] = work_.Get<float>()[i * tile];
  }

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
    for (std::uint32_t i = 0; i < operation_.inputs; ++i) {
      auto x = in_queue_[i].template AllocTensor<T>();
      DataCopyPad(x, in_[i][from], load, DataCopyPadExtParams<T>{});
      in_queue_[i].EnQue(x);
    }
    compute(rows * (rows > 1 ? round_up(width, kBlock) : width));
    const DataCopyExtParams store(static_cast<std::uint16_t>(rows), bytes, 0,
                                  static_cast<std::uint32_t>((s_.width - width) * sizeof(T)), 0);
    for (std::uint32_t i = 0; i < operation_.outputs; ++i) {
      auto y = out_queue_[i].template DeQue<T>();
      DataCopyPad(out_[i][to], y, store);
      out_queue_[i].FreeTensor(y);
    }
  }

  void compute(std::uint32_t count) {
    LocalTensor<T> in[kMostInputs], out[kMostOutputs];
    for (std::uint32_t i = 0; i < operation_.inputs; ++i) in[i] = in_queue_[i].template DeQue<T>();
    for (std::uint32_t i = 0; i < operation_.outputs; ++i) {
      out[i] = out_queue_[i].template AllocTensor<T>();
    }
    Tile t;
    t.count = static_cast<std::int32_t>(count);
    if constexpr (sizeof(T) == 4) {
      for (std::uint32_t i = 0; i < operation_.inputs; ++i) t.in[i] = in[i];
      for (std::uint32_t i = 0; i < operation_.outputs; ++i) t.out[i] = out[i];
      t.temp = float_[0];
      operation_.compute(t);
    } else {
      for (std::uint32_t i = 0; i < operation_.inputs; ++i) {
        Cast(float_[i], in[i], RoundMode::CAST_NONE, count);
        t.in[i] = float_[i];
      }
      for (std::uint32_t i = 0; i < operation_.outputs; ++i)
        t.out[i] = float_[operation_.inputs + i];
      t.temp = float_[operation_.inputs + operation_.outputs];
      operation_.compute(t);
      for (std::uint32_t i = 0; i < operation_.outputs; ++i) {
        Cast(out[i], t.out[i], RoundMode::CAST_RINT, count);
      }
    }
    for (std::uint32_t i = 0; i < operation_.outputs; ++i) out_queue_[i].EnQue(out[i]);
    for (std::uint32_t i = 0; i < operation_.inputs; ++i) in_queue_[i].FreeTensor(in[i]);
  }

  static constexpr std::uint32_t kBlock = 32 / sizeof(T);

  const Operation& operation_;
  Sheet s_;
  TileShape tile_;
  GlobalTensor<T> in_[kMostInputs], out_[kMostOutputs];
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_queue_[kMostInputs];
  TQue<TPosition::VECOUT, 1> out_queue_[kMostOutputs];
  TBuf<TPosition::VECCALC> work_;
  Floats float_[kMostInputs + kMostOutputs + 1];
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Operation& operation = operation_named(params.text("op", ""));
  Sheet sheet{params.number("rows", 1), params.number("width"), 0};
  sheet.pitch = params.number("pitch", sheet.width);
  const std::uint32_t cores = vector_cores(device, params);
  std::array<T*, kMostInputs> in{};
  std::array<T*, kMostOutputs> out{};
  for (std::uint32_t i = 0; i < operation.inputs; ++i) {
    in[i] = allocate<T>(device, sheet.rows * sheet.pitch, "in");
  }
  for (std::uint32_t i = 0; i < operation.outputs; ++i) {
    out[i] = allocate<T>(device, sheet.rows * sheet.width, "out");
  }
  return vector_launch(device, params, "elementwise", cores, [=, &operation] {
    Elementwise<T>(operation, sheet, in.data(), out.data(), cores).run(GetBlockIdx(), cores);
  });
}

const KernelRegistrar g_elementwise(
    typed_kernel("elementwise",
                 "op over rows of width elements: op width [rows pitch type cores tiling scalars]",
                 []<class T>(sim::Device& device, const Params& params) {
                   return prepare_as<T>(device, params);
                 }));

}  // namespace
}  // namespace davsim::silicon
