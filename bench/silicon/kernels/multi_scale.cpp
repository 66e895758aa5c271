// Products of a few half rows with int8 weights as the vendor computes them: the rows become int8
// themselves, in two orders. The second order holds what the first leaves of a number, times 254.
// The cube then multiplies int8 by int8, and no weight is converted.
#include "bench/silicon/kernels/multi_scale.hpp"

#include "bench/silicon/kernels/dequant_core.hpp"
#include "lib/matmul_intf.h"

namespace davsim::silicon {
namespace {

/// What lies in global memory beside the matrices of the int8 product.
struct MultiScaleRows {
  static constexpr std::uint32_t kOrders = 2;
  half* x;
  std::int8_t* orders;  ///< all rows of the first order, then those of the second
  float* numbers;       ///< largest number and sum of each row
};

/// A vector core's part before the product: rows, or pieces of rows that are too long for UB.
class MultiScaleCore {
 public:
  MultiScaleCore(const Gemm& g, const MultiScaleRows& gm) : g_(g), gm_(gm) {
    constexpr std::uint32_t kMostColumns = 12 * 1024;
    pieces_ = static_cast<std::uint32_t>(ceil_div(g.k, kMostColumns));
    width_ = round_up(static_cast<std::uint32_t>(ceil_div(g.k, pieces_)), 64);
    pipe_.InitBuffer(in_, 1, width_ * sizeof(half));
    pipe_.InitBuffer(out_, 1, width_);
    pipe_.InitBuffer(numbers_, 1, 64);
    pipe_.InitBuffer(work_, width_ * (2 * sizeof(float) + sizeof(half)) + 3 * 256);
    x_ = work_.Get<float>();
    temp_ = x_[width_];
    lanes_ = temp_[width_];
    result_ = lanes_[64];
    halves_ = result_[128].ReinterpretCast<half>();
  }

  void run() {
    const auto cores = static_cast<std::uint32_t>(AscendC::GetBlockNum() * 2);
    for (auto i = static_cast<std::uint32_t>(AscendC::GetBlockIdx()); i < g_.m * pieces_;
         i += cores) {
      const std::uint32_t col = i % pieces_ * width_;
      row(i / pieces_, col, std::min(width_, g_.k - col));
    }
  }

 private:
  void row(std::uint32_t row, std::uint32_t col, std::uint32_t count) {
    using namespace AscendC;
    auto x = in_.AllocTensor<half>();
    const std::uint64_t all = std::uint64_t{g_.m} * g_.k, at = std::uint64_t{row} * g_.k + col;
    DataCopyPad(x, global(gm_.x, all)[at], DataCopyExtParams(1, count * 2, 0, 0, 0),
                DataCopyPadExtParams<half>{});
    in_.EnQue(x);
    x = in_.DeQue<half>();
    Cast(x_, x, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    in_.FreeTensor(x);
    numbers(row, count);
    for (std::uint32_t order = 0; order < MultiScaleRows::kOrders; ++order) {
      Muls(x_, x_, order == 0 ? 127.0f : 254.0f, static_cast<std::int32_t>(count));
      PipeBarrier<PIPE_V>();
      leave(order * all + at, count);
      if (order + 1 == MultiScaleRows::kOrders) break;
      Sub(x_, x_, temp_, static_cast<std::int32_t>(count));
      PipeBarrier<PIPE_V>();
    }
  }

  /// Sum and largest number of the row, which is divided by the latter.
  void numbers(std::uint32_t row, std::uint32_t count) {
    using namespace AscendC;
    fold(x_, count, [](const auto& to, const auto& a, const auto& b) { Add(to, a, b, 64); });
    BlockReduceSum<float>(lanes_, lanes_, 1, 64, 8, 1, 8);
    PipeBarrier<PIPE_V>();
    BlockReduceSum<float>(result_, lanes_, 1, 8, 8, 1, 8);
    Abs(temp_, x_, static_cast<std::int32_t>(count));
    PipeBarrier<PIPE_V>();
    fold(temp_, count, [](const auto& to, const auto& a, const auto& b) { Max(to, a, b, 64); });
    BlockReduceMax<float>(lanes_, lanes_, 1, 64, 8, 1, 8);
    PipeBarrier<PIPE_V>();
    auto out = numbers_.AllocTensor<float>();
    BlockReduceMax<float>(out, lanes_, 1, 8, 8, 1, 8);
    const auto known = static_cast<event_t>(pipe_.FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(known);
    WaitFlag<HardEvent::V_S>(known);
    Muls(x_, x_, 1.0f / std::max(out.GetValue(0), 1.0f), static_cast<std::int32_t>(count));
    PipeBarrier<PIPE_V>();
    numbers_.EnQue(out);
    out = numbers_.DeQue<float>();
    DataCopyPad(global(gm_.numbers, std::uint64_t{g_.m} * 8)[row * 8], out,
                DataCopyExtParams(1, 32, 0, 0, 0));
    numbers_.FreeTensor(out);
  }

  /// 64 numbers at a time are folded into the same 64, one instruction after the other.
  template <class Fold>
  void fold(const AscendC::LocalTensor<float>& from, std::uint32_t count, Fold fold) {
    fold(lanes_, from, from[64]);
    AscendC::PipeBarrier<PIPE_V>();
    for (std::uint32_t at = 128; at < count; at += 64) {
      fold(lanes_, lanes_, from[at]);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  /// The numbers of one order as int8; the rounded ones remain in `temp_`.
  void leave(std::uint64_t to, std::uint32_t count) {
    using namespace AscendC;
    Cast(temp_, x_, RoundMode::CAST_ROUND, count);
    PipeBarrier<PIPE_V>();
    Cast(halves_, temp_, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    auto out = out_.AllocTensor<std::int8_t>();
    Cast(out, halves_, RoundMode::CAST_NONE, count);
    out_.EnQue(out);
    out = out_.DeQue<std::int8_t>();
    DataCopyPad(global(gm_.orders, ~std::uint32_t{0})[to], out,
                DataCopyExtParams(1, count, 0, 0, 0));
    out_.FreeTensor(out);
  }

  Gemm g_;
  MultiScaleRows gm_;
  std::uint32_t pieces_ = 1, width_ = 0;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_, numbers_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
  AscendC::LocalTensor<float> x_, temp_, lanes_, result_;
  AscendC::LocalTensor<half> halves_;
};

/// How the int8 product of both orders is cut: each cube core takes its columns of all rows.
struct MultiScaleCut {
  static constexpr std::uint32_t kColumns = 256, kDepth = 128, kSteps = 4;  ///< of base blocks
  std::uint32_t cores;                                                      ///< with columns
  std::uint32_t blocks;                                                     ///< AI cores
  Gemm product;

  /// Columns for all cores, in multiples of 256. Of the AI cores there are as many as have columns
  /// or, each for two vector cores, rows to convert.
  static MultiScaleCut of(const Gemm& g) {
    MultiScaleCut cut{0, 0, g};
    Gemm& p = cut.product;
    p.m = g.m * MultiScaleRows::kOrders;
    p.base_m = round_up(p.m, 16);
    p.base_n = round_up(std::max(g.n / g.cores, 1u), kColumns);
    p.split_m = p.split_k = p.groups = 1;
    p.dealt = true;
    cut.cores = static_cast<std::uint32_t>(ceil_div(g.n, p.base_n));
    const auto converting = static_cast<std::uint32_t>(ceil_div(g.m, 2));
    cut.blocks = p.cores = std::min(g.cores, std::max(cut.cores, converting));
    return cut;
  }

  /// All of k of A stays in L1 if it fits beside two loads of B.
  TCubeTiling tiling() const {
    constexpr std::uint32_t kBytesOfB = 2 * kSteps * kDepth * kColumns, kL1 = 512 * 1024;
    const auto of = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
    const auto whole = static_cast<std::uint32_t>(ceil_div(product.k, kDepth));
    const bool fits = product.base_m * whole * kDepth <= kL1 - kBytesOfB;
    TCubeTiling t;
    t.M = t.singleCoreM = of(product.m), t.N = of(product.n);
    t.Ka = t.Kb = t.singleCoreK = of(product.k);
    t.singleCoreN = of(product.base_n);
    t.baseM = of(product.base_m), t.baseN = of(kColumns), t.baseK = of(kDepth);
    t.stepM = t.stepN = 1;
    t.stepKa = of(fits ? whole : kSteps), t.stepKb = of(kSteps);
    t.depthA1 = of(fits ? whole : 2 * kSteps), t.depthB1 = of(2 * kSteps);
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 1;
    return t;
  }
};

/// A cube core's part: while the rows become int8, it loads the first weights, which L2 then has.
class MultiScaleCube {
  using Int8 = AscendC::MatmulType<AscendC::TPosition::GM, AscendC::CubeFormat::ND, std::int8_t>;
  using Sums = AscendC::MatmulType<AscendC::TPosition::GM, AscendC::CubeFormat::ND, std::int32_t>;

 public:
  MultiScaleCube(const MultiScaleCut& cut, const TCubeTiling& tiling, std::int8_t* orders,
                 std::int8_t* weights, std::int32_t* sums)
      : g_(cut.product),
        col_(AscendC::GetBlockIdx() * g_.base_n),
        weights_(global(weights, std::uint64_t{g_.k} * g_.n)),
        orders_(global(orders, std::uint64_t{g_.m} * g_.k)),
        sums_(global(sums, std::uint64_t{g_.m} * g_.n)) {
    if (col_ < g_.n && g_.n <= kWidestRow) load_ahead();
    object_.Init(&tiling, &pipe_);
  }

  void run(std::uint16_t rows_ready) {
    AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(rows_ready);
    if (col_ >= g_.n) return;
    object_.SetTensorA(orders_);
    object_.SetTensorB(weights_[col_]);
    object_.SetTail(static_cast<int>(g_.m), static_cast<int>(std::min(g_.base_n, g_.n - col_)));
    object_.IterateAll(sums_[col_]);
    AscendC::CrossCoreSetFlag<2, PIPE_FIX>(dequant::kSumsReady);
    object_.End();
  }

 private:
  static constexpr std::uint32_t kWidestRow = 65535;  ///< of a matrix that one copy takes rows of

  void load_ahead() {
    constexpr std::uint32_t kRows = MultiScaleCut::kDepth * MultiScaleCut::kSteps, kLoads = 3;
    const std::uint32_t rows = std::min(kRows, g_.k);
    const std::uint32_t cols = std::min(MultiScaleCut::kColumns, g_.n - col_);
    const auto l1 = local<std::int8_t>(AscendC::TPosition::B1, 0, rows * round_up(cols, 32));
    AscendC::Nd2NzParams copy;
    copy.ndNum = copy.dstNzNStride = 1;
    copy.nValue = copy.dstNzC0Stride = static_cast<std::uint16_t>(rows);
    copy.dValue = static_cast<std::uint16_t>(cols);
    copy.srcDValue = static_cast<std::uint16_t>(g_.n);
    for (std::uint32_t i = 0; i < std::min(kLoads, g_.k / rows); ++i) {
      DataCopy(l1, weights_[std::uint64_t{i} * rows * g_.n + col_], copy);
    }
  }

  Gemm g_;
  std::uint32_t col_;
  AscendC::TPipe pipe_;
  AscendC::MatmulImpl<Int8, Int8, Sums, Sums, AscendC::CFG_MDL> object_;
  AscendC::GlobalTensor<std::int8_t> weights_, orders_;
  AscendC::GlobalTensor<std::int32_t> sums_;
};

}  // namespace

Launch multi_scale_launch(sim::Device& device, const Params& params, const Gemm& g) {
  using namespace dequant;
  constexpr std::uint16_t kRowsReady = 3, kAllRowsReady = 4;
  const MultiScaleRows rows{
      allocate<half>(device, std::uint64_t{g.m} * g.k, "x"),
      allocate<std::int8_t>(device, std::uint64_t{g.m} * g.k * MultiScaleRows::kOrders, "orders"),
      allocate<float>(device, std::uint64_t{g.m} * 8, "numbers")};
  const MultiScaleCut cut = MultiScaleCut::of(g);
  const TCubeTiling tiling = cut.tiling();
  const Epilogue epilogue{1, true, true, false, MultiScaleRows::kOrders, true};
  Matrices<half> gm{};
  gm.a = rows.orders;
  gm.b = allocate<std::int8_t>(device, std::uint64_t{g.k} * g.n, "weights");
  gm.sums = allocate<std::int32_t>(device, std::uint64_t{cut.product.m} * g.n, "sums");
  gm.channel_scale = allocate<float>(device, g.n, "channel_scale");
  gm.token_scale = rows.numbers;
  gm.bias = allocate<float>(device, g.n, "offset");
  gm.c = allocate<half>(device, std::uint64_t{cut.product.m} * g.n, "c");
  const Preamble preamble = Preamble::of(device, params, {.tiling = kCubeTiling + 64});
  const auto cube = [=] {
    preamble();
    MultiScaleCube(cut, tiling, rows.orders, gm.b, gm.sums).run(kRowsReady);
  };
  return launch_of(device, "weight_quant_gemm", isa::KernelType::kMix12, cut.blocks, cube, [=] {
    preamble();
    {
      MultiScaleCore core(g, rows);
      core.run();
    }
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(kAllRowsReady);
    AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(kAllRowsReady);
    AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kRowsReady);
    Dequant<half>(cut.product, epilogue, gm).run();
  });
}

}  // namespace davsim::silicon
