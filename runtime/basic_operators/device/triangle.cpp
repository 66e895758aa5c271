// The kernel that keeps the triangle of a matrix below or above a diagonal: what is kept of each
// row goes through UB, and zeros are stored beside it.
#include "device/triangle_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

class Triangle {
 public:
  __aicore__ inline Triangle(const TriangleTiling& tiling, GM_ADDR from, GM_ADDR to)
      : tiling_(tiling), from_(from), to_(to) {
    pipe_.InitBuffer(rows_, 2, kTriangleTile);
    pipe_.InitBuffer(zeros_, 1, kTriangleZeros);
  }

  __aicore__ inline void Process() {
    LocalTensor<uint32_t> zeros = zeros_.AllocTensor<uint32_t>();
    Duplicate(zeros, 0u, kTriangleZeros / sizeof(uint32_t));
    zeros_.EnQue(zeros);
    zero_ = zeros_.DeQue<uint8_t>();
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      Find(tile);
      Run();
    }
    zeros_.FreeTensor(zero_);
  }

 private:
  /// Bytes of a row's piece.
  struct Part {
    uint32_t from, to;
    __aicore__ inline uint32_t bytes() const { return to - from; }
  };

  __aicore__ inline void Find(uint64_t tile) {
    const uint64_t pieces = (tiling_.columns + tiling_.piece - 1) / tiling_.piece;
    const uint64_t blocks = (tiling_.rows + tiling_.tile - 1) / tiling_.tile;
    byte_ = tile % pieces * tiling_.piece;
    tile /= pieces;
    row_ = tile % blocks * tiling_.tile;
    count_ = min(static_cast<uint64_t>(tiling_.tile), tiling_.rows - row_);
    bytes_ = min(static_cast<uint64_t>(tiling_.piece), tiling_.columns - byte_);
    at_ = (tile / blocks * tiling_.rows + row_) * tiling_.columns + byte_;
  }

  /// What is kept of row `i` of the tile.
  __aicore__ inline Part Kept(uint32_t i) {
    int64_t edge = static_cast<int64_t>(row_ + i) + tiling_.diagonal;
    if (tiling_.upper == 0) ++edge;
    edge = edge * tiling_.element - static_cast<int64_t>(byte_);
    const uint32_t cut =
        edge <= 0 ? 0 : static_cast<uint32_t>(min(static_cast<uint64_t>(edge), uint64_t{bytes_}));
    return tiling_.upper != 0 ? Part{cut, bytes_} : Part{0, cut};
  }

  __aicore__ inline uint32_t Pitch() {
    constexpr uint32_t kBlock = 32;
    return (bytes_ + kBlock - 1) / kBlock * kBlock;
  }

  /// All rows of the tile as one block.
  __aicore__ inline DataCopyExtParams Block(bool into) {
    const auto gap = static_cast<uint32_t>(tiling_.columns - bytes_);
    return {static_cast<uint16_t>(count_), bytes_, into ? 0 : gap, into ? gap : 0, 0};
  }

  __aicore__ inline GlobalTensor<uint8_t> At(GM_ADDR start, uint64_t byte) {
    GlobalTensor<uint8_t> tensor;
    tensor.SetGlobalBuffer(start + at_ + byte);
    return tensor;
  }

  __aicore__ inline void Run() {
    const Part first = Kept(0), last = Kept(count_ - 1);
    const bool nothing = first.bytes() == 0 && last.bytes() == 0;
    if (nothing && count_ * Pitch() <= kTriangleZeros) {
      return DataCopyPad(At(to_, 0), zero_, Block(true));
    }
    LocalTensor<uint8_t> rows = rows_.AllocTensor<uint8_t>();
    const bool everything = first.bytes() == bytes_ && last.bytes() == bytes_;
    if (everything) {
      DataCopyPad(rows, At(from_, 0), Block(false), DataCopyPadExtParams<uint8_t>{});
    } else {
      Load(rows);
    }
    rows_.EnQue(rows);
    rows = rows_.DeQue<uint8_t>();
    if (everything) {
      DataCopyPad(At(to_, 0), rows, Block(true));
    } else {
      Store(rows);
    }
    rows_.FreeTensor(rows);
  }

  __aicore__ inline void Load(const LocalTensor<uint8_t>& rows) {
    for (uint32_t i = 0; i < count_; ++i) {
      const Part kept = Kept(i);
      if (kept.bytes() == 0) continue;
      DataCopyPad(rows[i * Pitch()], At(from_, i * tiling_.columns + kept.from),
                  DataCopyExtParams{1, kept.bytes(), 0, 0, 0}, DataCopyPadExtParams<uint8_t>{});
    }
  }

  __aicore__ inline void Store(const LocalTensor<uint8_t>& rows) {
    for (uint32_t i = 0; i < count_; ++i) {
      const Part kept = Kept(i);
      const uint64_t row = i * tiling_.columns;
      if (kept.bytes() != 0) {
        DataCopyPad(At(to_, row + kept.from), rows[i * Pitch()],
                    DataCopyExtParams{1, kept.bytes(), 0, 0, 0});
      }
      StoreZeros(row, kept.from);
      StoreZeros(row + kept.to, bytes_ - kept.to);
    }
  }

  __aicore__ inline void StoreZeros(uint64_t at, uint32_t bytes) {
    for (uint32_t done = 0; done < bytes; done += kTriangleZeros) {
      DataCopyPad(At(to_, at + done), zero_,
                  DataCopyExtParams{1, min(kTriangleZeros, bytes - done), 0, 0, 0});
    }
  }

  const TriangleTiling& tiling_;
  const GM_ADDR from_, to_;
  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> rows_;
  TQue<QuePosition::VECOUT, 1> zeros_;
  LocalTensor<uint8_t> zero_;
  uint64_t row_ = 0, byte_ = 0, at_ = 0;
  uint32_t count_ = 0, bytes_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_triangle(GM_ADDR from, GM_ADDR to,
                                                      GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(TriangleTiling, tiling, tiling_data);
  Triangle(tiling, from, to).Process();
}
