// The kernel that gathers elements of rows: a row lies in UB as long as places of it are left.
#include "device/gather_elements_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename T, typename Place>
class GatherElements {
 public:
  __aicore__ inline GatherElements(const GatherElementsTiling& tiling, GM_ADDR table,
                                   GM_ADDR places, GM_ADDR out)
      : tiling_(tiling) {
    table_gm_.SetGlobalBuffer((__gm__ T*)table);
    places_gm_.SetGlobalBuffer((__gm__ Place*)places);
    out_gm_.SetGlobalBuffer((__gm__ T*)out);
    pipe_.InitBuffer(row_, 1, kGatherRow);
    pipe_.InitBuffer(places_, 2, kGatherTile * sizeof(Place));
    pipe_.InitBuffer(out_, 2, kGatherTile * sizeof(T));
    pipe_.InitBuffer(offsets_, kGatherTile * sizeof(int32_t));
    pipe_.InitBuffer(signs_, kGatherTile * sizeof(int32_t));
  }

  __aicore__ inline void Process() {
    const uint64_t blocks = (tiling_.places + kGatherTile - 1) / kGatherTile;
    const uint64_t first = GetBlockIdx() * tiling_.share;
    const uint64_t end = min(first + tiling_.share, tiling_.tiles);
    LocalTensor<T> row;
    for (uint64_t tile = first; tile < end; ++tile) {
      const uint64_t at = tile / blocks, place = tile % blocks * kGatherTile;
      if (tile == first || place == 0) {
        if (tile != first) row_.FreeTensor(row);
        row = LoadRow(at);
      }
      Run(row, at, place);
    }
    if (first < end) row_.FreeTensor(row);
  }

 private:
  __aicore__ inline LocalTensor<T> LoadRow(uint64_t at) {
    LocalTensor<T> row = row_.template AllocTensor<T>();
    const auto bytes = static_cast<uint32_t>(tiling_.width * sizeof(T));
    DataCopyPad(row, table_gm_[at * tiling_.width], DataCopyExtParams{1, bytes, 0, 0, 0},
                DataCopyPadExtParams<T>{});
    row_.EnQue(row);
    return row_.template DeQue<T>();
  }

  __aicore__ inline void Run(const LocalTensor<T>& row, uint64_t at, uint64_t place) {
    const uint32_t count = min(uint64_t{kGatherTile}, tiling_.places - place);
    LocalTensor<Place> places = places_.template AllocTensor<Place>();
    const uint64_t from = (tiling_.shared != 0 ? 0 : at * tiling_.places) + place;
    DataCopyPad(places, places_gm_[from],
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(Place)), 0, 0, 0},
                DataCopyPadExtParams<Place>{});
    places_.EnQue(places);
    places = places_.template DeQue<Place>();
    const LocalTensor<int32_t> offsets = offsets_.Get<int32_t>(), signs = signs_.Get<int32_t>();
    if constexpr (sizeof(Place) == sizeof(int64_t)) {
      Cast(offsets, places, RoundMode::CAST_NONE, count);
    } else {
      Adds(offsets, places, 0, count);
    }
    places_.FreeTensor(places);
    // -1 where a place is negative.
    ShiftRight(signs, offsets, 31, count);
    Muls(signs, signs, -static_cast<int32_t>(tiling_.width), count);
    Add(offsets, offsets, signs, count);
    Muls(offsets, offsets, static_cast<int32_t>(sizeof(T)), count);
    LocalTensor<T> out = out_.template AllocTensor<T>();
    Gather(out, row, offsets.ReinterpretCast<uint32_t>(), 0, count);
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    DataCopyPad(out_gm_[at * tiling_.places + place], out,
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
    out_.FreeTensor(out);
  }

  const GatherElementsTiling& tiling_;
  GlobalTensor<T> table_gm_, out_gm_;
  GlobalTensor<Place> places_gm_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> row_, places_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> offsets_, signs_;
};

template <typename T>
__aicore__ inline void Run(const GatherElementsTiling& tiling, GM_ADDR table, GM_ADDR places,
                           GM_ADDR out) {
  if (tiling.wide != 0) {
    GatherElements<T, int64_t>(tiling, table, places, out).Process();
  } else {
    GatherElements<T, int32_t>(tiling, table, places, out).Process();
  }
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_gather_elements(GM_ADDR table, GM_ADDR places,
                                                             GM_ADDR out, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(GatherElementsTiling, tiling, tiling_data);
  if (tiling.element == sizeof(uint16_t)) {
    Run<uint16_t>(tiling, table, places, out);
  } else {
    Run<uint32_t>(tiling, table, places, out);
  }
}
