// As device/second_launch_test.cpp, of several dies: links, collective operations and polls are as
// on new dies whatever ran there before, to its end or stopped after any of its steps.
#include <cstring>
#include <random>
#include <stdexcept>

#include "kernel_operator.h"
#include "kernel_tiling/mc2_tiling.h"
#include "sim/system/communicators.hpp"
#include "tests/child_process.hpp"
#include "tests/sim/device/launch_log.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test::second_launch_of_dies {
namespace {

using namespace AscendC;

constexpr std::uint32_t kDies = 4, kBlocks = 2;
constexpr std::uint32_t kCount = 512;  ///< elements from each die to each
constexpr std::uint32_t kNever = ~0u;

/// What a kernel has on its die, and what it can reach.
struct Place {
  std::uint32_t die;
  std::vector<std::int32_t*> send, recv, flag;  ///< by die
  std::uint64_t context, other_context;
  const void* tiling;
};
using Step = std::function<void()>;
struct TestKernel {
  const char* name;
  void (*run)(const Place&, const Step&);
};

GM_ADDR bytes(std::int32_t* data) {
  return reinterpret_cast<GM_ADDR>(data);
}

template <class Prepare>
void communicate(std::uint64_t context, const Place& at, const Step& step, Prepare prepare) {
  Hccl hccl;
  hccl.InitV2(reinterpret_cast<GM_ADDR>(context), at.tiling);
  hccl.SetCcTilingV2(64);
  step();
  const HcclHandle handle = prepare(hccl, bytes(at.send[at.die]), bytes(at.recv[at.die]));
  step();
  hccl.Wait(handle);
  step();
  hccl.Finalize();
}

void sums(const Place& at, const Step& step) {
  communicate(at.context, at, step, [](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template AllReduce<true>(send, recv, kCount, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM);
  });
}
void gathers(const Place& at, const Step& step) {
  communicate(at.other_context, at, step, [](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template AllGather<true>(send, recv, kCount, HCCL_DATA_TYPE_INT32, 0);
  });
}
void scatters(const Place& at, const Step& step) {
  communicate(at.context, at, step, [](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template ReduceScatter<true>(send, recv, kCount, HCCL_DATA_TYPE_INT32,
                                             HCCL_REDUCE_MAX, 0);
  });
}
void exchanges_in_rounds(const Place& at, const Step& step) {
  communicate(at.context, at, step, [&](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    const HcclHandle handle =
        hccl.template AlltoAll<false>(send, recv, kCount / 2, HCCL_DATA_TYPE_INT32, kCount, 2);
    for (int round = 0; round < 2; ++round) {
      step();
      hccl.Commit(handle);
    }
    hccl.Wait(handle);
    return handle;
  });
}
/// One group waits for what the other one has gathered.
void one_behind_another(const Place& at, const Step& step) {
  gathers(at, step);
  step();
  sums(at, step);
}

void copies(const Place& at, const Step& step) {
  const auto part = static_cast<std::uint32_t>(GetBlockIdx()) * kCount;
  const auto x = ub<std::int32_t>(0, kCount);
  for (std::uint32_t other = 1; other < kDies; ++other) {
    step();
    DataCopy(x, gm(at.send[(at.die + other) % kDies], kDies * kCount)[part], kCount);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    step();
    DataCopy(gm(at.recv[(at.die + 1) % kDies], kDies * kCount)[part], x, kCount);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  }
  step();
}

/// Each die tells the next one, and waits until it was told.
void polls(const Place& at, const Step& step) {
  if (GetBlockIdx() != 0) return;
  const auto word = ub<std::int32_t>(0, 8);
  Duplicate(word, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  step();
  DataCopy(gm(at.flag[(at.die + 1) % kDies], 8), word, 8);
  SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  step();
  std::int32_t seen = 0;
  while (seen != 1) {
    DataCopy(word, gm(at.flag[at.die], 8), 8);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    seen = word.GetValue(0);
  }
  step();
}

constexpr TestKernel kKernels[] = {
    {"sums", sums},
    {"gathers", gathers},
    {"scatters", scatters},
    {"exchanges in rounds", exchanges_in_rounds},
    {"one behind another", one_behind_another},
    {"copies", copies},
    {"polls", polls},
};

class SecondLaunchOfDies : public ::testing::Test {
 protected:
  SecondLaunchOfDies() {
    for (const TestKernel& kernel : kKernels) {
      fresh_.push_back(in_child([&] {
        make();
        return outcome_of(kernel, kNever, 0);
      }));
    }
    make();
  }

  void make() {
    sim::SystemConfig system = sim::SystemConfig::named("atlas_a2_server");
    system.use_dies(kDies);
    device_ = std::make_unique<sim::Device>(sim::SocConfig::named(system.soc()), system);
    device_->attach(&log_);
    std::vector<std::uint32_t> dies;
    for (std::uint32_t die = 0; die < kDies; ++die) {
      dies.push_back(die);
      place_.send.push_back(shared(die, kDies * kCount));
      place_.recv.push_back(shared(die, kDies * kCount));
      place_.flag.push_back(shared(die, 8));
    }
    contexts_ = device_->communicators()->create("group", dies, 1 << 20).contexts;
    other_contexts_ = device_->communicators()->create("other group", dies, 1 << 20).contexts;
    place_.tiling = &tiling_;
  }
  std::int32_t* shared(std::uint32_t die, std::size_t count) {
    std::byte* start = device_->memory(die).allocate(count * sizeof(std::int32_t), "shared");
    device_->memory(die).share(start);
    return reinterpret_cast<std::int32_t*>(start);
  }

  /// Stopped by an exception before step `after` of `die`, or not at all.
  std::string outcome_of(const TestKernel& kernel, std::uint32_t after, std::uint32_t die) {
    for (std::uint32_t of = 0; of < kDies; ++of) {
      for (std::uint32_t i = 0; i < kDies * kCount; ++i) {
        place_.send[of][i] = static_cast<std::int32_t>(1000 * of + i % 77);
        place_.recv[of][i] = 0;
      }
      std::fill_n(place_.flag[of], 8, 0);
    }
    device_->flush_l2();
    std::vector<sim::DieLaunch> launches;
    const isa::KernelEntry entry{kernel.name, isa::KernelType::kAivOnly, nullptr, nullptr};
    for (std::uint32_t of = 0; of < kDies; ++of) {
      launches.push_back({of, &entry, kBlocks, 0, {}, [&, of] {
                            Place place = place_;
                            place.die = of;
                            place.context = contexts_[of];
                            place.other_context = other_contexts_[of];
                            std::uint32_t steps = 0;
                            kernel.run(place, [&] {
                              if (steps++ == after && of == die) {
                                throw std::runtime_error("stopped");
                              }
                            });
                          }});
    }
    std::string text;
    try {
      for (const observe::LaunchReport& report : device_->launch(std::move(launches))) {
        text += log_.take(report);
      }
    } catch (const isa::Fault& fault) {
      return log_.take() + fault.what();
    }
    for (const sim::LinkCounters& link : device_->links()) {
      text += link.link + " " + std::to_string(link.die) + " " + std::to_string(link.peer) + " " +
              std::to_string(link.bytes) + " " + std::to_string(link.messages) + " " +
              std::to_string(link.busy) + "\n";
    }
    for (const std::int32_t* received : place_.recv) {
      for (std::uint32_t i = 0; i < kDies * kCount; ++i) text += std::to_string(received[i]) + " ";
    }
    return text;
  }

  void expect_fresh(std::size_t kernel, const std::string& behind) {
    const std::string now = outcome_of(kKernels[kernel], kNever, 0);
    if (now == fresh_[kernel]) return;
    ADD_FAILURE() << kKernels[kernel].name << " behind " << behind << "\n"
                  << first_difference(now, fresh_[kernel]);
  }

  struct {
    Mc2InitTiling init;
    davsim_hccl::CcTilingFields operation;
  } tiling_{};
  LaunchLog log_;
  Place place_{};
  std::vector<std::uint64_t> contexts_, other_contexts_;
  std::unique_ptr<sim::Device> device_;
  std::vector<std::string> fresh_;
};

TEST_F(SecondLaunchOfDies, IsAsOnNewDiesBehindEachKernel) {
  for (const TestKernel& before : kKernels) {
    for (std::size_t kernel = 0; kernel < std::size(kKernels); ++kernel) {
      outcome_of(before, kNever, 0);
      expect_fresh(kernel, before.name);
    }
  }
}

TEST_F(SecondLaunchOfDies, IsAsOnNewDiesBehindAKernelThatWasStopped) {
  std::mt19937 random(7);
  for (const TestKernel& before : kKernels) {
    for (std::uint32_t step = 0; step < 6; ++step) {
      const std::string behind = before.name + (" stopped before step " + std::to_string(step));
      outcome_of(before, step, static_cast<std::uint32_t>(random() % kDies));
      expect_fresh(static_cast<std::size_t>(&before - kKernels), behind);
      outcome_of(before, step, static_cast<std::uint32_t>(random() % kDies));
      expect_fresh(random() % std::size(kKernels), behind);
    }
  }
}

}  // namespace
}  // namespace davsim::test::second_launch_of_dies
