// The kernel that moves rows between a list and the rows of a table that numbers in a tensor name.
#include "device/indexed_rows_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr uint32_t kBlock = 32;

template <typename T>
class IndexedRows {
 public:
  __aicore__ inline IndexedRows(const IndexedRowsTiling& tiling, GM_ADDR table, GM_ADDR numbers,
                                GM_ADDR list)
      : tiling_(tiling), table_(table), numbers_gm_(numbers), list_(list) {
    pipe_.InitBuffer(rows_, 2, kIndexedTile);
    pipe_.InitBuffer(numbers_, 2, kIndexedNumbers * sizeof(int64_t));
  }

  __aicore__ inline void Process() {
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      Find(tile);
      LoadNumbers();
      LocalTensor<T> rows = rows_.template AllocTensor<T>();
      LocalTensor<int32_t> numbers = numbers_.template DeQue<int32_t>();
      if (tiling_.scatters != 0) {
        LoadList(rows);
      } else {
        if (tiling_.skips != 0) ClearRows(rows, numbers);
        ForEachRow(numbers, [&](uint32_t i, const GlobalTensor<T>& row) {
          DataCopyPad(rows[i * pitch_], row, DataCopyExtParams{1, bytes_, 0, 0, 0},
                      DataCopyPadExtParams<T>{});
        });
      }
      rows_.EnQue(rows);
      rows = rows_.template DeQue<T>();
      if (tiling_.scatters != 0) {
        StoreRows(rows, numbers);
      } else {
        StoreList(rows);
      }
      rows_.FreeTensor(rows);
      numbers_.FreeTensor(numbers);
    }
  }

 private:
  __aicore__ inline void Find(uint64_t tile) {
    const uint64_t pieces = (tiling_.run + tiling_.piece - 1) / tiling_.piece;
    const uint64_t blocks = (tiling_.numbers + tiling_.tile - 1) / tiling_.tile;
    const uint64_t byte = tile % pieces * tiling_.piece;
    tile /= pieces;
    const uint64_t first = tile % blocks * tiling_.tile;
    const uint64_t list = tile / blocks;
    count_ = min(static_cast<uint64_t>(tiling_.tile), tiling_.numbers - first);
    bytes_ = min(static_cast<uint64_t>(tiling_.piece), tiling_.run - byte);
    pitch_ = (bytes_ + kBlock - 1) / kBlock * kBlock / sizeof(T);
    first_ = first;
    table_at_ = table_ + list * tiling_.table_step + byte;
    list_at_ = list_ + (list * tiling_.numbers + first) * tiling_.run + byte;
  }

  __aicore__ inline void LoadNumbers() {
    const uint32_t words = tiling_.wide != 0 ? 2 : 1;
    LocalTensor<int32_t> numbers = numbers_.template AllocTensor<int32_t>();
    GlobalTensor<int32_t> from;
    from.SetGlobalBuffer((__gm__ int32_t*)numbers_gm_ + first_ * words);
    const auto bytes = static_cast<uint32_t>(count_ * words * sizeof(int32_t));
    DataCopyPad(numbers, from, DataCopyExtParams{1, bytes, 0, 0, 0},
                DataCopyPadExtParams<int32_t>{});
    numbers_.EnQue(numbers);
  }

  __aicore__ inline int64_t NumberAt(const LocalTensor<int32_t>& numbers, uint32_t i) {
    const LocalTensor<int64_t> wide = numbers.template ReinterpretCast<int64_t>();
    return tiling_.wide != 0 ? wide.GetValue(i) : numbers.GetValue(i);
  }

  /// Zeros for the rows that the numbers do not name.
  __aicore__ inline void ClearRows(const LocalTensor<T>& rows,
                                   const LocalTensor<int32_t>& numbers) {
    const LocalTensor<int16_t> halves = rows.template ReinterpretCast<int16_t>();
    const uint32_t pitch = pitch_ * sizeof(T) / sizeof(int16_t);
    // The queue knows of loads and stores alone.
    bool clears = false;
    for (uint32_t i = 0; i < count_; ++i) {
      if (NumberAt(numbers, i) >= 0) continue;
      if (!clears) Wait<HardEvent::MTE3_V>();
      clears = true;
      Duplicate(halves[i * pitch], static_cast<int16_t>(0), pitch);
    }
    if (clears) Wait<HardEvent::V_MTE3>();
  }

  template <HardEvent event>
  __aicore__ inline void Wait() {
    const TEventID id = pipe_.FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
  }

  /// Calls `visit` with each row of the table that the numbers name.
  template <typename Visit>
  __aicore__ inline void ForEachRow(const LocalTensor<int32_t>& numbers, const Visit& visit) {
    for (uint32_t i = 0; i < count_; ++i) {
      int64_t number = NumberAt(numbers, i);
      if (number < 0 && tiling_.skips != 0) continue;
      if (number < 0) number += static_cast<int64_t>(tiling_.rows);
      GlobalTensor<T> row;
      row.SetGlobalBuffer((__gm__ T*)(table_at_ + number * static_cast<int64_t>(tiling_.run)));
      visit(i, row);
    }
  }

  /// How rows that follow each other in a list are copied.
  __aicore__ inline DataCopyExtParams ListRows(bool into) {
    const auto gap = static_cast<uint32_t>(tiling_.run - bytes_);
    return {static_cast<uint16_t>(count_), bytes_, into ? 0 : gap, into ? gap : 0, 0};
  }

  __aicore__ inline void LoadList(const LocalTensor<T>& rows) {
    GlobalTensor<T> list;
    list.SetGlobalBuffer((__gm__ T*)list_at_);
    DataCopyPad(rows, list, ListRows(false), DataCopyPadExtParams<T>{});
  }

  __aicore__ inline void StoreList(const LocalTensor<T>& rows) {
    GlobalTensor<T> list;
    list.SetGlobalBuffer((__gm__ T*)list_at_);
    DataCopyPad(list, rows, ListRows(true));
  }

  __aicore__ inline void StoreRows(const LocalTensor<T>& rows,
                                   const LocalTensor<int32_t>& numbers) {
    if constexpr (!std::is_same_v<T, uint8_t>) SetAtomicAdd<T>();
    ForEachRow(numbers, [&](uint32_t i, const GlobalTensor<T>& row) {
      DataCopyPad(row, rows[i * pitch_], DataCopyExtParams{1, bytes_, 0, 0, 0});
    });
    if constexpr (!std::is_same_v<T, uint8_t>) SetAtomicNone();
  }

  const IndexedRowsTiling& tiling_;
  const GM_ADDR table_, numbers_gm_, list_;
  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> rows_;
  TQue<QuePosition::VECIN, 2> numbers_;
  GM_ADDR table_at_ = nullptr, list_at_ = nullptr;
  uint64_t first_ = 0;
  uint32_t count_ = 0, bytes_ = 0, pitch_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_indexed_rows(GM_ADDR table, GM_ADDR numbers,
                                                          GM_ADDR list, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(IndexedRowsTiling, tiling, tiling_data);
  switch (tiling.adds) {
    case AddedAs::kNothing:
      return IndexedRows<uint8_t>(tiling, table, numbers, list).Process();
    case AddedAs::kFloat:
      return IndexedRows<float>(tiling, table, numbers, list).Process();
    case AddedAs::kHalf:
      return IndexedRows<half>(tiling, table, numbers, list).Process();
    case AddedAs::kBfloat:
      return IndexedRows<bfloat16_t>(tiling, table, numbers, list).Process();
    case AddedAs::kInt32:
      return IndexedRows<int32_t>(tiling, table, numbers, list).Process();
  }
}
