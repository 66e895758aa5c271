// The kernel of rotary embeddings: the halves of each row are rotated by angles whose cosines and
// sines are given.
#include "device/rotary_tiling.h"
#include "device/rows.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

/// Cosines or sines of one half.
class Angles {
 public:
  __aicore__ inline void Init(TPipe& pipe, GM_ADDR address, uint32_t tile) {
    in_.Init(pipe, address, tile, 1);
    values_ = Zeros<float>(pipe, buffer_, tile);
  }
  __aicore__ inline void Read(uint64_t from, uint64_t pitch, const RowTile& tile) {
    in_.Read(values_, from, pitch, tile);
  }
  __aicore__ inline const LocalTensor<float>& Values() const { return values_; }

 private:
  RowInput<float> in_;
  TBuf<QuePosition::VECCALC> buffer_;
  LocalTensor<float> values_;
};

template <typename T>
class Rotary {
 public:
  __aicore__ inline explicit Rotary(const RotaryTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR cosines, GM_ADDR sines, GM_ADDR y) {
    const uint32_t tile = tiling_.shares.tile;
    first_in_.Init(pipe_, x, tile);
    second_in_.Init(pipe_, x, tile);
    out_.Init(pipe_, y, tile);
    for (uint32_t half = 0; half < 2; ++half) {
      cosines_[half].Init(pipe_, cosines, tile);
      sines_[half].Init(pipe_, sines, tile);
    }
    first_ = Zeros<float>(pipe_, first_buffer_, tile);
    second_ = Zeros<float>(pipe_, second_buffer_, tile);
    sum_ = Zeros<float>(pipe_, sum_buffer_, tile);
    other_ = Zeros<float>(pipe_, other_buffer_, tile);
  }

  __aicore__ inline void Process() {
    const RowShares& shares = tiling_.shares;
    const uint64_t last = min(shares.rows, (GetBlockIdx() + 1) * shares.share);
    // Rows whose angles are the same, or follow each other.
    const uint64_t run = tiling_.repeat > 1 ? tiling_.repeat : tiling_.period;
    for (uint64_t row = GetBlockIdx() * shares.share; row < last;) {
      const uint64_t end = min(last, (row / run + 1) * run);
      const uint32_t rows = min(static_cast<uint64_t>(shares.at_once), end - row);
      for (uint64_t at = 0; at < shares.length; at += shares.tile) {
        const uint64_t left = shares.length - at;
        Rotate(row, at, TileOf(rows, min(static_cast<uint64_t>(shares.tile), left)));
      }
      row += rows;
    }
  }

 private:
  __aicore__ inline void Rotate(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint64_t half = tiling_.shares.length, pitch = 2 * half;
    const uint64_t angles =
        row / (tiling_.repeat * tiling_.period * tiling_.across) * tiling_.period +
        row / tiling_.repeat % tiling_.period;
    const bool is_one = tiling_.repeat > 1;
    const RowTile angle_tile{is_one ? 1 : tile.rows, tile.columns, tile.stride};
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t from = angles * pitch + i * half + at;
      cosines_[i].Read(from, pitch, angle_tile);
      sines_[i].Read(from, pitch, angle_tile);
    }
    first_in_.Read(first_, row * pitch + at, pitch, tile);
    second_in_.Read(second_, row * pitch + half + at, pitch, tile);
    const Along along = is_one ? Along::kColumns : Along::kTile;
    Calculate(Arithmetic::kMul, sum_, first_, cosines_[0].Values(), along, tile);
    Calculate(Arithmetic::kMul, other_, second_, sines_[0].Values(), along, tile);
    Sub(sum_, sum_, other_, tile.Count());
    out_.Write(sum_, row * pitch + at, pitch, tile);
    Calculate(Arithmetic::kMul, sum_, second_, cosines_[1].Values(), along, tile);
    Calculate(Arithmetic::kMul, other_, first_, sines_[1].Values(), along, tile);
    Add(sum_, sum_, other_, tile.Count());
    out_.Write(sum_, row * pitch + half + at, pitch, tile);
  }

  const RotaryTiling& tiling_;
  TPipe pipe_;
  RowInput<T> first_in_, second_in_;
  RowOutput<T> out_;
  Angles cosines_[2], sines_[2];
  TBuf<QuePosition::VECCALC> first_buffer_, second_buffer_, sum_buffer_, other_buffer_;
  LocalTensor<float> first_, second_, sum_, other_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR cosines, GM_ADDR sines, GM_ADDR y,
                           const RotaryTiling& tiling) {
  Rotary<T> rotary(tiling);
  rotary.Init(x, cosines, sines, y);
  rotary.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_rotary(GM_ADDR x, GM_ADDR cosines, GM_ADDR sines,
                                                    GM_ADDR y, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(RotaryTiling, tiling, tiling_data);
  ForElement(tiling.element, [&](auto in) { Run<decltype(in)>(x, cosines, sines, y, tiling); });
}
