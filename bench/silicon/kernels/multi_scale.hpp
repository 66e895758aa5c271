// Products of a few half rows with int8 weights as the vendor computes them: the rows become int8
// themselves, in two orders. The second order holds what the first leaves of a number, times 254.
// The cube then multiplies int8 by int8, and no weight is converted.
#pragma once

#include "bench/silicon/kernels/dequant_core.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {

/// The published limits of this way.
inline bool few_rows(const Gemm& g) {
  return g.m <= 64 && g.k % 32 == 0 && g.n % 32 == 0;
}

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

/// The product of `g`, whose weights are stored as they are.
inline Launch multi_scale_launch(sim::Device& device, const Params& params, Gemm g) {
  using namespace dequant;
  constexpr std::uint16_t kRowsReady = 3, kAllRowsReady = 4;
  const MultiScaleRows rows{
      allocate<half>(device, std::uint64_t{g.m} * g.k, "x"),
      allocate<std::int8_t>(device, std::uint64_t{g.m} * g.k * MultiScaleRows::kOrders, "orders"),
      allocate<float>(device, std::uint64_t{g.m} * 8, "numbers")};
  // The tiles of int8 products whose weights have rows of n.
  Gemm product = g;
  product.m = g.m * MultiScaleRows::kOrders;
  product.base_m = round_up(product.m, 16);
  product.base_n = 256, product.base_k = 128;
  product.split_m = 1, product.split_k = 1, product.groups = 1;
  const Epilogue epilogue{2, true, true, false, MultiScaleRows::kOrders};
  Matrices<half> gm{};
  gm.a = rows.orders;
  gm.b = allocate<std::int8_t>(device, std::uint64_t{g.k} * g.n, "weights");
  gm.sums = allocate<std::int32_t>(
      device, std::uint64_t{g.cores} * epilogue.slots * product.base_m * product.base_n, "sums");
  gm.channel_scale = allocate<float>(device, g.n, "channel_scale");
  gm.token_scale = rows.numbers;
  gm.bias = allocate<float>(device, g.n, "offset");
  gm.c = allocate<half>(device, std::uint64_t{product.m} * g.n, "c");
  const Preamble preamble = Preamble::of(device, params, {.tiling = kCubeTiling + 64});
  const auto cube = [=] {
    preamble();
    AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(kRowsReady);
    SumsOutput output(product, epilogue.slots, gm.sums);
    StoredB<std::int8_t> b(product, gm.b);
    GemmCore<std::int8_t, std::int32_t, StoredB<std::int8_t>, SumsOutput>(product, gm.a, b, output)
        .run();
    output.finish();
  };
  return launch_of(device, "weight_quant_gemm", isa::KernelType::kMix12, g.cores, cube, [=] {
    preamble();
    {
      MultiScaleCore core(g, rows);
      core.run();
    }
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(kAllRowsReady);
    AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(kAllRowsReady);
    AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kRowsReady);
    Dequant<half>(product, epilogue, gm).run();
  });
}

}  // namespace davsim::silicon
