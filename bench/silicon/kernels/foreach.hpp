// Foreach operators of three tensors of float, as the vendor's by their published structure: cores
// begin on DataBlocks, the result leaves from the buffer of the first input, and the next load
// waits for the store.
#pragma once

#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {

/// Bytes of the structure with the tiling of foreach operators.
inline constexpr std::uint32_t kForeachTiling = 2824;

/// What lies in global memory: x + scalar y / z becomes `out`.
struct ForeachTensors {
  float *x, *y, *z, *out;
  std::int64_t* lists;  ///< the four lists of addresses, and the scalar

  static constexpr std::uint32_t kLists = 4, kListWords = 64;

  static ForeachTensors allocated(sim::Device& device, std::uint64_t count) {
    return {allocate<float>(device, count, "x"), allocate<float>(device, count, "y"),
            allocate<float>(device, count, "z"), allocate<float>(device, count, "out"),
            allocate<std::int64_t>(device, (kLists + 1) * kListWords, "lists")};
  }
};

class ForeachAddcdiv {
 public:
  ForeachAddcdiv(const ForeachTensors& gm, std::uint64_t count) : gm_(gm), total_(count) {
    words(ForeachTensors::kLists).GetValue(0);
    pipe_.InitBuffer(x_queue_, 2, kBytes);
    pipe_.InitBuffer(y_queue_, 2, kBytes);
    pipe_.InitBuffer(z_queue_, 2, kBytes);
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    constexpr std::uint64_t kBlock = 8;
    const Share mine = share_of(ceil_div(total_, kBlock), core, cores);
    const std::uint64_t end = std::min(total_, mine.end * kBlock);
    // A list begins with the place of its addresses.
    for (std::uint32_t list = 0; list < ForeachTensors::kLists; ++list) {
      words(list).GetValue(words(list).GetValue(0) == 0 ? 1 : 2);
    }
    for (std::uint64_t at = mine.begin * kBlock; at < end; at += kCount) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kCount, end - at));
      load(x_queue_, gm_.x, at, count);
      load(y_queue_, gm_.y, at, count);
      load(z_queue_, gm_.z, at, count);
      compute(at, count);
    }
  }

 private:
  using Queue = AscendC::TQue<AscendC::TPosition::VECIN, 2>;
  /// A buffer is an eighth of UB.
  static constexpr std::uint32_t kBytes = (192 * 1024 - kForeachTiling) / 8 / 32 * 32;
  static constexpr std::uint32_t kCount = kBytes / sizeof(float);

  AscendC::GlobalTensor<std::int64_t> words(std::uint32_t list) const {
    constexpr std::uint32_t kWords = ForeachTensors::kListWords;
    return global(gm_.lists + std::uint64_t{list} * kWords, kWords);
  }

  void load(Queue& queue, float* from, std::uint64_t at, std::uint32_t count) {
    using namespace AscendC;
    auto tile = queue.AllocTensor<float>();
    if (count == kCount) {
      DataCopy(tile, global(from, total_)[at], count);
    } else {
      DataCopyPad(tile, global(from, total_)[at], DataCopyExtParams(1, count * 4, 0, 0, 0),
                  DataCopyPadExtParams<float>{});
    }
    queue.EnQue(tile);
  }

  void compute(std::uint64_t at, std::uint32_t count) {
    using namespace AscendC;
    auto x = x_queue_.DeQue<float>();
    auto y = y_queue_.DeQue<float>();
    auto z = z_queue_.DeQue<float>();
    Div(y, y, z, static_cast<std::int32_t>(count));
    PipeBarrier<PIPE_V>();
    Axpy(x, y, 2.0f, static_cast<std::int32_t>(count));
    PipeBarrier<PIPE_V>();
    y_queue_.FreeTensor(y);
    z_queue_.FreeTensor(z);
    leave(x, at, count);
    x_queue_.FreeTensor(x);
  }

  void leave(const AscendC::LocalTensor<float>& x, std::uint64_t at, std::uint32_t count) {
    using namespace AscendC;
    const auto computed = static_cast<event_t>(pipe_.FetchEventID(HardEvent::V_MTE3));
    SetFlag<HardEvent::V_MTE3>(computed);
    WaitFlag<HardEvent::V_MTE3>(computed);
    if (count == kCount) {
      DataCopy(global(gm_.out, total_)[at], x, count);
    } else {
      DataCopyPad(global(gm_.out, total_)[at], x, DataCopyExtParams(1, count * 4, 0, 0, 0));
    }
    const auto stored = static_cast<event_t>(pipe_.FetchEventID(HardEvent::MTE3_MTE2));
    SetFlag<HardEvent::MTE3_MTE2>(stored);
    WaitFlag<HardEvent::MTE3_MTE2>(stored);
  }

  ForeachTensors gm_;
  std::uint64_t total_;
  AscendC::TPipe pipe_;
  Queue x_queue_, y_queue_, z_queue_;
};

/// x + scalar y / z of `count` floats.
inline Launch foreach_launch(sim::Device& device, const Params& params, std::uint64_t count) {
  const std::uint32_t cores = vector_cores(device, params);
  const auto gm = ForeachTensors::allocated(device, count);
  return vector_launch(device, params, "foreach", {.tiling = kForeachTiling}, cores,
                       [=] { ForeachAddcdiv(gm, count).run(AscendC::GetBlockIdx(), cores); });
}

}  // namespace davsim::silicon
