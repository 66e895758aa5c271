// Additions: in UB alone, for its banks, and from global memory back to it.
#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// `count` Adds of fp32, one after the other, on operands at given places of UB.
observe::LaunchReport ub_add(sim::Device& device, const Params& params) {
  const std::uint32_t x = params.number("x"), y = params.number("y"), z = params.number("z"),
                      repeats = params.size("repeats"), count = params.size("count");
  const isa::KernelEntry entry{"ub_add", isa::KernelType::kAivOnly, nullptr, nullptr};
  return device.launch(entry, 1, {}, [=] {
    const std::uint32_t elements = repeats * 64;
    const auto a = local<float>(TPosition::VECCALC, x, elements),
               b = local<float>(TPosition::VECCALC, y, elements),
               c = local<float>(TPosition::VECCALC, z, elements);
    for (std::uint32_t i = 0; i < count; ++i) {
      Add(c, a, b, 64, static_cast<std::uint8_t>(repeats), BinaryRepeatParams());
    }
  });
}

/// How the addition is cut, and what is done beside it.
struct AddPlan {
  std::uint32_t tile, buffers;
  std::uint32_t chain;  ///< Adds of a tile, each on the result of the one before
  bool bypass;          ///< L2 keeps no line of what is read
  std::uint32_t row;    ///< elements that no two cores share
};

/// The rows of a core, of which the first cores take those that are left over.
inline Share rows_of(std::uint64_t rows, std::uint64_t core, std::uint64_t cores) {
  const std::uint64_t each = rows / cores, left = rows % cores;
  const std::uint64_t begin = core * each + std::min(core, left);
  return {begin, begin + each + (core < left ? 1 : 0)};
}

/// z = x + y on fp16.
struct AddTensors {
  GlobalTensor<half> x, y, z;

  void bypass_l2() {
    x.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    y.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  }
};

/// The addition through queues of `buffers` buffers of `tile` elements each. The `special` kernel
/// has code for chains and for L2; the plain one has not, and takes no time for it.
template <bool special>
class AddTiles {
 public:
  AddTiles(const AddTensors& tensors, const AddPlan& plan)
      : gm_(tensors), tile_(plan.tile), chain_(plan.chain) {
    const std::uint32_t tile = plan.tile, buffers = plan.buffers;
    if (special && plan.bypass) gm_.bypass_l2();
    pipe_.InitBuffer(x_queue_, static_cast<std::uint8_t>(buffers), tile * 2);
    pipe_.InitBuffer(y_queue_, static_cast<std::uint8_t>(buffers), tile * 2);
    pipe_.InitBuffer(z_queue_, static_cast<std::uint8_t>(buffers), tile * 2);
  }

  void run(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at += tile_) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_, end - at));
      load(at, count);
      add(count);
      store(at, count);
    }
  }

 private:
  void load(std::uint64_t at, std::uint32_t count) {
    auto x = x_queue_.template AllocTensor<half>();
    auto y = y_queue_.template AllocTensor<half>();
    DataCopy(x, gm_.x[at], count);
    DataCopy(y, gm_.y[at], count);
    x_queue_.EnQue(x);
    y_queue_.EnQue(y);
  }
  void add(std::uint32_t count) {
    auto x = x_queue_.template DeQue<half>();
    auto y = y_queue_.template DeQue<half>();
    auto z = z_queue_.template AllocTensor<half>();
    Add(z, x, y, static_cast<std::int32_t>(count));
    if constexpr (special) {
      for (std::uint32_t i = 1; i < chain_; ++i) {
        PipeBarrier<PIPE_V>();
        Add(z, z, y, static_cast<std::int32_t>(count));
      }
    }
    z_queue_.EnQue(z);
    x_queue_.FreeTensor(x);
    y_queue_.FreeTensor(y);
  }
  void store(std::uint64_t at, std::uint32_t count) {
    auto z = z_queue_.template DeQue<half>();
    DataCopy(gm_.z[at], z, count);
    z_queue_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> x_queue_, y_queue_;
  TQue<TPosition::VECOUT, 1> z_queue_;
  AddTensors gm_;
  std::uint32_t tile_, chain_;
};

/// The addition without queues: one set of buffers at fixed addresses, or two that take turns, and
/// flags set and awaited by hand.
class AddByFlags {
 public:
  AddByFlags(const AddTensors& tensors, const AddPlan& plan)
      : gm_(tensors), tile_(plan.tile), sets_(plan.buffers) {
    if (plan.bypass) gm_.bypass_l2();
  }

  void run(std::uint64_t begin, std::uint64_t end) {
    for (std::uint32_t set = 0; set < sets_; ++set) release(id(set));
    std::uint32_t set = 0;
    for (std::uint64_t at = begin; at < end; at += tile_) {
      add(at, static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_, end - at)), set);
      if (++set == sets_) set = 0;
    }
    for (set = 0; set < sets_; ++set) {
      WaitFlag<HardEvent::V_MTE2>(id(set));
      WaitFlag<HardEvent::MTE3_V>(id(set));
    }
  }

 private:
  static constexpr std::uint32_t kMostTile = 16384;  ///< elements from one buffer to the next

  static TEventID id(std::uint32_t set) { return static_cast<TEventID>(set); }
  static void release(TEventID event) {
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::MTE3_V>(event);
  }
  LocalTensor<half> buffer(std::uint32_t set, std::uint32_t number) const {
    return local<half>(TPosition::VECCALC, (set * 3 + number) * kMostTile * 2, tile_);
  }

  void add(std::uint64_t at, std::uint32_t count, std::uint32_t set) {
    const auto x = buffer(set, 0), y = buffer(set, 1), z = buffer(set, 2);
    const TEventID event = id(set);
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(x, gm_.x[at], count);
    DataCopy(y, gm_.y[at], count);
    SetFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE3_V>(event);
    Add(z, x, y, static_cast<std::int32_t>(count));
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::V_MTE3>(event);
    WaitFlag<HardEvent::V_MTE3>(event);
    DataCopy(gm_.z[at], z, count);
    SetFlag<HardEvent::MTE3_V>(event);
  }

  AddTensors gm_;
  std::uint32_t tile_, sets_;
};

template <class Kernel>
std::function<observe::LaunchReport()> add_launch(sim::Device& device, std::uint64_t length,
                                                  std::uint32_t cores, const AddPlan& plan) {
  half* x = allocate<half>(device, length, "x");
  half* y = allocate<half>(device, length, "y");
  half* z = allocate<half>(device, length, "z");
  return [=, &device] {
    const isa::KernelEntry entry{"add", isa::KernelType::kAivOnly, nullptr, nullptr};
    return device.launch(entry, cores, {}, [=] {
      const Share mine = rows_of(length / plan.row, GetBlockIdx(), cores);
      const AddTensors tensors{global(x, length), global(y, length), global(z, length)};
      Kernel(tensors, plan).run(mine.begin * plan.row, mine.end * plan.row);
    });
  };
}

std::function<observe::LaunchReport()> prepare_add(sim::Device& device, const Params& params) {
  const std::uint64_t length = params.size("length");
  const std::uint32_t cores = vector_cores(device, params);
  const AddPlan plan{params.size("tile"), params.size("buffers", 1), params.size("chain", 1),
                     params.number("bypass", 0) != 0, params.size("row", 16)};
  if (params.choice("by", {"queues", "flags"}) == "flags") {
    return add_launch<AddByFlags>(device, length, cores, plan);
  }
  if (plan.chain > 1 || plan.bypass) {
    return add_launch<AddTiles<true>>(device, length, cores, plan);
  }
  return add_launch<AddTiles<false>>(device, length, cores, plan);
}

const KernelRegistrar g_ub_add({"ub_add", "Adds in UB: x y z (byte addresses) repeats count",
                                [](sim::Device& device, const Params& params) {
                                  return [=, &device] { return ub_add(device, params); };
                                }});
const KernelRegistrar g_add(
    {"add", "z = x + y, fp16: length tile [row cores buffers chain bypass by=flags]", prepare_add});

}  // namespace
}  // namespace davsim::silicon
