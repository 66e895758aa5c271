// z = alpha * x + y of float numbers, and the function through which host code launches it.
#include "kernel_operator.h"

namespace {

using namespace AscendC;

constexpr uint32_t kTile = 1024;

class AddScaled {
 public:
  __aicore__ inline AddScaled(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length, float alpha)
      : alpha_(alpha) {
    const uint32_t share = (length + GetBlockNum() - 1) / GetBlockNum();
    const uint32_t part = (share + 7) / 8 * 8, first = part * GetBlockIdx();
    length_ = first >= length ? 0 : (length - first < part ? length - first : part);
    x_.SetGlobalBuffer((__gm__ float*)x + first, length_);
    y_.SetGlobalBuffer((__gm__ float*)y + first, length_);
    z_.SetGlobalBuffer((__gm__ float*)z + first, length_);
    pipe_.InitBuffer(in_x_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(in_y_, 2, kTile * sizeof(float));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (uint32_t done = 0; done < length_; done += kTile) {
      const uint32_t count = length_ - done < kTile ? length_ - done : kTile;
      const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
      const DataCopyPadExtParams<float> no_padding{false, 0, 0, 0};
      LocalTensor<float> x = in_x_.AllocTensor<float>(), y = in_y_.AllocTensor<float>();
      DataCopyPad(x, x_[done], bytes, no_padding);
      DataCopyPad(y, y_[done], bytes, no_padding);
      in_x_.EnQue(x);
      in_y_.EnQue(y);
      x = in_x_.DeQue<float>();
      y = in_y_.DeQue<float>();
      LocalTensor<float> z = out_.AllocTensor<float>();
      Muls(z, x, alpha_, count);
      Add(z, z, y, count);
      in_x_.FreeTensor(x);
      in_y_.FreeTensor(y);
      out_.EnQue(z);
      z = out_.DeQue<float>();
      DataCopyPad(z_[done], z, bytes);
      out_.FreeTensor(z);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_x_, in_y_;
  TQue<QuePosition::VECOUT, 2> out_;
  GlobalTensor<float> x_, y_, z_;
  uint32_t length_;
  float alpha_;
};

}  // namespace

extern "C" __global__ __aicore__ void add_scaled(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length,
                                                 float alpha) {
  AddScaled(x, y, z, length, alpha).Process();
}

extern "C" void add_scaled_do(uint32_t blocks, void* stream, void* x, void* y, void* z,
                              uint32_t length, float alpha) {
  add_scaled<<<blocks, nullptr, stream>>>(static_cast<GM_ADDR>(x), static_cast<GM_ADDR>(y),
                                          static_cast<GM_ADDR>(z), length, alpha);
}
