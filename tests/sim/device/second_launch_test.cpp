// What earlier launches leave behind makes no difference: a kernel takes the cycles, counters and
// results of a new device whatever ran there before, to its end, stopped after any of its steps, or
// in a deadlock.
#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "tests/child_process.hpp"
#include "tests/sim/device/launch_log.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test::second_launch {
namespace {

using namespace AscendC;
using isa::KernelType;

constexpr std::uint32_t kFloats = 1 << 16, kHalves = 1 << 16;
constexpr std::uint32_t kNever = ~0u;

/// Global memory of the kernels.
struct Data {
  float* in;
  float* out;
  half* a;
  std::int32_t* words;
};

/// How a kernel is stopped: by an exception before step `after` of a block, or not at all.
struct Stop {
  std::uint32_t after = kNever;
  std::int64_t block = 0;
};

/// What a kernel is made of: it calls step() before each thing that it does.
using Step = std::function<void()>;
using Half = void (*)(const Data&, const Step&);

struct TestKernel {
  const char* name;
  KernelType type;
  std::uint32_t blocks;
  Half aic, aiv;
  bool auto_sync = false;
};

template <HardEvent event>
void pass(std::int32_t id = 0) {
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

void stream(const Data& data, const Step& step) {
  constexpr std::uint32_t kPart = 1024;
  const auto x = ub<float>(0, kPart), y = ub<float>(65536, kPart);
  const std::uint64_t at = static_cast<std::uint64_t>(GetBlockIdx()) * kPart % kFloats;
  for (int i = 0; i < 2; ++i) {
    step();
    DataCopy(x, gm(data.in, kFloats)[at], kPart);
    pass<HardEvent::MTE2_V>();
    step();
    Adds(y, x, 1.0f, kPart);
    pass<HardEvent::V_MTE3>();
    step();
    DataCopy(gm(data.out, kFloats)[at], y, kPart);
    pass<HardEvent::MTE3_MTE2>();
    pass<HardEvent::MTE3_V>();
  }
  step();
  SyncAll();
  step();
}

void scalars(const Data& data, const Step& step) {
  auto words = gm(data.words, kFloats);
  const auto local = ub<std::int32_t>(1024, 64);
  std::int32_t sum = 0;
  for (int i = 0; i < 6; ++i) {
    step();
    sum += words.GetValue(1000 * GetBlockIdx() + 40 * i);
    local.SetValue(i, sum);
  }
  step();
  DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(words);
  words.SetValue(1000 * GetBlockIdx() + 7, local.GetValue(3));
  step();
}

void vectors(const Data& data, const Step& step) {
  const auto x = ub<float>(0, 512), y = ub<float>(4096, 512), z = ub<float>(8192, 512);
  const auto bits = ub<std::uint8_t>(16384, 512);
  DataCopy(x, gm(data.in, kFloats), 512);
  pass<HardEvent::MTE2_V>();
  step();
  Duplicate(y, 2.0f, 512);
  Duplicate(z, 3.0f, 512);
  PipeBarrier<PIPE_V>();
  step();
  Compare(bits, x, y, CMPMODE::LT, 512);
  PipeBarrier<PIPE_V>();
  Select(z, bits, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, 512);
  PipeBarrier<PIPE_V>();
  step();
  WholeReduceSum(y, z, 64, 8, 1, 1, 8);
  PipeBarrier<PIPE_V>();
  step();
  // Masks and the atomic mode stay as they are at the end of the block.
  SetMaskCount();
  SetVectorMask<float, MaskMode::COUNTER>(77);
  Add<float, false>(z, x, y, MASK_PLACEHOLDER, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
  pass<HardEvent::V_MTE3>();
  step();
  SetAtomicAdd<float>();
  DataCopy(gm(data.out, kFloats)[512 * GetBlockIdx()], z, 512);
  step();
}

void product(const Data& data, const Step& step) {
  const TileProduct tile{64, 64, 32};
  tile.to_l1(data.a, data.a + 4096);
  pass<HardEvent::MTE2_MTE1>();
  step();
  tile.to_l0();
  pass<HardEvent::MTE1_M>();
  for (int i = 0; i < 3; ++i) {
    step();
    tile.product(3);
    step();
    tile.out(data.out + 4096 * GetBlockIdx(), 3);
  }
  step();
}

void product_by_flags(const Data& data, const Step& step) {
  const TileProduct tile{32, 96, 64};
  step();
  tile.run(data.a, data.a + 8192, data.out + 4096 * GetBlockIdx());
  step();
}

void cube_of_two(const Data& data, const Step& step) {
  product_by_flags(data, step);
  CrossCoreSetFlag<2, PIPE_FIX>(5);
  step();
  CrossCoreWaitFlag(6);
  step();
}

void vector_of_two(const Data& data, const Step& step) {
  step();
  CrossCoreWaitFlag(5);
  const auto x = ub<float>(0, 1024);
  DataCopy(x, gm(data.out, kFloats)[GetSubBlockIdx() * 1024], 1024);
  pass<HardEvent::MTE2_V>();
  step();
  Muls(x, x, 2.0f, 1024);
  pass<HardEvent::V_MTE3>();
  DataCopy(gm(data.out, kFloats)[32768 + GetSubBlockIdx() * 1024], x, 1024);
  CrossCoreSetFlag<2, PIPE_MTE3>(6);
  step();
}

void without_sync(const Data& data, const Step& step) {
  const auto x = ub<float>(0, 2048), y = ub<float>(16384, 2048);
  Duplicate(x, 1.0f, 2048);
  step();
  Adds(y, x, 2.0f, 2048);
  y.SetValue(5, x.GetValue(9));
  step();
  Add(x, x, y, 2048);
  step();
  // The compiler inserts nothing between these two pipes.
  DataCopy(gm(data.out, kFloats), x, 2048);
  step();
}

void waits_for_ever(const Data& data, const Step& step) {
  step();
  DataCopy(ub<float>(0, 4096), gm(data.in, kFloats), 4096);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(1);
  step();
  Duplicate(ub<float>(0, 64), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  step();
}

void cube_waits_for_ever(const Data& data, const Step& step) {
  product(data, step);
  const TileProduct tile{64, 64, 32};
  tile.product(3);
  tile.product(3);  // nobody takes the result before
  PipeBarrier<PIPE_ALL>();
}

constexpr TestKernel kKernels[] = {
    {"stream", KernelType::kAivOnly, 40, nullptr, stream},
    {"stream in two waves", KernelType::kAivOnly, 10, nullptr, stream},
    {"scalars", KernelType::kAivOnly, 3, nullptr, scalars},
    {"vectors", KernelType::kAivOnly, 4, nullptr, vectors},
    {"more vectors than cores", KernelType::kAivOnly, 50, nullptr, vectors},
    {"product", KernelType::kAicOnly, 3, product, nullptr},
    {"product by flags", KernelType::kAicOnly, 2, product_by_flags, nullptr},
    {"mix", KernelType::kMix12, 2, cube_of_two, vector_of_two},
    {"without synchronisation", KernelType::kAivOnly, 2, nullptr, without_sync, true},
};
/// Kernels that only come before others.
constexpr TestKernel kEndless[] = {
    {"deadlock", KernelType::kAivOnly, 5, nullptr, waits_for_ever},
    {"deadlock of the cube", KernelType::kAicOnly, 2, cube_waits_for_ever, nullptr},
    {"mix without its vectors", KernelType::kMix12, 2, cube_of_two,
     [](const Data&, const Step&) {}},
};

class SecondLaunch : public DeviceTest {
 protected:
  SecondLaunch() {
    for (const TestKernel& kernel : kKernels) {
      fresh_.push_back(in_child([&] {
        make();
        return outcome_of(kernel, {});
      }));
    }
    make();
  }

  void make() {
    sim::DeviceOptions options;
    options.lines = true;
    device(sim::SocConfig::named("Ascend910B3"), options).attach(&log_);
    data_.in = global<float>(kFloats, "in", [](auto) { return 0; });
    data_.out = global<float>(kFloats, "out", [](auto) { return 0; });
    data_.a = global<half>(kHalves, "a", [](auto i) { return half(float(i % 7) - 3); });
    data_.words = global<std::int32_t>(kFloats, "words", [](auto) { return 0; });
  }

  /// What a launch shows and leaves, with cold caches and the same data each time.
  std::string outcome_of(const TestKernel& kernel, Stop stop) {
    for (std::uint32_t i = 0; i < kFloats; ++i) {
      data_.in[i] = static_cast<float>(i % 5);
      data_.out[i] = 0;
      data_.words[i] = static_cast<std::int32_t>(i * i);
    }
    device().flush_l2();
    const auto half_of = [&](Half half) -> std::function<void()> {
      if (half == nullptr) return {};
      return [this, half, stop] {
        std::uint32_t steps = 0;
        half(data_, [&] {
          if (steps++ == stop.after && GetBlockIdx() == stop.block) {
            throw std::runtime_error("stopped");
          }
        });
      };
    };
    isa::KernelEntry entry{kernel.name, kernel.type, nullptr, nullptr};
    entry.traits.auto_sync = kernel.auto_sync;
    std::string text;
    try {
      text = log_.take(
          device().launch(entry, kernel.blocks, half_of(kernel.aic), half_of(kernel.aiv)));
    } catch (const isa::Fault& fault) {
      text = log_.take() + fault.what();
    }
    text += device().suspicion() + "\n";
    for (std::uint32_t i = 0; i < kFloats; ++i) {
      if (data_.out[i] != 0) text += std::to_string(i) + ":" + std::to_string(data_.out[i]) + " ";
    }
    const std::uint64_t words = std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(data_.words), kFloats * sizeof *data_.words});
    return text + "\nwords " + std::to_string(words);
  }

  void expect_fresh(std::size_t kernel, const std::string& behind) {
    const std::string now = outcome_of(kKernels[kernel], {});
    if (now == fresh_[kernel]) return;
    ADD_FAILURE() << kKernels[kernel].name << " behind " << behind << "\n"
                  << first_difference(now, fresh_[kernel]);
  }

  LaunchLog log_;
  Data data_{};
  std::vector<std::string> fresh_;
};

TEST_F(SecondLaunch, IsAsOnANewDeviceBehindEachKernel) {
  for (const TestKernel& before : kKernels) {
    for (std::size_t kernel = 0; kernel < std::size(kKernels); ++kernel) {
      outcome_of(before, {});
      expect_fresh(kernel, before.name);
    }
  }
}

TEST_F(SecondLaunch, IsAsOnANewDeviceBehindAKernelThatWasStopped) {
  std::mt19937 random(5);
  for (const TestKernel& before : kKernels) {
    for (std::uint32_t step = 0; step < 8; ++step) {
      const auto block = static_cast<std::int64_t>(random() % std::min(before.blocks, 3u));
      outcome_of(before, {step, block});
      // The kernel itself uses what it left.
      expect_fresh(static_cast<std::size_t>(&before - kKernels),
                   before.name + (" stopped before step " + std::to_string(step)));
      outcome_of(before, {step, block});
      expect_fresh(random() % std::size(kKernels),
                   before.name + (" stopped before step " + std::to_string(step)));
    }
  }
}

TEST_F(SecondLaunch, IsAsOnANewDeviceBehindADeadlock) {
  for (const TestKernel& before : kEndless) {
    for (std::size_t kernel = 0; kernel < std::size(kKernels); ++kernel) {
      EXPECT_NE(outcome_of(before, {}).find("deadlock"), std::string::npos) << before.name;
      expect_fresh(kernel, before.name);
    }
  }
}

}  // namespace
}  // namespace davsim::test::second_launch
