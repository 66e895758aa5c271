// Launches that between them use every part of a die, so that a change of any parameter shows.
#pragma once

#include "isa/core/scalar_work.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {

/// A die of four AI cores whose caches and windows are so small that short kernels overflow them.
inline std::vector<std::pair<std::string, std::string>> probe_settings() {
  return {{"cores", "4"},
          {"l2.size", "768KiB"},
          {"l0c.size", "1MiB"},
          {"scalar.call_bytes", "4096"},
          {"scalar.work", "1"},
          {"scalar.dcache_bytes", "256"},
          {"l2.write_ahead", "65536"},
          {"dma.read_requests", "32"}};
}

class Probe {
 public:
  explicit Probe(sim::Device& device) : device_(device) {
    device_.attach(&recorder_);
    data_ = reinterpret_cast<std::int8_t*>(device_.memory().allocate(kBytes, "data"));
  }

  /// Everything that was seen, as text.
  std::string run() {
    record(isa::KernelType::kAivOnly, 12, {}, [this] { on_vector(); });
    record(isa::KernelType::kAicOnly, 6, [this] { on_cube(); }, {});
    record(
        isa::KernelType::kMix12, 5,
        [] {
          AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(1);
          AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(2);
        },
        [] {
          AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(1);
          AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(2);
        });
    record(isa::KernelType::kAivOnly, 2, {}, [this] { counted_on_vector(); });
    record(isa::KernelType::kAicOnly, 2, [this] { counted_on_cube(); }, {});
    return text_ + " memory " + std::to_string(device_.soc().hbm_bytes());
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{8} << 20;

  template <class T>
  AscendC::GlobalTensor<T> data(std::size_t byte) const {
    return gm(reinterpret_cast<T*>(data_ + byte), (kBytes - byte) / sizeof(T));
  }
  template <class T>
  static AscendC::LocalTensor<T> at(AscendC::TPosition position, std::uint32_t byte = 0) {
    return AscendC::LocalTensor<T>(position, byte, 16);
  }

  void record(isa::KernelType type, std::uint32_t blocks, std::function<void()> aic,
              std::function<void()> aiv) {
    const isa::KernelEntry entry{"probe", type, nullptr, nullptr};
    const auto with_sizes = [this](std::function<void()> kernel) -> std::function<void()> {
      if (!kernel) return {};
      return [this, kernel] {
        kernel();
        if (AscendC::GetBlockIdx() != 0) return;
        for (std::size_t i = 0; i < isa::kSpaceCount; ++i) {
          sizes_ +=
              " " + std::to_string(isa::current_core().buffer_size(static_cast<isa::Space>(i)));
        }
      };
    };
    const auto report =
        device_.launch(entry, blocks, with_sizes(std::move(aic)), with_sizes(std::move(aiv)));
    text_ += "\n" + std::to_string(report.cycles) + " " +
             std::to_string(report.launch_overhead_us) + " " + std::to_string(report.time_us());
    for (const auto& event : recorder_.events) {
      for (const auto cycle : {event.dispatched, event.start, event.end}) {
        text_ += " " + std::to_string(cycle);
      }
    }
    text_ += sizes_;
  }

  void on_vector() const {
    using namespace AscendC;
    const std::size_t mine = GetBlockIdx() * std::size_t{262144};
    for (int round = 0; round < 2; ++round) {
      for (std::size_t line = 0; line < 6; ++line) {
        data<std::int32_t>(mine).SetValue(line * 16, 1);
      }
      static_cast<void>(data<std::int32_t>(mine).GetValue(5 * 16 + 8));  // half a line on
    }
    // Every other line: four ways hold them, two sets of two ways do not.
    for (int i = 0; i < 9; ++i) {
      static_cast<void>(data<std::int32_t>(mine + 65536).GetValue(i % 3 * 32));
    }
    ICachePreLoad(2);
    static_cast<void>(GetICachePreloadStatus());
    const auto x = ub<half>(0, 4096), y = ub<half>(16384, 4096), z = ub<half>(32768, 4096);
    for (int i = 0; i < 80; ++i) Add(z, x, y, 16);  // more than a queue takes
    PipeBarrier<PIPE_V>();
    // In the groups of its source, in the same bank and in the next: one reads what is written.
    Add(ub<half>(256, 4096), x, ub<half>(8192 + 512, 4096), 4096);
    std::uint64_t kept = 0;
    GatherMask(ub<float>(65536, 64), ub<float>(0, 640), ub<std::uint32_t>(131072, 8), true, 64,
               {1, 10, 8, 0}, kept);
    Adds(ub<half>(65536 + 256, 4096), x, half(1), 4096);
    Adds(ub<half>(32768 + 256, 4096), x, half(1), 4096);
    for (std::size_t i = 0; i < 8; ++i) {
      DataCopy(ub<std::int8_t>(0, 32768), data<std::int8_t>(i * 32768), 32768);
      DataCopy(data<std::int8_t>(mine + i * 32768), ub<std::int8_t>(65536, 32768), 32768);
    }
    DataCopyPad(ub<std::int8_t>(0, 65536), data<std::int8_t>(mine + 32),
                DataCopyExtParams(60, 200, 312, 0, 0), DataCopyPadExtParams<std::int8_t>{});
    DataCopy(ub<std::int8_t>(0, 65536), data<std::int8_t>(mine + 64), {200, 1, 15, 0});
    DataCopy(ub<std::int8_t>(0, 71680), data<std::int8_t>(mine), {64, 35, 5, 0});
    auto passing = data<std::int8_t>(mine + 131072);
    passing.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    DataCopy(ub<std::int8_t>(0, 65536), passing, {255, 4, 12, 0});  // requests of 128 bytes
    PipeBarrier<PIPE_ALL>();
    DataCopy(data<std::int8_t>(mine), ub<std::int8_t>(0, 512), 512);
    for (int round = 0; round < 2; ++round) {  // more code than the instruction cache holds
      Adds(z, x, half(1), 16);
      Muls(z, x, half(1), 16);
      Abs(z, x, 16);
      Exp(z, x, 16);
      Sqrt(z, x, 16);
      Relu(z, x, 16);
    }
  }

  void on_cube() const {
    products();
    loads();
    results();
    AscendC::PipeBarrier<PIPE_ALL>();
    // Code beyond the instruction cache, twice.
    for (int round = 0; round < 2; ++round) products();
  }
  /// What the compiler plugin does before a call: counts instructions of each class, in code of
  /// 2000 bytes.
  static void count(std::uint64_t place) {
    davsim_scalar_work[0] = place << isa::kCodeBytesBits | 2000;
    constexpr auto kOfGlobalMemory = static_cast<std::size_t>(isa::ScalarClass::kGlobalLoad);
    for (std::size_t i = 0; i < isa::kScalarClasses; ++i) {
      // Half of the loads and stores are of global memory.
      davsim_scalar_work[i + 1] += i < kOfGlobalMemory ? 40 : 20;
    }
  }
  void counted_on_vector() const {
    using namespace AscendC;
    const auto x = ub<half>(0, 4096);
    // Each call has code of its own, which is smaller than the instruction cache.
    for (std::size_t i = 0; i < isa::kScalarCalls; ++i) {
      count(4 + i);
      isa::note_scalar_call(static_cast<isa::ScalarCall>(i), 4);
      Abs(x, x, 16);
    }
    count(1);
    for (int i = 0; i < 8; ++i) {
      count(2);
      x.SetValue(i, x.GetValue(i + 1));
      static_cast<void>(x.GetValue(i));
      Abs(x, x, 16);
      Abs(x, x, 128, 1, {1, 1, 8, 8});
      DataCopy(x, data<half>(0), 64);
      DataCopyPad(x, data<half>(0), DataCopyExtParams(1, 6, 0, 0, 0), DataCopyPadExtParams<half>{});
      SetFlag<HardEvent::MTE2_V>(0);
      WaitFlag<HardEvent::MTE2_V>(0);
      SetAtomicAdd<float>();
      SetAtomicNone();
    }
  }
  void counted_on_cube() const {
    count(3);
    loads();
    products();
    results();
  }
  static void products() {
    using namespace AscendC;
    const auto to = [](auto c) { return at<decltype(c)>(TPosition::CO1); };
    const MmadParams params(64, 64, 128, 0, false, true);
    Mmad(to(float()), at<half>(TPosition::A2), at<half>(TPosition::B2), params);
    Mmad(to(float()), at<bfloat16_t>(TPosition::A2), at<bfloat16_t>(TPosition::B2), params);
    Mmad(to(std::int32_t()), at<std::int8_t>(TPosition::A2), at<std::int8_t>(TPosition::B2),
         params);
    Mmad(to(std::int32_t()), at<int4b_t>(TPosition::A2), at<int4b_t>(TPosition::B2), params);
    Mmad(to(float()), at<float>(TPosition::A2), at<float>(TPosition::B2), params);
    SetHF32Mode(true);
    Mmad(to(float()), at<float>(TPosition::A2), at<float>(TPosition::B2), params);
    SetHF32Mode(false);
  }
  void loads() const {
    using namespace AscendC;
    Fill(at<half>(TPosition::A1), {4, 256, 0, half(0)});
    const LocalTensor<half> l1(TPosition::A1, 0, 32768);
    DataCopy(l1, data<half>(0), Nd2NzParams(1, 128, 256, 0, 256, 128, 1, 0));
    DataCopy(l1, data<half>(0), Nd2NzParams(1, 64, 255, 0, 255, 64, 1, 0));
    DataCopy(l1, data<half>(0), 32768);
    DataCopy(data<half>(262144), l1, 32768);
    DataCopy(at<float>(TPosition::C2), at<float>(TPosition::C1), 64);
    LoadData2DParams load;
    load.repeatTimes = 32, load.srcStride = 1;
    LoadData(at<half>(TPosition::A2), l1, load);
    LoadData(at<half>(TPosition::B2), at<half>(TPosition::B1), load);
    LoadData3DParamsV2<half> map;
    map.l1H = 1, map.l1W = 48, map.channelSize = 16, map.kExtension = 16, map.mExtension = 16;
    map.strideW = 3;
    LoadData(at<half>(TPosition::A2), l1, map);
    map.strideW = 1;
    LoadData(at<half>(TPosition::A2), l1, map);
  }
  void results() const {
    using namespace AscendC;
    for (const std::uint16_t n : {16, 48, 512}) {
      const LocalTensor<float> c(TPosition::CO1, 0, 256u * n);
      FixpipeParamsV220 params;
      params.nSize = n, params.mSize = 256, params.srcStride = 256, params.dstStride = n;
      Fixpipe(data<float>(1 << 20), c, params);
    }
    FixpipeParamsV220 params;
    params.nSize = 64, params.mSize = 64, params.srcStride = 64, params.dstStride = 64;
    params.quantPre = QuantMode_t::F322F16;
    Fixpipe<half, float, CFG_NZ>(at<half>(TPosition::A1), at<float>(TPosition::CO1), params);
  }

  sim::Device& device_;
  Recorder recorder_;
  std::int8_t* data_ = nullptr;
  std::string text_, sizes_;
};

}  // namespace davsim::test
