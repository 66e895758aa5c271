// What a call of a Matmul object asks a cube core for. On a cube core the call is carried out at
// once; a vector core sends it as a message through global memory.
#pragma once

#include "lib/matmul/matmul_engine.h"

namespace davsim::api {

enum class MatmulOp : std::uint8_t {
  kNone,
  kInit,         ///< the tiling lies behind the message
  kIterate,      ///< the next base block
  kGet,          ///< the block to C
  kIterateAll,   ///< all blocks to C
  kIterateEach,  ///< all blocks one behind the other, each announced
  kBatch,        ///< several products
  kEnd,
  kQuit,  ///< the vector core sends nothing more
  kCopy,  ///< a copy into L1, see MatmulCopy
};

/// A message. Everything that the object's setters said goes along each time.
struct MatmulMessage {
  enum Flag : std::uint16_t {
    kTransA = 1 << 0,
    kTransB = 1 << 1,
    kBias = 1 << 2,
    kRestart = 1 << 3,  ///< an operand or the shape was set since the last message
    kSequential = 1 << 4,
    kPartial = 1 << 5,
    kAnswer = 1 << 6,  ///< the vector core waits for the end of this
    kWordsInL1 = 1 << 7,
    kHf32 = 1 << 8,
    kHf32Away = 1 << 9,
  };
  MatmulOp op = MatmulOp::kNone;
  std::uint8_t object = 0;
  std::uint16_t flags = 0;
  std::uint8_t atomic = 0;
  MatmulQuant quant = MatmulQuant::kNone;
  std::uint16_t batches_a = 0;
  std::uint64_t a = 0, b = 0, bias = 0, c = 0;  ///< addresses
  std::uint32_t m = 0, n = 0, k = 0;
  std::uint32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;
  std::uint64_t quant_word = 0;  ///< the word, or the address of a vector of them
  std::uint64_t user_info = 0, self_data = 0;
  std::uint32_t batches_b = 0;
  std::uint32_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< between products of a batch
  std::uint64_t reserved = 0;
  std::uint64_t number = 0;  ///< counts the messages of a vector core from 1

  bool has(Flag flag) const { return (flags & flag) != 0; }
  void set(Flag flag, bool on) {
    flags = static_cast<std::uint16_t>(on ? flags | flag : flags & ~flag);
  }
};
static_assert(sizeof(MatmulMessage) == 128, "a message is two lines of the data cache");

/// Where a matrix of a batch begins, and the elements between its rows; 0: as wide as it is.
struct MatmulBatchPlace {
  std::uint64_t offset = 0, pitch = 0;
};
/// Sizes of an operand of several axes: S rows of D elements for each of B, N and G.
struct MatmulBatchAxes {
  std::uint64_t b, s, n, g, d;
};

/// Matrix `index` of an operand in its layout. Matrices that lie one behind the other have `rows` x
/// `cols` elements, or `stride` from one to the next.
template <class Type>
MatmulBatchPlace matmul_batch_place(std::uint64_t index, std::uint64_t stride, std::uint64_t rows,
                                    std::uint64_t cols, const MatmulBatchAxes& axes) {
  using AscendC::LayoutMode;
  const std::uint64_t row = axes.n * axes.g * axes.d;
  const std::uint64_t in_row = index % (axes.n * axes.g) * axes.d;
  const std::uint64_t b = index / (axes.n * axes.g);
  if constexpr (Type::layout == LayoutMode::BSNGD) return {b * axes.s * row + in_row, row};
  if constexpr (Type::layout == LayoutMode::SBNGD) return {b * row + in_row, axes.b * row};
  if constexpr (Type::layout == LayoutMode::BNGS1S2) return {index * axes.s * axes.d, axes.d};
  if constexpr (Type::format == AscendC::CubeFormat::NZ) {
    rows = (rows + 15) / 16 * 16;
    cols = (cols + 15) / 16 * 16;
  }
  return {index * (stride > 0 ? stride : rows * cols), 0};
}

/// Carries messages out on a cube core. `done(last)` is called behind each block of kIterateEach.
template <class Engine>
class MatmulWorker {
  using TA = typename Engine::TA;
  using TB = typename Engine::TB;
  using TC = typename Engine::TC;

 public:
  Engine engine;

  /// What kIterate returns.
  template <class Done>
  bool carry_out(const MatmulMessage& message, Done done, Location where) {
    if (message.op == MatmulOp::kEnd) {
      engine.end(where, false);
      return true;
    }
    take(message);
    AscendC::GlobalTensor<TC> c;
    c.SetGlobalBuffer(reinterpret_cast<TC*>(message.c));
    const bool sequential = message.has(MatmulMessage::kSequential);
    switch (message.op) {
      case MatmulOp::kIterate:
        return engine.iterate(message.has(MatmulMessage::kPartial), where);
      case MatmulOp::kGet:
        engine.get(c, message.atomic, sequential, where);
        return true;
      case MatmulOp::kIterateAll:
        all(c, message.atomic, sequential, where);
        return true;
      case MatmulOp::kIterateEach:
        each(c, done, where);
        return true;
      case MatmulOp::kBatch:
        batch(message, where);
        return true;
      default:
        return true;
    }
  }

 private:
  void take(const MatmulMessage& message) {
    if (message.has(MatmulMessage::kRestart)) engine.restart();
    operand(engine.a.operand, message.a, message.has(MatmulMessage::kTransA));
    operand(engine.b.operand, message.b, message.has(MatmulMessage::kTransB));
    engine.has_bias = message.has(MatmulMessage::kBias);
    engine.bias.SetGlobalBuffer(reinterpret_cast<typename Engine::TBias*>(message.bias));
    engine.shape = {message.m,     message.n,      message.k,      message.org_m,
                    message.org_n, message.org_ka, message.org_kb, message.org_kc};
    engine.hf32 = message.has(MatmulMessage::kHf32);
    engine.hf32_away = message.has(MatmulMessage::kHf32Away);
    engine.user_info = message.user_info;
    engine.self_data = message.self_data;
    engine.conversion.quant = message.quant;
    engine.conversion.scalar = message.quant_word;
    engine.conversion.words_in_l1 = message.has(MatmulMessage::kWordsInL1);
    if (message.quant != MatmulQuant::kVector) return;
    if (engine.conversion.words_in_l1) {
      engine.conversion.l1_words = AscendC::LocalTensor<std::uint64_t>(
          AscendC::TPosition::A1, static_cast<std::uint32_t>(message.quant_word), message.n);
    } else {
      engine.conversion.words.SetGlobalBuffer(reinterpret_cast<std::uint64_t*>(message.quant_word));
    }
  }

  template <class Operand>
  static void operand(Operand& operand, std::uint64_t address, bool transposed) {
    using T = typename Operand::T;
    operand.transposed = transposed;
    if constexpr (Operand::kFromL1) {
      constexpr std::uint32_t kAll = AscendC::TOTAL_L1_SIZE;
      const auto at = static_cast<std::uint32_t>(address);
      operand.l1 = AscendC::LocalTensor<T>(AscendC::TPosition::TSCM, at,
                                           at < kAll ? (kAll - at) * 8 / Operand::kBits : 0);
    } else {
      operand.gm.SetGlobalBuffer(reinterpret_cast<T*>(address));
    }
  }

  /// The products of a batch one after the other. Where A and B have different numbers of matrices,
  /// each of the fewer serves several of the others in a row.
  void batch(const MatmulMessage& message, Location where) {
    const std::uint32_t all = std::max<std::uint32_t>(message.batches_a, message.batches_b);
    const TCubeTiling& t = engine.tiling();
    const auto size = [](std::int32_t value) {
      return static_cast<std::uint32_t>(std::max(value, 1));
    };
    const MatmulShape& s = engine.shape;
    for (std::uint32_t i = 0; i < all; ++i) {
      const MatmulBatchPlace a = matmul_batch_place<typename Engine::AOperand>(
          i * message.batches_a / all, message.stride_a, s.org_m, s.org_ka,
          {size(t.ALayoutInfoB), size(t.ALayoutInfoS), size(t.ALayoutInfoN), size(t.ALayoutInfoG),
           size(t.ALayoutInfoD)});
      const MatmulBatchPlace b = matmul_batch_place<typename Engine::BOperand>(
          i * message.batches_b / all, message.stride_b, s.org_kb, s.org_n,
          {size(t.BLayoutInfoB), size(t.BLayoutInfoS), size(t.BLayoutInfoN), size(t.BLayoutInfoG),
           size(t.BLayoutInfoD)});
      const MatmulBatchPlace c = matmul_batch_place<typename Engine::COperand>(
          i, message.stride_c, s.org_m, s.org_kc,
          {size(t.CLayoutInfoB), size(t.CLayoutInfoS1), size(t.CLayoutInfoN), size(t.CLayoutInfoG),
           size(t.CLayoutInfoS2)});
      operand(engine.a.operand, message.a + a.offset * isa::dtype_bits(dtype_of<TA>()) / 8,
              message.has(MatmulMessage::kTransA));
      operand(engine.b.operand, message.b + b.offset * isa::dtype_bits(dtype_of<TB>()) / 8,
              message.has(MatmulMessage::kTransB));
      engine.a.operand.pitch = a.pitch;
      engine.b.operand.pitch = b.pitch;
      engine.c_pitch = c.pitch;
      if (Engine::kConfig.isBiasBatch) {
        engine.bias.SetGlobalBuffer(reinterpret_cast<typename Engine::TBias*>(message.bias) +
                                    std::uint64_t{i} * s.n);
      }
      AscendC::GlobalTensor<TC> to;
      to.SetGlobalBuffer(reinterpret_cast<TC*>(message.c) + c.offset);
      all_of(to, message, where);
    }
    engine.a.operand.pitch = engine.b.operand.pitch = engine.c_pitch = 0;
  }
  void all_of(const AscendC::GlobalTensor<TC>& to, const MatmulMessage& message, Location where) {
    all(to, message.atomic, message.has(MatmulMessage::kSequential), where);
  }

  /// Elements of a base block that is stored by itself.
  std::uint64_t block_size() const {
    return std::uint64_t{static_cast<std::uint32_t>(engine.tiling().baseM)} *
           static_cast<std::uint32_t>(engine.tiling().baseN);
  }

  void all(const AscendC::GlobalTensor<TC>& c, std::uint8_t atomic, bool sequential,
           Location where) {
    engine.restart();
    for (std::uint64_t block = 0; engine.iterate(false, where); ++block) {
      engine.get(sequential ? c[block * block_size()] : c, atomic, sequential, where);
    }
  }

  /// A block is announced when the next one has been queued.
  template <class Done>
  void each(const AscendC::GlobalTensor<TC>& c, Done done, Location where) {
    engine.restart();
    for (std::uint64_t block = 0; engine.iterate(false, where); ++block) {
      if (block > 0) done.announce(where);
      engine.get(c[block * block_size()], 0, true, where);
      done.mark(where);
    }
    done.announce(where);
  }
};

}  // namespace davsim::api
