// What leaves an int8 product: a cube core hands its sums to its two vector cores through slots of
// a workspace, and these make them real: sum x scale of the channel [x scale of the row] [+ bias],
// and FasterGelu if it is asked for. Where cores divide k, the vector cores add up the parts once
// all are there. The arithmetic is that of basic instructions, or of the high-level API.
#pragma once

#include "bench/silicon/kernels/gemm_core.hpp"
#include "kernels/common/row_reduce.h"
#include "lib/activation/gelu.h"
#include "lib/pad/broadcast.h"
#include "lib/quantization/ascend_dequant.h"

namespace davsim::silicon::dequant {

using namespace AscendC;

/// Flags between a cube core and its vector cores, and among all vector cores.
inline constexpr std::uint16_t kSumsReady = 0, kSlotFree = 1, kAllReady = 2;

struct Epilogue {
  std::uint32_t slots;  ///< tiles of a cube core that its vector cores may still have to read
  bool per_token, bias, faster_gelu;
  /// Rows of sums that make a row of C; those of all rows of C lie behind each other.
  std::uint32_t orders = 1;
  bool in_rows = false;  ///< sums lie in rows of n, and not in slots
};

template <class TOut>
struct Matrices {
  std::int8_t *a, *b;
  std::int32_t* sums;  ///< slots of the cores, or all sums of each part of k
  float *channel_scale, *token_scale, *bias;
  TOut* c;
};

/// The cube's sums in global memory.
class SumsOutput {
 public:
  SumsOutput(const Gemm& g, std::uint32_t slots, std::int32_t* sums)
      : g_(g), slots_(slots), sums_(sums) {}

  void put(const GemmTile& tile, const LocalTensor<std::int32_t>& sums, bool unit_flag) {
    if (g_.split_k > 1) {
      const std::uint64_t at = (std::uint64_t{tile.k_part} * g_.m + tile.row) * g_.n + tile.col;
      Fixpipe(global(sums_, ~std::uint32_t{0})[at], sums, rows_out(tile, g_.n, unit_flag));
      return;
    }
    if (done_ >= slots_) CrossCoreWaitFlag<2, PIPE_FIX>(kSlotFree);
    const std::uint64_t slot = GetBlockIdx() * slots_ + done_ % slots_;
    Fixpipe(global(sums_, ~std::uint32_t{0})[slot * g_.base_m * g_.base_n], sums,
            rows_out(tile, g_.base_n, unit_flag));
    ++done_;
    CrossCoreSetFlag<2, PIPE_FIX>(kSumsReady);
  }
  void finish() {
    if (g_.split_k > 1) CrossCoreSetFlag<2, PIPE_FIX>(kSumsReady);
  }

 private:
  const Gemm& g_;
  std::uint32_t slots_;
  std::int32_t* sums_;
  std::uint64_t done_ = 0;
};

/// A vector core's part. With `library` the sums become real by AscendDequant, BroadCast and
/// FasterGelu; each tile has sums of one part then.
template <class TOut, bool library = false>
class Dequant {
 public:
  Dequant(const Gemm& g, const Epilogue& epilogue, const Matrices<TOut>& gm)
      : g_(g), e_(epilogue), gm_(gm), width_(round_up(std::min(g.base_n, g.n), 16)) {
    constexpr std::uint32_t kFloats = 6144;  // of a chunk
    chunk_rows_ = std::max(1u, kFloats / width_);
    const std::uint32_t floats = chunk_rows_ * width_;
    const auto parameters = round_up(chunk_rows_, 8);
    pipe_.InitBuffer(in_, 2, floats * 4);
    pipe_.InitBuffer(out_, 2, floats * sizeof(TOut));
    pipe_.InitBuffer(channels_, 1, 2 * width_ * 4);
    pipe_.InitBuffer(tokens_, 1, parameters * 4);
    const std::uint32_t scratch = library ? 2 * floats * 4 : parameters * 32;
    pipe_.InitBuffer(work_, 2 * floats * 4 + scratch);
    x_ = work_.template Get<float>();
    temp_ = x_[floats];
    blocks_ = x_[2 * floats];
    blocks_.SetSize(scratch / 4);
  }

  void run() {
    const auto halves = static_cast<std::uint32_t>(GetSubBlockNum());
    if (g_.split_k > 1) {
      add_parts();
      return;
    }
    const auto core = static_cast<std::uint32_t>(GetBlockIdx()) / halves;
    const auto tiles = tiles_of(g_, core);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      CrossCoreWaitFlag<2, PIPE_MTE2>(kSumsReady);
      const std::uint32_t tile_rows = tiles[i].rows / e_.orders;
      const Share rows = share_of(tile_rows, GetSubBlockIdx(), halves);
      const std::uint64_t slot = core * e_.slots + i % e_.slots;
      const std::uint32_t pitch = e_.in_rows ? g_.n : g_.base_n;
      const std::uint64_t from = e_.in_rows ? tiles[i].col : slot * g_.base_m * g_.base_n;
      piece(tiles[i], rows, from, {pitch, e_.orders, std::uint64_t{tile_rows} * pitch});
      if (i + e_.slots < tiles.size()) CrossCoreSetFlag<2, PIPE_MTE2>(kSlotFree);
    }
  }

 private:
  /// Rows of C divided among all vector cores, tile column by tile column.
  void add_parts() {
    CrossCoreWaitFlag<2, PIPE_MTE2>(kSumsReady);
    CrossCoreSetFlag<0, PIPE_MTE2>(kAllReady);
    CrossCoreWaitFlag<0, PIPE_MTE2>(kAllReady);
    const auto cores = static_cast<std::uint64_t>(GetBlockNum() * GetSubBlockNum());
    const Share rows = share_of(g_.m, GetBlockIdx(), cores);
    for (std::uint32_t col = 0; col < g_.n; col += g_.base_n) {
      const GemmTile tile{0, col, g_.m, std::min(g_.base_n, g_.n - col), 0, 0, 0, 0};
      piece(tile, rows, col, {g_.n, g_.split_k, std::uint64_t{g_.m} * g_.n});
    }
  }

  /// Sums of `count` parts that lie `apart` elements apart, in rows of `pitch` elements.
  struct Parts {
    std::uint32_t pitch, count;
    std::uint64_t apart;
  };

  /// Rows of a tile whose sums begin at `from`.
  void piece(const GemmTile& tile, const Share& rows, std::uint64_t from, const Parts& parts) {
    if (rows.begin == rows.end) return;
    width_ = round_up(tile.cols, 16);
    auto channels = channels_.template AllocTensor<float>();
    load_row(channels, gm_.channel_scale, tile.col, tile.cols);
    if (e_.bias) load_row(channels[width_], gm_.bias, tile.col, tile.cols);
    channels_.EnQue(channels);
    channels = channels_.template DeQue<float>();
    for (std::uint64_t row = rows.begin; row < rows.end; row += chunk_rows_) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_rows_, rows.end - row));
      if constexpr (library) {
        dequantise(channels, from + row * parts.pitch, parts.pitch, tile.cols, count);
        scale_by_library(channels, tile.row + row, count);
      } else {
        gather(from + row * parts.pitch, parts, tile.cols, count);
        scale(channels, tile.row + row, count);
      }
      leave(tile, row, count);
    }
    channels_.FreeTensor(channels);
  }

  void load_row(const LocalTensor<float>& to, float* from, std::uint32_t col, std::uint32_t count) {
    DataCopyPad(to, global(from, g_.n)[col], DataCopyExtParams(1, count * 4, 0, 0, 0),
                DataCopyPadExtParams<float>{});
  }

  LocalTensor<std::int32_t> load_sums(std::uint64_t from, std::uint32_t pitch, std::uint32_t cols,
                                      std::uint32_t rows) {
    const auto gap = (width_ * 4 - round_up(cols * 4, 32)) / 32;
    auto in = in_.template AllocTensor<std::int32_t>();
    DataCopyPad(
        in, global(gm_.sums, ~std::uint32_t{0})[from],
        DataCopyExtParams(static_cast<std::uint16_t>(rows), cols * 4, (pitch - cols) * 4, gap, 0),
        DataCopyPadExtParams<std::int32_t>{});
    in_.EnQue(in);
    return in_.template DeQue<std::int32_t>();
  }

  /// x = the sums x scale of the channel.
  void dequantise(const LocalTensor<float>& channels, std::uint64_t from, std::uint32_t pitch,
                  std::uint32_t cols, std::uint32_t rows) {
    auto in = load_sums(from, pitch, cols, rows);
    auto scratch = blocks_.template ReinterpretCast<std::uint8_t>();
    // A single row of few columns would count as several.
    AscendDequant<float, float, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
        x_, in, channels, scratch, DequantParams{rows, width_, cols});
    PipeBarrier<PIPE_V>();
    in_.FreeTensor(in);
  }
  void scale_by_library(const LocalTensor<float>& channels, std::uint64_t row, std::uint32_t rows) {
    const auto count = static_cast<std::int32_t>(rows * width_);
    auto scratch = blocks_.template ReinterpretCast<std::uint8_t>();
    if (e_.per_token) {
      auto tokens = load_tokens(row, rows);
      const std::uint32_t to[] = {rows, width_}, of[] = {rows, 1};
      BroadCast<float, 2, 1>(temp_, tokens, to, of, scratch);
      PipeBarrier<PIPE_V>();
      tokens_.FreeTensor(tokens);
      Mul(x_, x_, temp_, count);
      PipeBarrier<PIPE_V>();
    }
    if (e_.bias) add_bias(channels, rows);
    if (e_.faster_gelu) {
      FasterGelu(x_, x_, scratch, static_cast<std::uint32_t>(count));
      PipeBarrier<PIPE_V>();
    }
  }
  LocalTensor<float> load_tokens(std::uint64_t row, std::uint32_t rows) {
    auto tokens = tokens_.template AllocTensor<float>();
    DataCopyPad(tokens, global(gm_.token_scale, g_.m)[row], DataCopyExtParams(1, rows * 4, 0, 0, 0),
                DataCopyPadExtParams<float>{});
    tokens_.EnQue(tokens);
    return tokens_.template DeQue<float>();
  }
  void add_bias(const LocalTensor<float>& channels, std::uint32_t rows) {
    const kernel_common::Rows<float> all = {x_, width_};
    kernel_common::RowWise<kernel_common::AddOp>(all, all, kernel_common::SameRow(channels[width_]),
                                                 rows, width_);
    PipeBarrier<PIPE_V>();
  }

  /// x = the sums, the parts added up.
  void gather(std::uint64_t from, const Parts& parts, std::uint32_t cols, std::uint32_t rows) {
    for (std::uint32_t part = 0; part < parts.count; ++part) {
      auto in = load_sums(from + part * parts.apart, parts.pitch, cols, rows);
      Cast(part == 0 ? x_ : temp_, in, RoundMode::CAST_RINT, rows * width_);
      PipeBarrier<PIPE_V>();
      if (part > 0 && e_.orders > 1) {
        Muls(temp_, temp_, 1.0f / 254, static_cast<std::int32_t>(rows * width_));
        PipeBarrier<PIPE_V>();
      }
      if (part > 0) Add(x_, x_, temp_, static_cast<std::int32_t>(rows * width_));
      PipeBarrier<PIPE_V>();
      in_.FreeTensor(in);
    }
  }

  void scale(const LocalTensor<float>& channels, std::uint64_t row, std::uint32_t rows) {
    using kernel_common::Rows;
    const Rows<float> all = {x_, width_};
    kernel_common::RowWise<kernel_common::MulOp>(all, all, kernel_common::SameRow(channels), rows,
                                                 width_);
    PipeBarrier<PIPE_V>();
    if (e_.per_token) {
      auto tokens = load_tokens(row, rows);
      kernel_common::SpreadNumbers(blocks_, tokens, rows);
      tokens_.FreeTensor(tokens);
      kernel_common::WithNumbers<kernel_common::MulOp>(x_, x_, blocks_, rows, width_);
      PipeBarrier<PIPE_V>();
    }
    if (e_.bias) add_bias(channels, rows);
    if (e_.faster_gelu) faster_gelu(static_cast<std::int32_t>(rows * width_));
  }

  /// x / (1 + exp(-1.702 x)).
  void faster_gelu(std::int32_t count) {
    Muls(temp_, x_, -1.702f, count);
    PipeBarrier<PIPE_V>();
    Exp(temp_, temp_, count);
    PipeBarrier<PIPE_V>();
    Adds(temp_, temp_, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Div(x_, x_, temp_, count);
    PipeBarrier<PIPE_V>();
  }

  void leave(const GemmTile& tile, std::uint64_t row, std::uint32_t rows) {
    auto out = out_.template AllocTensor<TOut>();
    Cast(out, x_, RoundMode::CAST_RINT, rows * width_);
    out_.EnQue(out);
    out = out_.template DeQue<TOut>();
    const auto bytes = static_cast<std::uint32_t>(tile.cols * sizeof(TOut));
    const auto gap =
        static_cast<std::uint32_t>(width_ * sizeof(TOut)) / 32 - round_up(bytes, 32) / 32;
    DataCopyPad(
        global(gm_.c, std::uint64_t{g_.m} * g_.n)[(tile.row + row) * g_.n + tile.col], out,
        DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, gap,
                          static_cast<std::uint32_t>((g_.n - tile.cols) * sizeof(TOut)), 0));
    out_.FreeTensor(out);
  }

  const Gemm& g_;
  Epilogue e_;
  Matrices<TOut> gm_;
  std::uint32_t width_, chunk_rows_ = 1;  ///< of the tile at hand; of a chunk
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, channels_, tokens_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  LocalTensor<float> x_, temp_, blocks_;
};

}  // namespace davsim::silicon::dequant
