// Rows of numbers of 32 bits in UB, and what kernels do with several of them at a time.
#pragma once

#include "device/convert.h"
#include "device/row_shape.h"
#include "kernel_operator.h"

namespace davsim_basic {

constexpr uint32_t kLanes = 64;         // of a repeat
constexpr uint32_t kBlockElements = 8;  // of a DataBlock
constexpr uint32_t kMostRepeats = 255;

__aicore__ inline uint32_t RoundUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Rows of `columns` elements, each `stride` elements behind the one before.
struct RowTile {
  uint32_t rows, columns, stride;

  /// With what lies between the rows.
  __aicore__ inline uint32_t Count() const { return rows * stride; }
  __aicore__ inline uint32_t WholeRepeats() const { return RoundUp(Count(), kLanes); }
};

/// The tile of `rows` rows or of a part of one.
__aicore__ inline RowTile TileOf(uint32_t rows, uint32_t columns, uint32_t unit = kRowUnit) {
  return {rows, columns, RoundUp(columns, unit)};
}

/// How the second operand of a calculation lies.
enum class Along : uint32_t {
  kTile,     ///< as the first one
  kRows,     ///< a number for each row, which fills a DataBlock
  kColumns,  ///< a number for each column
};

template <typename T>
__aicore__ inline void Calculate(Arithmetic op, const AscendC::LocalTensor<T>& to,
                                 const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& y,
                                 uint64_t lanes, uint8_t repeats,
                                 const AscendC::BinaryRepeatParams& strides) {
  using namespace AscendC;
  switch (op) {
    case Arithmetic::kAdd:
      return Add(to, x, y, lanes, repeats, strides);
    case Arithmetic::kSub:
      return Sub(to, x, y, lanes, repeats, strides);
    case Arithmetic::kMul:
      return Mul(to, x, y, lanes, repeats, strides);
    case Arithmetic::kDiv:
      if constexpr (std::is_same_v<T, float>) Div(to, x, y, lanes, repeats, strides);
      return;
    case Arithmetic::kMax:
      return Max(to, x, y, lanes, repeats, strides);
    case Arithmetic::kMin:
      return Min(to, x, y, lanes, repeats, strides);
  }
}

/// The columns of a row, 64 a repeat.
template <typename T>
__aicore__ inline void CalculateRow(Arithmetic op, const AscendC::LocalTensor<T>& to,
                                    const AscendC::LocalTensor<T>& x,
                                    const AscendC::LocalTensor<T>& y, bool one_number,
                                    uint32_t columns) {
  const uint8_t block = one_number ? 0 : 1, step = one_number ? 0 : 8;
  for (uint32_t at = 0; at < columns;) {
    const uint32_t whole = min((columns - at) / kLanes, kMostRepeats);
    const uint32_t lanes = whole == 0 ? columns - at : kLanes, repeats = max(whole, 1u);
    Calculate(op, to[at], x[at], y[one_number ? 0 : at], lanes, repeats, {1, 1, block, 8, 8, step});
    at += lanes * repeats;
  }
}

/// to = x op y for the columns of each row: with a repeat for each row or for each 64 columns,
/// whichever takes fewer instructions.
template <typename T>
__aicore__ inline void Calculate(Arithmetic op, const AscendC::LocalTensor<T>& to,
                                 const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& y,
                                 Along along, const RowTile& tile) {
  const uint32_t stride = tile.stride / kBlockElements;
  const bool one_number = along == Along::kRows;
  if (stride > kMostRepeats || tile.rows * kLanes < tile.columns) {
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const uint32_t at = row * tile.stride;
      const uint32_t y_at = one_number ? row * kBlockElements : along == Along::kTile ? at : 0;
      CalculateRow(op, to[at], x[at], y[y_at], one_number, tile.columns);
    }
    return;
  }
  const uint8_t step = static_cast<uint8_t>(stride);
  const uint8_t y_step = one_number ? 1 : along == Along::kTile ? step : 0;
  for (uint32_t row = 0; row < tile.rows; row += kMostRepeats) {
    const uint32_t repeats = min(kMostRepeats, tile.rows - row);
    for (uint32_t column = 0; column < tile.columns; column += kLanes) {
      const uint32_t at = row * tile.stride + column;
      const uint32_t y_at = one_number ? row * kBlockElements : along == Along::kTile ? at : column;
      Calculate(op, to[at], x[at], y[y_at], min(kLanes, tile.columns - column), repeats,
                {1, 1, static_cast<uint8_t>(one_number ? 0 : 1), step, step, y_step});
    }
  }
}

/// A number for each row, in a DataBlock of each.
template <typename T>
__aicore__ inline void Spread(const AscendC::LocalTensor<T>& blocks,
                              const AscendC::LocalTensor<T>& values, uint32_t rows) {
  AscendC::Brcb(blocks, values, (rows + 7) / 8, {1, 8});
}

/// Buffers of the values of rows: initialised, because instructions read whole DataBlocks of them.
template <typename T>
__aicore__ inline AscendC::LocalTensor<T> Zeros(
    AscendC::TPipe& pipe, AscendC::TBuf<AscendC::QuePosition::VECCALC>& buffer, uint32_t count) {
  pipe.InitBuffer(buffer, count * sizeof(T));
  const AscendC::LocalTensor<T> tensor = buffer.template Get<T>();
  AscendC::Duplicate(tensor, static_cast<T>(0), count);
  return tensor;
}

/// Reduces rows to a value each.
class RowReducer {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t rows) {
    using namespace AscendC;
    rows = RoundUp(rows, kLanes);
    places_ = Zeros<int32_t>(pipe, places_buffer_, rows);
    CreateVecIndex(places_, 0, rows);
    offsets_ = Zeros<int32_t>(pipe, offsets_buffer_, rows);
    pipe.InitBuffer(column_, rows * sizeof(int32_t));
  }

  /// x is overwritten. Values follow each other.
  template <typename T>
  __aicore__ inline void Run(Arithmetic op, const AscendC::LocalTensor<T>& values,
                             const AscendC::LocalTensor<T>& x, RowTile tile) {
    const bool by_instruction = std::is_same_v<T, float> && op != Arithmetic::kMul;
    const uint32_t most = by_instruction ? kLanes : kBlockElements;
    while (tile.columns > most) {
      // The second half of the columns onto the first.
      const uint32_t half = RoundUp((tile.columns + 1) / 2, kBlockElements);
      const RowTile second{tile.rows, tile.columns - half, tile.stride};
      Calculate(op, x, x, x[half], Along::kTile, second);
      tile.columns = half;
    }
    if constexpr (std::is_same_v<T, float>) {
      if (by_instruction) return ByInstruction(op, values, x, tile);
    }
    ByColumns(op, values, x, tile);
  }

 private:
  __aicore__ inline void ByInstruction(Arithmetic op, const AscendC::LocalTensor<float>& values,
                                       const AscendC::LocalTensor<float>& x, const RowTile& tile) {
    using namespace AscendC;
    const int32_t lanes = tile.columns, step = tile.stride / kBlockElements;
    for (uint32_t row = 0; row < tile.rows; row += kMostRepeats) {
      const uint32_t repeats = min(kMostRepeats, tile.rows - row);
      const LocalTensor<float> to = values[row], from = x[row * tile.stride];
      if (op == Arithmetic::kAdd) {
        WholeReduceSum(to, from, lanes, repeats, 1, 1, step);
      } else if (op == Arithmetic::kMax) {
        WholeReduceMax(to, from, lanes, repeats, 1, 1, step, ReduceOrder::ORDER_ONLY_VALUE);
      } else {
        WholeReduceMin(to, from, lanes, repeats, 1, 1, step, ReduceOrder::ORDER_ONLY_VALUE);
      }
    }
  }

  /// Fetches column after column of all rows.
  template <typename T>
  __aicore__ inline void ByColumns(Arithmetic op, const AscendC::LocalTensor<T>& values,
                                   const AscendC::LocalTensor<T>& x, const RowTile& tile) {
    using namespace AscendC;
    Muls(offsets_, places_, static_cast<int32_t>(tile.stride * sizeof(T)), tile.rows);
    const LocalTensor<uint32_t> offsets = offsets_.ReinterpretCast<uint32_t>();
    Gather(values, x, offsets, 0, tile.rows);
    const LocalTensor<T> column = column_.Get<T>();
    for (uint32_t i = 1; i < tile.columns; ++i) {
      Gather(column, x, offsets, i * sizeof(T), tile.rows);
      CalculateRow(op, values, values, column, false, tile.rows);
    }
  }

  AscendC::TBuf<AscendC::QuePosition::VECCALC> places_buffer_, offsets_buffer_, column_;
  AscendC::LocalTensor<int32_t> places_, offsets_;
};

/// Rows of a tensor on their way into UB.
template <typename In>
class RowInput {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t tile,
                              uint32_t buffers = 2) {
    gm_.SetGlobalBuffer((__gm__ In*)address);
    pipe.InitBuffer(queue_, buffers, tile * sizeof(In));
    // What lies between rows is read, but does not count.
    for (uint32_t i = 0; i < buffers; ++i) {
      AscendC::LocalTensor<In> in = queue_.template AllocTensor<In>();
      AscendC::Duplicate(in.template ReinterpretCast<int16_t>(), static_cast<int16_t>(0),
                         tile * sizeof(In) / sizeof(int16_t));
      queue_.FreeTensor(in);
    }
  }

  /// The rows from the element `from` on, which begin every `pitch` elements, as numbers of Work.
  template <typename Work>
  __aicore__ inline void Read(const AscendC::LocalTensor<Work>& work, uint64_t from, uint64_t pitch,
                              const RowTile& tile) {
    ReadOf(gm_[from], work, pitch, tile);
  }

  /// The same of another tensor, from its first element on.
  template <typename Work>
  __aicore__ inline void ReadOf(const AscendC::GlobalTensor<In>& gm,
                                const AscendC::LocalTensor<Work>& work, uint64_t pitch,
                                const RowTile& tile) {
    using namespace AscendC;
    LocalTensor<In> in = queue_.template AllocTensor<In>();
    const bool dense = tile.columns == tile.stride && pitch == tile.stride;
    const uint32_t length = (dense ? tile.Count() : tile.columns) * sizeof(In);
    const uint32_t blocks = (tile.columns * sizeof(In) + 31) / 32;
    const DataCopyExtParams copy{
        static_cast<uint16_t>(dense ? 1 : tile.rows), length,
        dense ? 0 : static_cast<uint32_t>((pitch - tile.columns) * sizeof(In)),
        dense ? 0 : static_cast<uint32_t>(tile.stride * sizeof(In) / 32 - blocks), 0};
    const uint8_t rest = dense ? 0 : blocks * 32 / sizeof(In) - tile.columns;
    DataCopyPad(in, gm, copy, DataCopyPadExtParams<In>{rest != 0, 0, rest, 0});
    queue_.EnQue(in);
    in = queue_.template DeQue<In>();
    Convert(work, in, tile.Count());
    queue_.FreeTensor(in);
  }

 private:
  AscendC::TQue<AscendC::QuePosition::VECIN, 1> queue_;
  AscendC::GlobalTensor<In> gm_;
};

/// Rows on their way out of UB.
template <typename Out>
class RowOutput {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t tile,
                              uint32_t buffers = 2) {
    gm_.SetGlobalBuffer((__gm__ Out*)address);
    pipe.InitBuffer(queue_, buffers, tile * sizeof(Out));
  }

  template <typename Work>
  __aicore__ inline void Write(const AscendC::LocalTensor<Work>& work, uint64_t to, uint64_t pitch,
                               const RowTile& tile) {
    AscendC::LocalTensor<Out> out = queue_.template AllocTensor<Out>();
    Convert(out, work, tile.Count());
    Send(out, to, pitch, tile);
  }

  /// A tensor for what Send() takes as it is.
  __aicore__ inline AscendC::LocalTensor<Out> Alloc() { return queue_.template AllocTensor<Out>(); }
  __aicore__ inline void Send(AscendC::LocalTensor<Out>& out, uint64_t to, uint64_t pitch,
                              const RowTile& tile) {
    using namespace AscendC;
    queue_.EnQue(out);
    out = queue_.template DeQue<Out>();
    const bool dense = tile.columns == tile.stride && pitch == tile.stride;
    const uint32_t length = (dense ? tile.Count() : tile.columns) * sizeof(Out);
    const uint32_t blocks = (tile.columns * sizeof(Out) + 31) / 32;
    DataCopyPad(gm_[to], out,
                DataCopyExtParams{
                    static_cast<uint16_t>(dense ? 1 : tile.rows), length,
                    dense ? 0 : static_cast<uint32_t>(tile.stride * sizeof(Out) / 32 - blocks),
                    dense ? 0 : static_cast<uint32_t>((pitch - tile.columns) * sizeof(Out)), 0});
    queue_.FreeTensor(out);
  }

 private:
  AscendC::TQue<AscendC::QuePosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<Out> gm_;
};

/// Calls `run` with an element of the type that a tensor holds.
template <typename Run>
__aicore__ inline void ForElement(Element element, const Run& run) {
  if (element == Element::kHalf) return run(half());
  if (element == Element::kBfloat) return run(bfloat16_t());
  run(float());
}

/// Calls `compute` with the first row and the number of rows of each tile of this core.
template <typename Compute>
__aicore__ inline void ForTilesOfRows(const RowShares& shares, const Compute& compute) {
  const uint64_t first = AscendC::GetBlockIdx() * shares.share;
  const uint64_t last = min(shares.rows, first + shares.share);
  for (uint64_t row = first; row < last; row += shares.at_once) {
    compute(row, static_cast<uint32_t>(min(static_cast<uint64_t>(shares.at_once), last - row)));
  }
}

}  // namespace davsim_basic
