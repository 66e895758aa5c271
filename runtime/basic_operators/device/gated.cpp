// The kernel of gated units: an activation of one half of each row times the other half.
#include "device/float_activations.h"
#include "device/gated_tiling.h"
#include "device/rows.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename T>
class Gated {
 public:
  __aicore__ inline explicit Gated(const GatedTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, GM_ADDR activation) {
    const uint32_t tile = tiling_.shares.tile;
    left_in_.Init(pipe_, x, tile);
    right_in_.Init(pipe_, x, tile);
    out_.Init(pipe_, out, tile);
    if (tiling_.has_activation != 0) activation_out_.Init(pipe_, activation, tile);
    left_ = Zeros<float>(pipe_, left_buffer_, tile);
    right_ = Zeros<float>(pipe_, right_buffer_, tile);
    activation_ = Zeros<float>(pipe_, activation_buffer_, tile);
    if (tiling_.gate == Gate::kGelu || tiling_.gate == Gate::kGeluTanh) {
      scratch_.Init(pipe_, tile);
    }
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) {
      const uint64_t start = row % tiling_.parts * tiling_.shares.length;
      const uint64_t end = min(tiling_.half, start + tiling_.shares.length);
      for (uint64_t at = start; at < end; at += tiling_.shares.tile) {
        const uint64_t columns = min(static_cast<uint64_t>(tiling_.shares.tile), end - at);
        Compute(row / tiling_.parts, at, TileOf(rows, columns));
      }
    });
  }

 private:
  __aicore__ inline void Compute(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint64_t from = row * 2 * tiling_.half + at, to = row * tiling_.half + at;
    left_in_.Read(left_, from, 2 * tiling_.half, tile);
    right_in_.Read(right_, from + tiling_.half, 2 * tiling_.half, tile);
    const bool of_left = tiling_.left != 0;
    Activate(of_left ? left_ : right_, tile.Count());
    if (tiling_.has_activation != 0) activation_out_.Write(activation_, to, tiling_.half, tile);
    Mul(activation_, activation_, of_left ? right_ : left_, tile.Count());
    out_.Write(activation_, to, tiling_.half, tile);
  }

  __aicore__ inline void Activate(const LocalTensor<float>& x, uint32_t count) {
    switch (tiling_.gate) {
      case Gate::kSwish:
        return TimesSigmoid(activation_, x, x, 1.0f, count);
      case Gate::kSigmoid:
        Muls(activation_, x, -1.0f, count);
        Exp(activation_, activation_, count);
        Adds(activation_, activation_, 1.0f, count);
        Duplicate(x, 1.0f, count);
        return Div(activation_, x, activation_, count);
      case Gate::kGelu:
        return davsim_basic::Gelu(scratch_, activation_, x, count);
      case Gate::kGeluTanh:
        return GeluTanh(scratch_, activation_, x, count);
    }
  }

  const GatedTiling& tiling_;
  TPipe pipe_;
  RowInput<T> left_in_, right_in_;
  RowOutput<T> out_, activation_out_;
  TBuf<QuePosition::VECCALC> left_buffer_, right_buffer_, activation_buffer_;
  LocalTensor<float> left_, right_, activation_;
  FloatScratch scratch_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR out, GM_ADDR activation, const GatedTiling& tiling) {
  Gated<T> gated(tiling);
  gated.Init(x, out, activation);
  gated.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_gated(GM_ADDR x, GM_ADDR out, GM_ADDR activation,
                                                   GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(GatedTiling, tiling, tiling_data);
  ForElement(tiling.element, [&](auto in) { Run<decltype(in)>(x, out, activation, tiling); });
}
