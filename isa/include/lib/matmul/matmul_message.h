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
    kScalarA = 1 << 10,  ///< A is one number, the bits of `a`
    kScalarB = 1 << 11,
    kPastL2A = 1 << 12,  ///< by its tensor's hint: L2 keeps no lines of what is read of A
    kPastL2B = 1 << 13,
    kPastL2C = 1 << 14,
  };
  MatmulOp op = MatmulOp::kNone;
  std::uint8_t object = 0;
  std::uint16_t flags = 0;
  std::uint8_t atomic = 0;
  MatmulQuant quant = MatmulQuant::kNone;
  std::uint16_t batches_a = 0;
  std::uint64_t a = 0, b = 0, bias = 0, c = 0;  ///< addresses, or a number
  std::uint32_t m = 0, n = 0, k = 0;
  std::uint32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;
  std::uint64_t quant_word = 0;  ///< the word, or the address of a vector of them
  std::uint64_t user_info = 0, self_data = 0;
  std::uint32_t batches_b = 0;
  std::uint32_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< between products of a batch
  std::uint64_t sparse_index = 0;
  std::uint64_t number = 0;  ///< counts the messages of a vector core from 1

  /// An operand that is one number travels as its bits.
  template <class T>
  static std::uint64_t bits_of(T number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(T));
    return bits;
  }
  template <class T>
  static T number_of(std::uint64_t bits) {
    T number;
    std::memcpy(&number, &bits, sizeof(T));
    return number;
  }
  /// The address of an operand, whose tensor may have a hint against L2.
  template <class T>
  std::uint64_t place_of(const AscendC::GlobalTensor<T>& gm, AscendC::CacheRwMode way, Flag past) {
    const isa::Operand operand = gm.Operand();
    set(past, (operand.no_allocate & static_cast<std::uint8_t>(way)) != 0);
    return operand.addr;
  }
  AscendC::CacheMode cache_mode(Flag past) const {
    using AscendC::CacheMode;
    return has(past) ? CacheMode::CACHE_MODE_DISABLE : CacheMode::CACHE_MODE_NORMAL;
  }
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

/// Elements of a matrix that is stored in `rows` x `cols`; fractals are whole.
template <class Type>
std::uint64_t matmul_stored(std::uint64_t rows, std::uint64_t cols, std::uint64_t fractal) {
  if constexpr (Type::format != AscendC::CubeFormat::NZ) return rows * cols;
  return (rows + 15) / 16 * 16 * ((cols + fractal - 1) / fractal * fractal);
}

/// Matrix `index` of an operand in its layout. Matrices that lie one behind the other have
/// `elements`, or `stride` from one to the next.
template <class Type>
MatmulBatchPlace matmul_batch_place(std::uint64_t index, std::uint64_t stride,
                                    std::uint64_t elements, const MatmulBatchAxes& axes) {
  using AscendC::LayoutMode;
  const std::uint64_t row = axes.n * axes.g * axes.d;
  const std::uint64_t in_row = index % (axes.n * axes.g) * axes.d;
  const std::uint64_t b = index / (axes.n * axes.g);
  if constexpr (Type::layout == LayoutMode::BSNGD) return {b * axes.s * row + in_row, row};
  if constexpr (Type::layout == LayoutMode::SBNGD) return {b * row + in_row, axes.b * row};
  if constexpr (Type::layout == LayoutMode::BNGS1S2) return {index * axes.s * axes.d, axes.d};
  return {index * (stride > 0 ? stride : elements), 0};
}

/// The matrices of A, B and C of a product or a batch: what the calls of the object and the tiling
/// say of them.
template <class Engine>
class MatmulBatch {
 public:
  MatmulBatch(const MatmulMessage& message, const AscendC::tiling::TCubeTiling& tiling)
      : message_(message), t_(tiling) {}

  MatmulBatchPlace a(std::uint64_t index) const {
    return matmul_batch_place<A>(
        index, message_.stride_a, elements<A>(message_.org_m, message_.org_ka, turned_a()),
        axes(t_.ALayoutInfoB, t_.ALayoutInfoS, t_.ALayoutInfoN, t_.ALayoutInfoG, t_.ALayoutInfoD));
  }
  MatmulBatchPlace b(std::uint64_t index) const {
    return matmul_batch_place<B>(
        index, message_.stride_b, elements<B>(message_.org_kb, message_.org_n, turned_b()),
        axes(t_.BLayoutInfoB, t_.BLayoutInfoS, t_.BLayoutInfoN, t_.BLayoutInfoG, t_.BLayoutInfoD));
  }
  MatmulBatchPlace c(std::uint64_t index) const {
    return matmul_batch_place<C>(
        index, message_.stride_c,
        matmul_stored<C>(message_.org_m, message_.org_kc, Engine::kColumnsOfC),
        axes(t_.CLayoutInfoB, t_.CLayoutInfoS1, t_.CLayoutInfoN, t_.CLayoutInfoG,
             t_.CLayoutInfoS2));
  }
  /// Elements from the start of the first matrix to the end of the last of so many; 0: of the one
  /// matrix of a product that is no batch.
  std::uint64_t reach_of_a(std::uint64_t matrices) const {
    if (matrices == 0) return elements<A>(message_.org_m, message_.org_ka, turned_a());
    return reach<A>(a(matrices - 1), message_.org_m, message_.org_ka, turned_a());
  }
  std::uint64_t reach_of_b(std::uint64_t matrices) const {
    if (matrices == 0) return elements<B>(message_.org_kb, message_.org_n, turned_b());
    return reach<B>(b(matrices - 1), message_.org_kb, message_.org_n, turned_b());
  }

 private:
  using A = typename Engine::AOperand;
  using B = typename Engine::BOperand;
  using C = typename Engine::COperand;

  bool turned_a() const { return message_.has(MatmulMessage::kTransA); }
  bool turned_b() const { return message_.has(MatmulMessage::kTransB); }
  static MatmulBatchAxes axes(std::int32_t b, std::int32_t s, std::int32_t n, std::int32_t g,
                              std::int32_t d) {
    const auto size = [](std::int32_t value) {
      return static_cast<std::uint64_t>(std::max(value, 1));
    };
    return {size(b), size(s), size(n), size(g), size(d)};
  }
  template <class Type>
  static std::uint64_t elements(std::uint64_t rows, std::uint64_t cols, bool turned) {
    constexpr std::uint64_t kC0 = 256 / isa::dtype_bits(dtype_of<typename Type::T>());
    return turned ? matmul_stored<Type>(cols, rows, kC0) : matmul_stored<Type>(rows, cols, kC0);
  }
  template <class Type>
  static std::uint64_t reach(const MatmulBatchPlace& last, std::uint64_t rows, std::uint64_t cols,
                             bool turned) {
    if (last.pitch == 0) return last.offset + elements<Type>(rows, cols, turned);
    if (turned) std::swap(rows, cols);
    return last.offset + (rows - 1) * last.pitch + cols;
  }

  const MatmulMessage& message_;
  const AscendC::tiling::TCubeTiling& t_;
};

/// Carries messages out on a cube core. `done(last)` is called behind each block of kIterateEach.
template <class Engine>
class MatmulWorker {
  using TA = typename Engine::TA;
  using TB = typename Engine::TB;
  using TC = typename Engine::TC;

 public:
  Engine engine;

  /// What kIterate returns. `done` counts answers, so that it is the vector core's own.
  template <class Done>
  bool carry_out(const MatmulMessage& message, Done& done, Location where) {
    if (message.op == MatmulOp::kEnd) {
      engine.end(where, false);
      return true;
    }
    take(message);
    const AscendC::GlobalTensor<TC> c = result(message, 0);
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
    hint(engine.a.operand, message.cache_mode(MatmulMessage::kPastL2A));
    hint(engine.b.operand, message.cache_mode(MatmulMessage::kPastL2B));
    number(engine.a.operand, message.has(MatmulMessage::kScalarA), message.a);
    number(engine.b.operand, message.has(MatmulMessage::kScalarB), message.b);
    engine.has_bias = message.has(MatmulMessage::kBias);
    engine.bias.SetGlobalBuffer(reinterpret_cast<typename Engine::TBias*>(message.bias));
    engine.b.operand.index = message.sparse_index;
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
  static void hint(Operand& operand, AscendC::CacheMode mode) {
    if constexpr (!Operand::kFromL1) operand.gm.SetL2CacheHint(mode);
  }
  static AscendC::GlobalTensor<TC> result(const MatmulMessage& message, std::uint64_t offset) {
    AscendC::GlobalTensor<TC> c;
    c.SetGlobalBuffer(reinterpret_cast<TC*>(message.c) + offset);
    c.SetL2CacheHint(message.cache_mode(MatmulMessage::kPastL2C));
    return c;
  }
  template <class Operand>
  static void number(Operand& operand, bool is_number, std::uint64_t bits) {
    operand.number.reset();
    if constexpr (Operand::kMayBeNumber) {
      if (is_number) operand.number = MatmulMessage::number_of<typename Operand::T>(bits);
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
    const MatmulBatch<Engine> places(message, engine.tiling());
    for (std::uint32_t i = 0; i < all; ++i) {
      const MatmulBatchPlace a = places.a(i * message.batches_a / all);
      const MatmulBatchPlace b = places.b(i * message.batches_b / all);
      const MatmulBatchPlace c = places.c(i);
      operand(engine.a.operand, message.a + a.offset * isa::dtype_bits(dtype_of<TA>()) / 8,
              message.has(MatmulMessage::kTransA));
      operand(engine.b.operand, message.b + b.offset * isa::dtype_bits(dtype_of<TB>()) / 8,
              message.has(MatmulMessage::kTransB));
      engine.a.operand.pitch = a.pitch;
      engine.b.operand.pitch = b.pitch;
      engine.c_pitch = c.pitch;
      if (Engine::kConfig.isBiasBatch) {
        engine.bias.SetGlobalBuffer(reinterpret_cast<typename Engine::TBias*>(message.bias) +
                                    std::uint64_t{i} * engine.shape.n);
      }
      all_of(result(message, c.offset), message, where);
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
  void each(const AscendC::GlobalTensor<TC>& c, Done& done, Location where) {
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
