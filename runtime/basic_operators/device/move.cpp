// The kernel that moves and fills blocks of bytes: the tiles of all jobs are dealt out to the cores
// in turn.
#include "device/move_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr uint32_t kBlock = 32;
/// What a copy can leave out between two blocks.
constexpr int64_t kMostGap = 0xffffffff;

class Move {
 public:
  __aicore__ inline Move(const MoveTiling& tiling, GM_ADDR tiling_data,
                         const GM_ADDR (&tensors)[kMoveTensors])
      : tiling_(tiling),
        jobs_(reinterpret_cast<__gm__ const MoveJob*>(tiling_data + move_jobs_offset(tiling.jobs))),
        tensors_(tensors) {
    tile_counts_.SetGlobalBuffer((__gm__ uint32_t*)(tiling_data + sizeof(MoveTiling)));
    pipe_.InitBuffer(tiles_, 2, kMoveTile);
    if (tiling_.fills != 0) MakeNumber();
  }

  __aicore__ inline void Process() {
    uint64_t base = 0;  // tiles of the jobs before
    uint32_t next = 0, loaded = tiling_.jobs;
    uint32_t count = tile_counts_.GetValue(0);
    MoveJob job{};
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      while (tile >= base + count) {
        base += count;
        count = tile_counts_.GetValue(++next);
      }
      if (loaded != next) job = Load(loaded = next);
      Run(job, tile - base);
    }
    if (tiling_.fills != 0) numbers_.FreeTensor(number_);
  }

 private:
  __aicore__ inline MoveJob Load(uint32_t i) {
    COPY_TILING_WITH_STRUCT(MoveJob, jobs_ + i, job);
    return *job;
  }

  __aicore__ inline void MakeNumber() {
    constexpr uint32_t kRepeat = 64;
    pipe_.InitBuffer(numbers_, 1, kFillTile);
    const LocalTensor<uint32_t> number = numbers_.AllocTensor<uint32_t>();
    Duplicate(number, tiling_.low, kFillTile / sizeof(uint32_t));
    if (tiling_.high != tiling_.low) {
      const uint64_t every_second[2] = {0xaaaaaaaaaaaaaaaa, 0};
      Duplicate(number, tiling_.high, every_second, kFillTile / sizeof(uint32_t) / kRepeat, 1, 8);
    }
    numbers_.EnQue(number);
    number_ = numbers_.DeQue<uint8_t>();
  }

  /// Rows of a tile, and where they lie.
  struct Rows {
    GM_ADDR from, to;
    int64_t from_step, to_step;
    uint32_t count, bytes;
  };

  __aicore__ inline Rows Find(const MoveJob& job, uint64_t tile) {
    const uint32_t last = job.dims - 1;
    const uint64_t pieces = (job.run + job.piece - 1) / job.piece;
    const uint64_t blocks = (job.size[last] + job.rows - 1) / job.rows;
    const uint64_t piece = tile % pieces * job.piece;
    tile /= pieces;
    const uint64_t row = tile % blocks * job.rows;
    tile /= blocks;
    const int64_t first = static_cast<int64_t>(row), byte = static_cast<int64_t>(piece);
    int64_t from = job.from_offset + byte + first * job.from_step[last];
    int64_t to = job.to_offset + byte + first * job.to_step[last];
    for (uint32_t d = last; d-- > 0; tile /= job.size[d]) {
      const int64_t index = static_cast<int64_t>(tile % job.size[d]);
      from += index * job.from_step[d];
      to += index * job.to_step[d];
    }
    return {tensors_[job.from] + from,
            tensors_[job.to] + to,
            job.from_step[last],
            job.to_step[last],
            static_cast<uint32_t>(min(static_cast<uint64_t>(job.rows), job.size[last] - row)),
            static_cast<uint32_t>(min(static_cast<uint64_t>(job.piece), job.run - piece))};
  }

  __aicore__ inline void Run(const MoveJob& job, uint64_t tile) {
    const Rows rows = Find(job, tile);
    if (job.fills != 0) return Store(rows, number_, Pitch(rows));
    LocalTensor<uint8_t> tensor = tiles_.AllocTensor<uint8_t>();
    // A row that repeats is loaded once.
    const bool repeats = rows.from_step == 0;
    LoadRows(rows, tensor, repeats ? 1 : rows.count);
    tiles_.EnQue(tensor);
    tensor = tiles_.DeQue<uint8_t>();
    Store(rows, tensor, repeats ? 0 : Pitch(rows));
    tiles_.FreeTensor(tensor);
  }

  __aicore__ inline uint32_t Pitch(const Rows& rows) {
    return (rows.bytes + kBlock - 1) / kBlock * kBlock;
  }

  __aicore__ inline bool IsOneCopy(const Rows& rows, int64_t step, uint32_t count) {
    const int64_t gap = step - rows.bytes;
    return count == 1 || (gap >= 0 && gap <= kMostGap);
  }

  __aicore__ inline void LoadRows(const Rows& rows, const LocalTensor<uint8_t>& to,
                                  uint32_t count) {
    GlobalTensor<uint8_t> from;
    if (IsOneCopy(rows, rows.from_step, count)) {
      from.SetGlobalBuffer(rows.from);
      const uint32_t gap = count == 1 ? 0 : static_cast<uint32_t>(rows.from_step - rows.bytes);
      DataCopyPad(to, from, DataCopyExtParams{static_cast<uint16_t>(count), rows.bytes, gap, 0, 0},
                  DataCopyPadExtParams<uint8_t>{});
      return;
    }
    for (uint32_t i = 0; i < count; ++i) {
      from.SetGlobalBuffer(rows.from + i * rows.from_step);
      DataCopyPad(to[i * Pitch(rows)], from, DataCopyExtParams{1, rows.bytes, 0, 0, 0},
                  DataCopyPadExtParams<uint8_t>{});
    }
  }

  /// `pitch` bytes lie between the rows in UB; 0: there is one for all.
  __aicore__ inline void Store(const Rows& rows, const LocalTensor<uint8_t>& from, uint32_t pitch) {
    GlobalTensor<uint8_t> to;
    if (IsOneCopy(rows, rows.to_step, rows.count) && (pitch != 0 || rows.count == 1)) {
      to.SetGlobalBuffer(rows.to);
      const uint32_t gap = rows.count == 1 ? 0 : static_cast<uint32_t>(rows.to_step - rows.bytes);
      DataCopyPad(to, from,
                  DataCopyExtParams{static_cast<uint16_t>(rows.count), rows.bytes, 0, gap, 0});
      return;
    }
    for (uint32_t i = 0; i < rows.count; ++i) {
      to.SetGlobalBuffer(rows.to + i * rows.to_step);
      DataCopyPad(to, from[i * pitch], DataCopyExtParams{1, rows.bytes, 0, 0, 0});
    }
  }

  const MoveTiling& tiling_;
  __gm__ const MoveJob* const jobs_;
  const GM_ADDR (&tensors_)[kMoveTensors];
  GlobalTensor<uint32_t> tile_counts_;
  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> tiles_;
  TQue<QuePosition::VECOUT, 1> numbers_;
  LocalTensor<uint8_t> number_;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_move(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d,
                                                  GM_ADDR e, GM_ADDR f, GM_ADDR g, GM_ADDR h,
                                                  GM_ADDR i, GM_ADDR j, GM_ADDR k, GM_ADDR l,
                                                  GM_ADDR m, GM_ADDR n, GM_ADDR o, GM_ADDR p,
                                                  GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(MoveTiling, tiling, tiling_data);
  const GM_ADDR tensors[kMoveTensors] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
  Move(tiling, tiling_data, tensors).Process();
}
