// Device code of AddCustom: a share of x and y a core, tile after tile. It is compiled for half and
// for float, and for each tiling key.
#include "kernel_operator.h"

using namespace AscendC;

template <class T>
class KernelAdd {
 public:
  __aicore__ inline KernelAdd() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t start, uint32_t length,
                              uint32_t tile, float alpha) {
    length_ = length;
    tile_ = tile;
    alpha_ = static_cast<T>(alpha);
    x_.SetGlobalBuffer((__gm__ T*)x + start, length);
    y_.SetGlobalBuffer((__gm__ T*)y + start, length);
    z_.SetGlobalBuffer((__gm__ T*)z + start, length);
    pipe_.InitBuffer(in_x_, 2, tile * sizeof(T));
    pipe_.InitBuffer(in_y_, 2, tile * sizeof(T));
    pipe_.InitBuffer(out_z_, 2, tile * sizeof(T));
  }

  __aicore__ inline void Process() {
    for (uint32_t from = 0; from < length_; from += tile_) {
      const uint32_t count = length_ - from < tile_ ? length_ - from : tile_;
      CopyIn(from, count);
      Compute(count);
      CopyOut(from, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t from, uint32_t count) {
    const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> padding{false, 0, 0, 0};
    LocalTensor<T> x = in_x_.AllocTensor<T>();
    DataCopyPad(x, x_[from], bytes, padding);
    in_x_.EnQue(x);
    LocalTensor<T> y = in_y_.AllocTensor<T>();
    DataCopyPad(y, y_[from], bytes, padding);
    in_y_.EnQue(y);
  }

  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<T> x = in_x_.DeQue<T>();
    LocalTensor<T> y = in_y_.DeQue<T>();
    LocalTensor<T> z = out_z_.AllocTensor<T>();
    Muls(z, y, alpha_, count);
    PipeBarrier<PIPE_V>();
    Add(z, x, z, count);
    out_z_.EnQue(z);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
  }

  __aicore__ inline void CopyOut(uint32_t from, uint32_t count) {
    LocalTensor<T> z = out_z_.DeQue<T>();
    const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    DataCopyPad(z_[from], z, bytes);
    out_z_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_x_, in_y_;
  TQue<QuePosition::VECOUT, 2> out_z_;
  GlobalTensor<T> x_, y_, z_;
  uint32_t length_ = 0, tile_ = 0;
  T alpha_;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  uint32_t length = data.full.length;
  if (TILING_KEY_IS(2)) {
    if (GetBlockIdx() == data.full.cores) length = data.last.length;
  } else if (TILING_KEY_IS(1)) {
    length = data.last.length;
  }
  KernelAdd<DTYPE_X> add;
  add.Init(x, y, z, GetBlockIdx() * data.full.length, length, data.tile, data.alpha);
  add.Process();
}
