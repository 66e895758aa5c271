// Products of half or bfloat16 rows with int8 weights. A few rows become int8 themselves. For more
// rows the vector cores of an AI core turn the weights that its cube core needs next into half,
// (w + offset) x scale of the channel, and hand them over through slots of a workspace.
#include "bench/silicon/kernels/gemm_core.hpp"
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/multi_scale.hpp"
#include "kernels/common/row_wise.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// Pieces of B that are ready before the cube needs them.
constexpr std::uint32_t kSlots = 4;
constexpr std::uint16_t kPieceReady = 0, kSlotFree = 1;

struct Matrices {
  half *a, *slots, *c, *scale, *offset;
  std::int8_t* weights;
};

std::uint32_t piece_rows(const Gemm& g) {
  return g.base_k * g.step_k;
}
std::uint64_t pieces_of(const Gemm& g, std::uint32_t core) {
  return tiles_of(g, core).size() * ceil_div(g.k, piece_rows(g));
}
/// Where piece `index` of a core lies.
GlobalTensor<half> slot_of(const Gemm& g, half* slots, std::uint64_t core, std::uint64_t index) {
  const std::uint64_t elements = std::uint64_t{piece_rows(g)} * g.base_n;
  return global(slots + (core * kSlots + index % kSlots) * elements, elements);
}

/// The cube's side of the slots.
class PiecesOfB {
 public:
  PiecesOfB(const Gemm& g, half* slots)
      : g_(g), slots_(slots), pieces_(pieces_of(g, static_cast<std::uint32_t>(GetBlockIdx()))) {}

  GemmPiece<half> piece(const GemmTile&, std::uint32_t) {
    CrossCoreWaitFlag<2, PIPE_MTE2>(kPieceReady);
    MatmulOperandTiling operand{};
    operand.rows = piece_rows(g_), operand.cols = g_.base_n;
    return {slot_of(g_, slots_, GetBlockIdx(), done_), operand, 0, 0};
  }
  void loaded() {
    if (done_ + kSlots < pieces_) CrossCoreSetFlag<2, PIPE_MTE2>(kSlotFree);
    ++done_;
  }

 private:
  const Gemm& g_;
  half* slots_;
  std::uint64_t pieces_, done_ = 0;
};

/// A vector core's part.
class WeightCore {
 public:
  WeightCore(const Gemm& g, const Matrices& gm) : g_(g), gm_(gm) {
    width_ = round_up(g.base_n, 32);
    chunk_rows_ = std::max(1u, 16384 / width_);
    const std::uint32_t elements = chunk_rows_ * width_;
    pipe_.InitBuffer(in_, 2, elements);
    pipe_.InitBuffer(out_, 2, elements * 2);
    pipe_.InitBuffer(channels_, 1, 2 * width_ * 2);
  }

  void run() {
    const auto halves = static_cast<std::uint32_t>(GetSubBlockNum());
    core_ = static_cast<std::uint32_t>(GetBlockIdx()) / halves;
    std::uint64_t index = 0;
    for (const GemmTile& tile : tiles_of(g_, core_)) {
      auto channels = channels_.AllocTensor<half>();
      load_row(channels, gm_.scale, tile);
      load_row(channels[width_], gm_.offset, tile);
      channels_.EnQue(channels);
      channels = channels_.DeQue<half>();
      for (std::uint32_t k = 0; k < g_.k; k += piece_rows(g_), ++index) {
        if (index >= kSlots) CrossCoreWaitFlag<2, PIPE_MTE3>(kSlotFree);
        const Share rows = share_of(std::min(piece_rows(g_), g_.k - k), GetSubBlockIdx(), halves);
        for (std::uint64_t row = rows.begin; row < rows.end; row += chunk_rows_) {
          const auto count =
              static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_rows_, rows.end - row));
          chunk(tile, channels, k + row, count,
                slot_of(g_, gm_.slots, core_, index)[row * g_.base_n]);
        }
        CrossCoreSetFlag<2, PIPE_MTE3>(kPieceReady);
      }
      channels_.FreeTensor(channels);
    }
  }

 private:
  void load_row(const LocalTensor<half>& to, half* from, const GemmTile& tile) {
    DataCopyPad(to, global(from, g_.n)[tile.col], DataCopyExtParams(1, tile.cols * 2, 0, 0, 0),
                DataCopyPadExtParams<half>{});
  }

  /// Rows [row, row + rows) of the tile's columns of the weights.
  void chunk(const GemmTile& tile, const LocalTensor<half>& channels, std::uint64_t row,
             std::uint32_t rows, const GlobalTensor<half>& to) {
    auto in = in_.AllocTensor<std::int8_t>();
    const std::uint32_t gap = (width_ - round_up(tile.cols, 32)) / 32;
    DataCopyPad(
        in, global(gm_.weights, std::uint64_t{g_.k} * g_.n)[row * g_.n + tile.col],
        DataCopyExtParams(static_cast<std::uint16_t>(rows), tile.cols, g_.n - tile.cols, gap, 0),
        DataCopyPadExtParams<std::int8_t>{});
    in_.EnQue(in);
    in = in_.DeQue<std::int8_t>();
    auto out = out_.AllocTensor<half>();
    Cast(out, in, RoundMode::CAST_NONE, rows * width_);
    in_.FreeTensor(in);
    const kernel_common::Rows<half> all = {out, width_};
    kernel_common::RowWise<kernel_common::AddOp>(all, all, kernel_common::SameRow(channels[width_]),
                                                 rows, width_);
    kernel_common::RowWise<kernel_common::MulOp>(all, all, kernel_common::SameRow(channels), rows,
                                                 width_);
    out_.EnQue(out);
    out = out_.DeQue<half>();
    const std::uint32_t bytes = tile.cols * 2;
    DataCopyPad(
        to, out,
        DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes,
                          (width_ * 2 - round_up(bytes, 32)) / 32, (g_.base_n - tile.cols) * 2, 0));
    out_.FreeTensor(out);
  }

  const Gemm& g_;
  Matrices gm_;
  std::uint32_t width_ = 0, chunk_rows_ = 1, core_ = 0;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, channels_;
  TQue<TPosition::VECOUT, 1> out_;
};

/// Few rows make one tile; columns are divided evenly among the cores, in as few tiles as fit.
Gemm shaped(Gemm g) {
  constexpr std::uint32_t kMostColumns = 256;
  g.base_m = std::min(g.base_m, round_up(g.m, 16));
  for (std::uint32_t tiles = 1;; ++tiles) {
    g.base_n = round_up(static_cast<std::uint32_t>(ceil_div(g.n, g.cores * tiles)), 32);
    if (g.base_n <= kMostColumns) return g;
  }
}

Launch prepare(sim::Device& device, const Params& params) {
  const Gemm plain = Gemm::of(device, params);
  if (few_rows(plain)) return multi_scale_launch(device, params, plain);
  const Gemm g = shaped(plain);
  Matrices gm{};
  gm.a = allocate<half>(device, std::uint64_t{g.m} * g.k, "a");
  gm.weights = allocate<std::int8_t>(device, std::uint64_t{g.k} * g.n, "weights");
  gm.scale = allocate<half>(device, g.n, "scale");
  gm.offset = allocate<half>(device, g.n, "offset");
  gm.slots =
      allocate<half>(device, std::uint64_t{g.cores} * kSlots * piece_rows(g) * g.base_n, "slots");
  gm.c = allocate<half>(device, std::uint64_t{g.m} * g.n, "c");
  const auto cube = [=] {
    PiecesOfB b(g, gm.slots);
    RowMajorOutput<float, half> output(g, gm.c);
    GemmCore<half, float, PiecesOfB, RowMajorOutput<float, half>>(g, gm.a, b, output).run();
  };
  return launch_of(device, "weight_quant_gemm", isa::KernelType::kMix12, g.cores, cube,
                   [=] { WeightCore(g, gm).run(); });
}

std::string high_level(const Params& p) {
  Gemm g{};
  g.m = p.size("m"), g.n = p.size("n"), g.k = p.size("k");
  return few_rows(g) ? "Matmul" : "";
}

const KernelRegistrar g_weight_quant_gemm(
    {"weight_quant_gemm", "C = A x (int8 weights made half): m n k [those of gemm but base_n]",
     prepare, false, high_level});

}  // namespace
}  // namespace davsim::silicon
