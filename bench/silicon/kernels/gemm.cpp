// The matrix products of the vendor's samples: C = A x B from base tiles, as its Matmul interface
// cuts them. Its templates differ in what L1 holds: "Norm" loads a base tile of A and B for each
// product and has one buffer for each; "MDL" loads several along k at once, into two buffers.
#include "bench/silicon/kernels/gm.hpp"
#include "kernels/matmul/operand_loads.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using kernel_matmul::Chunk;
using kernel_matmul::Extent;

struct Gemm {
  std::uint32_t m, n, k;
  std::uint32_t base_m, base_n, base_k;
  std::uint32_t step_k;   ///< base tiles along k that are loaded at once
  std::uint32_t depth;    ///< buffers of A and of B in L1
  std::uint32_t split_m;  ///< cores along m; the others divide n
  std::uint32_t cores;
  bool unit_flag, b_transposed, n_first, stagger;

  static Gemm of(const sim::Device& device, const Params& p) {
    const std::uint32_t cores = cube_cores(device, p);
    Gemm g{p.number("m"),
           p.number("n"),
           p.number("k"),
           p.number("base_m", 128),
           p.number("base_n", 256),
           p.number("base_k", 64),
           p.number("step_k", 1),
           p.number("depth", 1),
           p.number("split_m", 1),
           cores,
           p.number("unit_flag", 0) != 0,
           p.number("b_transposed", 0) != 0,
           p.text("order", "m") == "n",
           p.number("stagger", 0) != 0};
    return g;
  }
};

template <class TIn, class TAcc, class TOut>
class GemmCore {
 public:
  GemmCore(const Gemm& g, TIn* a, TIn* b, TOut* c)
      : g_(g),
        a_(global(a, std::uint64_t{g.m} * g.k)),
        b_(global(b, std::uint64_t{g.k} * g.n)),
        c_(global(c, std::uint64_t{g.m} * g.n)) {
    a_op_.rows = g.m, a_op_.cols = g.k, a_op_.k_in_columns = 1;
    b_op_.rows = g.b_transposed ? g.n : g.k, b_op_.cols = g.b_transposed ? g.k : g.n;
    b_op_.k_in_columns = g.b_transposed;
    a_bytes_ = g.base_m * g.base_k * g.step_k * sizeof(TIn);
    b_bytes_ = g.base_n * g.base_k * g.step_k * sizeof(TIn);
  }

  void run() {
    const std::uint32_t split_n = g_.cores / g_.split_m, core = GetBlockIdx();
    if (core >= split_n * g_.split_m) return;
    const Share rows = share_of(ceil_div(g_.m, g_.base_m), core / split_n, g_.split_m);
    const Share cols = share_of(ceil_div(g_.n, g_.base_n), core % split_n, split_n);
    for (std::uint32_t i = 0; i < 2; ++i) SetFlag<HardEvent::M_MTE1>(i);
    for (std::uint32_t i = 0; i < g_.depth; ++i) SetFlag<HardEvent::MTE1_MTE2>(i);
    if (!g_.unit_flag) SetFlag<HardEvent::FIX_M>(0);
    const Share& outer = g_.n_first ? rows : cols;
    const Share& inner = g_.n_first ? cols : rows;
    for (std::uint64_t o = outer.begin; o < outer.end; ++o) {
      for (std::uint64_t i = inner.begin; i < inner.end; ++i) {
        tile(static_cast<std::uint32_t>(g_.n_first ? o : i),
             static_cast<std::uint32_t>(g_.n_first ? i : o));
      }
    }
    for (std::uint32_t i = 0; i < 2; ++i) WaitFlag<HardEvent::M_MTE1>(i);
    for (std::uint32_t i = 0; i < g_.depth; ++i) WaitFlag<HardEvent::MTE1_MTE2>(i);
    if (!g_.unit_flag) WaitFlag<HardEvent::FIX_M>(0);
  }

 private:
  void tile(std::uint32_t row, std::uint32_t col) {
    m_ = std::min(g_.base_m, g_.m - row * g_.base_m);
    n_ = std::min(g_.base_n, g_.n - col * g_.base_n);
    if (!g_.unit_flag) WaitFlag<HardEvent::FIX_M>(0);
    const std::uint32_t chunk = g_.base_k * g_.step_k;
    const auto chunks = static_cast<std::uint32_t>(ceil_div(g_.k, chunk));
    const std::uint32_t first = g_.stagger ? GetBlockIdx() % chunks : 0;
    for (std::uint32_t i = 0; i < chunks; ++i) {
      const std::uint32_t k = (i + first) % chunks * chunk;
      products(row, col, k, std::min(chunk, g_.k - k), i == 0, i + 1 == chunks);
    }
    store(row, col);
  }

  void products(std::uint32_t row, std::uint32_t col, std::uint32_t k, std::uint32_t depth,
                bool first, bool last) {
    const std::uint32_t slot = loads_++ % g_.depth;
    const auto a_l1 = local<TIn>(TPosition::A1, slot * a_bytes_, a_bytes_ / sizeof(TIn));
    const auto b_l1 =
        local<TIn>(TPosition::B1, g_.depth * a_bytes_ + slot * b_bytes_, b_bytes_ / sizeof(TIn));
    WaitFlag<HardEvent::MTE1_MTE2>(slot);
    kernel_matmul::LoadChunk(a_l1, a_, a_op_, row * g_.base_m, k, {m_, depth});
    kernel_matmul::LoadChunk(b_l1, b_, b_op_, col * g_.base_n, k, {n_, depth});
    SetFlag<HardEvent::MTE2_MTE1>(slot);
    WaitFlag<HardEvent::MTE2_MTE1>(slot);
    const Chunk<TIn> a{a_l1, kernel_matmul::L1Rows<TIn>(a_op_, Extent{m_, depth}), m_};
    const Chunk<TIn> b{b_l1, kernel_matmul::L1Rows<TIn>(b_op_, Extent{n_, depth}), n_};
    for (std::uint32_t at = 0; at < depth; at += g_.base_k) {
      const std::uint32_t deep = std::min(g_.base_k, depth - at);
      const bool ends = at + deep == depth;
      product(a, b, at, deep, first && at == 0, last && ends, ends ? static_cast<int>(slot) : -1);
    }
  }

  /// `free_slot`: of L1, which nobody reads behind this; -1: none.
  void product(const Chunk<TIn>& a, const Chunk<TIn>& b, std::uint32_t at, std::uint32_t deep,
               bool first, bool last, int free_slot) {
    constexpr std::uint32_t kHalf = 32768;
    const auto half = static_cast<std::int32_t>(products_++ % 2);
    const auto l0a = local<TIn>(TPosition::A2, half * kHalf, kHalf / sizeof(TIn));
    const auto l0b = local<TIn>(TPosition::B2, half * kHalf, kHalf / sizeof(TIn));
    WaitFlag<HardEvent::M_MTE1>(half);
    kernel_matmul::LoadA(l0a, a, a_op_, at, deep);
    kernel_matmul::LoadB(l0b, b, b_op_, at, deep);
    if (free_slot >= 0) SetFlag<HardEvent::MTE1_MTE2>(free_slot);
    SetFlag<HardEvent::MTE1_M>(half);
    WaitFlag<HardEvent::MTE1_M>(half);
    MmadParams mmad;
    mmad.m = static_cast<std::uint16_t>(std::max(m_, 16u));
    mmad.n = static_cast<std::uint16_t>(n_);
    mmad.k = static_cast<std::uint16_t>(deep);
    mmad.cmatrixInitVal = first;
    if (g_.unit_flag) mmad.unitFlag = last ? 3 : 2;
    Mmad(sums(), l0a, l0b, mmad);
    SetFlag<HardEvent::M_MTE1>(half);
  }

  LocalTensor<TAcc> sums() const {
    return local<TAcc>(TPosition::CO1, 0, round_up(m_, 16) * round_up(n_, 16));
  }

  void store(std::uint32_t row, std::uint32_t col) {
    if (!g_.unit_flag) {
      SetFlag<HardEvent::M_FIX>(0);
      WaitFlag<HardEvent::M_FIX>(0);
    }
    FixpipeParamsV220 fixpipe;
    fixpipe.nSize = static_cast<std::uint16_t>(n_);
    fixpipe.mSize = static_cast<std::uint16_t>(m_);
    fixpipe.srcStride = static_cast<std::uint16_t>(round_up(m_, 16));
    fixpipe.dstStride = g_.n;
    if (g_.unit_flag) fixpipe.unitFlag = 3;
    if constexpr (std::is_same_v<TOut, half>) {
      constexpr bool kInteger = std::is_same_v<TAcc, std::int32_t>;
      fixpipe.quantPre = kInteger ? QuantMode_t::DEQF16 : QuantMode_t::F322F16;
    }
    Fixpipe(c_[std::uint64_t{row} * g_.base_m * g_.n + col * g_.base_n], sums(), fixpipe);
    if (!g_.unit_flag) SetFlag<HardEvent::FIX_M>(0);
  }

  Gemm g_;
  GlobalTensor<TIn> a_, b_;
  GlobalTensor<TOut> c_;
  MatmulOperandTiling a_op_{}, b_op_{};
  std::uint32_t a_bytes_ = 0, b_bytes_ = 0;
  std::uint32_t m_ = 0, n_ = 0;  ///< of the tile at hand
  std::uint32_t loads_ = 0, products_ = 0;
};

template <class TIn, class TAcc, class TOut>
std::function<traces::LaunchReport()> prepare_as(sim::Device& device, const Gemm& g) {
  TIn* a = allocate<TIn>(device, std::uint64_t{g.m} * g.k, "a");
  TIn* b = allocate<TIn>(device, std::uint64_t{g.k} * g.n, "b");
  TOut* c = allocate<TOut>(device, std::uint64_t{g.m} * g.n, "c");
  return [=, &device] {
    const isa::KernelEntry entry{"gemm", isa::KernelType::kAicOnly, nullptr, nullptr};
    return device.launch(entry, g.cores, [=] { GemmCore<TIn, TAcc, TOut>(g, a, b, c).run(); }, {});
  };
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const Gemm g = Gemm::of(device, params);
  const std::string out = params.text("out", "half");
  if (params.text("in", "half") == "int8") {
    return prepare_as<std::int8_t, std::int32_t, half>(device, g);
  }
  if (params.text("in", "half") == "float") return prepare_as<float, float, float>(device, g);
  if (out == "float") return prepare_as<half, float, float>(device, g);
  return prepare_as<half, float, half>(device, g);
}

const KernelRegistrar g_gemm(
    {"gemm",
     "C = A x B of base tiles: m n k [base_m base_n base_k step_k depth split_m cores unit_flag "
     "b_transposed order stagger in out]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
