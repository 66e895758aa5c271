// The kernel of running sums and products: each lane adds its elements row after row.
#include "device/cumulate_tiling.h"
#include "device/rows.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr uint32_t kMostLanes = 1024;  // at a time

template <typename T>
class Cumulate {
 public:
  __aicore__ inline explicit Cumulate(const CumulateTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out, GM_ADDR totals) {
    in_.Init(pipe_, x, tiling_.tile);
    out_.Init(pipe_, out, tiling_.tile);
    totals_out_.Init(pipe_, totals, kMostLanes);
    x_ = Zeros<T>(pipe_, x_buffer_, tiling_.tile);
    if (tiling_.exclusive != 0) y_ = Zeros<T>(pipe_, y_buffer_, tiling_.tile);
    total_ = Zeros<T>(pipe_, total_buffer_, kMostLanes);
  }

  __aicore__ inline void Process() {
    const uint64_t first = GetBlockIdx() * tiling_.share;
    const uint64_t last = min(tiling_.lanes, first + tiling_.share);
    for (uint64_t lane = first; lane < last; lane += kMostLanes) {
      Lanes(lane, min(static_cast<uint64_t>(kMostLanes), last - lane));
    }
  }

 private:
  __aicore__ inline void Lanes(uint64_t lane, uint32_t lanes) {
    Duplicate(total_, static_cast<T>(tiling_.op == Arithmetic::kMul ? 1 : 0), lanes);
    const uint64_t at_once = tiling_.tile / RoundUp(lanes, kRowUnit);
    for (uint64_t done = 0; done < tiling_.rows; done += at_once) {
      const uint64_t rows = min(at_once, tiling_.rows - done);
      const uint64_t row = tiling_.reverse != 0 ? tiling_.rows - done - rows : done;
      const RowTile tile = TileOf(rows, lanes);
      in_.Read(x_, row * tiling_.lanes + lane, tiling_.lanes, tile);
      for (uint32_t i = 0; i < tile.rows; ++i) {
        Step((tiling_.reverse != 0 ? tile.rows - 1 - i : i) * tile.stride, lanes);
      }
      out_.Write(tiling_.exclusive != 0 ? y_ : x_, row * tiling_.lanes + lane, tiling_.lanes, tile);
    }
    totals_out_.Write(total_, lane, lanes, RowTile{1, lanes, lanes});
  }

  __aicore__ inline void Step(uint32_t at, uint32_t lanes) {
    if (tiling_.exclusive != 0) Adds(y_[at], total_, static_cast<T>(0), lanes);
    CalculateRow(tiling_.op, total_, total_, x_[at], false, lanes);
    if (tiling_.exclusive == 0) Adds(x_[at], total_, static_cast<T>(0), lanes);
  }

  const CumulateTiling& tiling_;
  TPipe pipe_;
  RowInput<T> in_;
  RowOutput<T> out_, totals_out_;
  TBuf<QuePosition::VECCALC> x_buffer_, y_buffer_, total_buffer_;
  LocalTensor<T> x_, y_, total_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR out, GM_ADDR totals, const CumulateTiling& tiling) {
  Cumulate<T> cumulate(tiling);
  cumulate.Init(x, out, totals);
  cumulate.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_cumulate(GM_ADDR x, GM_ADDR out, GM_ADDR totals,
                                                      GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(CumulateTiling, tiling, tiling_data);
  if (tiling.whole != 0) return Run<int32_t>(x, out, totals, tiling);
  Run<float>(x, out, totals, tiling);
}
