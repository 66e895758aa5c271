// The kernel of the greatest or least element of each row and its place. Elements become int32
// whose order is theirs: equality of them can be asked for, and NaN is the greatest of all.
#include "device/reduce_tiling.h"
#include "device/rows.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename In, typename Work>
class ArgReduce {
 public:
  __aicore__ inline explicit ArgReduce(const ArgTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR places, GM_ADDR values, GM_ADDR indices) {
    const uint32_t tile = tiling_.shares.tile;
    in_.Init(pipe_, x, tile);
    places_gm_.SetGlobalBuffer((__gm__ int32_t*)places);
    values_out_.Init(pipe_, values, kMostRows);
    indices_out_.Init(pipe_, indices, kMostRows);
    reducer_.Init(pipe_, kMostRows);
    keys_ = Zeros<int32_t>(pipe_, keys_buffer_, tile);
    work_ = Zeros<int32_t>(pipe_, work_buffer_, tile);
    best_ = Zeros<int32_t>(pipe_, best_buffer_, kMostRows);
    blocks_ = Zeros<int32_t>(pipe_, blocks_buffer_, kMostRows * kBlockElements);
    place_ = Zeros<float>(pipe_, place_buffer_, kMostRows);
    pipe_.InitBuffer(bits_, tile / 8);
    columns_ = Zeros<float>(pipe_, columns_buffer_, tile);
    NumberColumns();
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) { ReduceRows(row, rows); });
  }

 private:
  /// Each element of columns_ is the number of its column.
  __aicore__ inline void NumberColumns() {
    const uint32_t length = min(tiling_.shares.length, static_cast<uint64_t>(tiling_.shares.tile));
    const RowTile tile = TileOf(tiling_.shares.at_once, length);
    CreateVecIndex(columns_, 0.0f, tile.stride);
    for (uint32_t row = 1; row < tile.rows; ++row) {
      Adds(columns_[row * tile.stride], columns_, 0.0f, tile.stride);
    }
  }

  __aicore__ inline void ReduceRows(uint64_t row, uint32_t rows) {
    const uint64_t part = row % tiling_.parts;
    const uint64_t before = part * tiling_.shares.length;
    const uint64_t start = row / tiling_.parts * tiling_.row + before;
    const uint64_t length = min(tiling_.shares.length, tiling_.row - before);
    LocalTensor<int32_t> indices = indices_out_.Alloc();
    LocalTensor<Work> values = values_out_.Alloc();
    const LocalTensor<int32_t> total = values.template ReinterpretCast<int32_t>();
    for (uint64_t at = 0; at < length; at += tiling_.shares.tile) {
      const uint32_t columns = min(static_cast<uint64_t>(tiling_.shares.tile), length - at);
      ReduceTile(start + at, TileOf(rows, columns));
      if (at == 0) {
        Adds(total, best_, 0, rows);
        Cast(indices, place_, RoundMode::CAST_RINT, rows);
        Adds(indices, indices, static_cast<int32_t>(before), rows);
      } else if (best_.GetValue(0) > total.GetValue(0)) {
        total.SetValue(0, best_.GetValue(0));
        indices.SetValue(0, static_cast<int32_t>(before + at + place_.GetValue(0)));
      }
    }
    if (tiling_.has_places != 0) FindPlaces(indices, row, rows);
    FromKeys(total, rows);
    values_out_.Send(values, row, rows, RowTile{1, rows, rows});
    indices_out_.Send(indices, row, rows, RowTile{1, rows, rows});
  }

  /// The greatest key of each row in best_, and the first column that has it in place_.
  __aicore__ inline void ReduceTile(uint64_t from, const RowTile& tile) {
    const uint32_t count = tile.Count();
    in_.Read(keys_.ReinterpretCast<Work>(), from, tiling_.row, tile);
    if constexpr (std::is_same_v<Work, float>) {
      if (tile.rows == 1) return ReduceRow(tile.columns);
    }
    ToKeys(keys_, count);
    Adds(work_, keys_, 0, count);
    reducer_.Run(Arithmetic::kMax, best_, work_, tile);
    Spread(blocks_, best_, tile.rows);
    Calculate(Arithmetic::kSub, keys_, keys_, blocks_, Along::kRows, tile);
    const LocalTensor<float> work = work_.ReinterpretCast<float>();
    Cast(work, keys_, RoundMode::CAST_RINT, count);
    CompareScalar(bits_.Get<uint8_t>(), work, 0.0f, CMPMODE::EQ, tile.WholeRepeats());
    Select(work, bits_.Get<uint8_t>(), columns_, 3.0e38f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    reducer_.Run(Arithmetic::kMin, place_, work, tile);
  }

  /// The same for one row, by the call that finds places of floats by itself.
  __aicore__ inline void ReduceRow(uint32_t columns) {
    const LocalTensor<float> x = keys_.ReinterpretCast<float>();
    const LocalTensor<float> found = blocks_.ReinterpretCast<float>();
    const LocalTensor<float> scratch = work_.ReinterpretCast<float>();
    Adds(x, x, 0.0f, columns);  // -0 is less than 0 for that call
    if (tiling_.least != 0) {
      ReduceMin(found, x, scratch, columns, true);
    } else {
      ReduceMax(found, x, scratch, columns, true);
    }
    place_.SetValue(0, static_cast<float>(blocks_.GetValue(1)));
    Adds(best_, blocks_, 0, 1);
    ToKeys(best_, 1);
  }

  __aicore__ inline void ToKeys(const LocalTensor<int32_t>& keys, uint32_t count) {
    if constexpr (std::is_same_v<Work, float>) {
      const LocalTensor<float> x = keys.ReinterpretCast<float>();
      Muls(x, x, tiling_.least != 0 ? -1.0f : 1.0f, count);  // and NaN gets its one form
      Signed(keys, count);
    } else if (tiling_.least != 0) {
      Complement(keys, count);
    }
  }

  __aicore__ inline void FromKeys(const LocalTensor<int32_t>& keys, uint32_t count) {
    if constexpr (std::is_same_v<Work, float>) {
      Negative(keys, count);
      if (tiling_.least == 0) return;
      const LocalTensor<float> x = keys.ReinterpretCast<float>();
      Muls(x, x, -1.0f, count);
    } else if (tiling_.least != 0) {
      Complement(keys, count);
    }
  }

  /// -1 - x, which turns the order of all int32 around.
  __aicore__ inline void Complement(const LocalTensor<int32_t>& x, uint32_t count) {
    Muls(x, x, -1, count);
    Adds(x, x, -1, count);
  }

  /// work_ = -1 for a number whose sign bit is set, else 1.
  __aicore__ inline void Signs(const LocalTensor<int32_t>& x, uint32_t count) {
    ShiftRight(work_, x, 31, count);
    Muls(work_, work_, 2, count);
    Adds(work_, work_, 1, count);
  }

  /// Bits of floats as whole numbers with the sign of the floats.
  __aicore__ inline void Signed(const LocalTensor<int32_t>& keys, uint32_t count) {
    Signs(keys, count);
    const LocalTensor<float> x = keys.ReinterpretCast<float>();
    Abs(x, x, count);
    Mul(keys, keys, work_, count);
  }

  /// And back.
  __aicore__ inline void Negative(const LocalTensor<int32_t>& keys, uint32_t count) {
    Signs(keys, count);
    Mul(keys, keys, work_, count);
    const LocalTensor<float> x = keys.ReinterpretCast<float>();
    const LocalTensor<float> signs = work_.ReinterpretCast<float>();
    Cast(signs, work_, RoundMode::CAST_RINT, count);
    Mul(x, x, signs, count);
  }

  /// The places that the elements had before, in the stead of those within these rows.
  __aicore__ inline void FindPlaces(const LocalTensor<int32_t>& indices, uint64_t row,
                                    uint32_t rows) {
    for (uint32_t i = 0; i < rows; ++i) {
      const uint64_t at = (row + i) * tiling_.row + indices.GetValue(i);
      indices.SetValue(i, places_gm_.GetValue(at));
    }
  }

  const ArgTiling& tiling_;
  TPipe pipe_;
  RowInput<In> in_;
  RowOutput<Work> values_out_;
  RowOutput<int32_t> indices_out_;
  RowReducer reducer_;
  GlobalTensor<int32_t> places_gm_;
  TBuf<QuePosition::VECCALC> keys_buffer_, work_buffer_, best_buffer_, blocks_buffer_,
      place_buffer_, bits_, columns_buffer_;
  LocalTensor<int32_t> keys_, work_, best_, blocks_;
  LocalTensor<float> place_, columns_;
};

template <typename In, typename Work>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR places, GM_ADDR values, GM_ADDR indices,
                           const ArgTiling& tiling) {
  ArgReduce<In, Work> reduce(tiling);
  reduce.Init(x, places, values, indices);
  reduce.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_arg_reduce(GM_ADDR x, GM_ADDR places, GM_ADDR values,
                                                        GM_ADDR indices, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(ArgTiling, tiling, tiling_data);
  if (tiling.whole != 0) return Run<int32_t, int32_t>(x, places, values, indices, tiling);
  ForElement(tiling.in,
             [&](auto in) { Run<decltype(in), float>(x, places, values, indices, tiling); });
}
