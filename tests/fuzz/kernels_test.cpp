// Random kernels, legal by construction: results agree with plain code and cycles with each other,
// with one and two threads, with and without trace and checker. Each order that a kernel needs is
// missed by the checker when it is left out. DAVSIM_FUZZ_SEED and DAVSIM_FUZZ_COUNT choose others.
#include <cstring>

#include "checker/checker.hpp"
#include "tests/child_process.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/kernel_orders.hpp"
#include "tests/fuzz/kernel_program.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kNone = ~0u;

LocalTensor<float> buffer(std::uint32_t number) {
  constexpr std::uint32_t n = KernelProgram::kElements;
  return ub<float>(number * n * sizeof(float), n);
}

void emit_flag(const Operation& op) {
  const auto event = static_cast<std::int32_t>(op.event);
  if (op.from == Unit::kMte2 && op.then == Unit::kVector) {
    SetFlag<HardEvent::MTE2_V>(event), WaitFlag<HardEvent::MTE2_V>(event);
  } else if (op.from == Unit::kMte2) {
    SetFlag<HardEvent::MTE2_MTE3>(event), WaitFlag<HardEvent::MTE2_MTE3>(event);
  } else if (op.from == Unit::kVector && op.then == Unit::kMte2) {
    SetFlag<HardEvent::V_MTE2>(event), WaitFlag<HardEvent::V_MTE2>(event);
  } else if (op.from == Unit::kVector) {
    SetFlag<HardEvent::V_MTE3>(event), WaitFlag<HardEvent::V_MTE3>(event);
  } else if (op.then == Unit::kMte2) {
    SetFlag<HardEvent::MTE3_MTE2>(event), WaitFlag<HardEvent::MTE3_MTE2>(event);
  } else {
    SetFlag<HardEvent::MTE3_V>(event), WaitFlag<HardEvent::MTE3_V>(event);
  }
}

void emit_barrier(const Operation& op) {
  if (op.step == Step::kAll) return PipeBarrier<PIPE_ALL>();
  if (op.from == Unit::kMte2) return PipeBarrier<PIPE_MTE2>();
  if (op.from == Unit::kMte3) return PipeBarrier<PIPE_MTE3>();
  PipeBarrier<PIPE_V>();
}

void emit(const Operation& op, const GlobalTensor<float>& memory) {
  constexpr std::uint32_t n = KernelProgram::kElements;
  switch (op.step) {
    case Step::kLoad:
      return DataCopy(buffer(op.to), memory[op.a * n], n);
    case Step::kStore:
      return DataCopy(memory[op.to * n], buffer(op.a), n);
    case Step::kFill:
      return Duplicate(buffer(op.to), op.value, n);
    case Step::kAdd:
      return Add(buffer(op.to), buffer(op.a), buffer(op.b), n);
    case Step::kMul:
      return Mul(buffer(op.to), buffer(op.a), buffer(op.b), n);
    case Step::kAdds:
      return Adds(buffer(op.to), buffer(op.a), op.value, n);
    case Step::kMuls:
      return Muls(buffer(op.to), buffer(op.a), op.value, n);
    case Step::kFlag:
      return emit_flag(op);
    case Step::kBarrier:
    case Step::kAll:
      return emit_barrier(op);
  }
}

struct RunSetup {
  sim::Mode mode = sim::Mode::kTimed;
  std::uint32_t threads = 2;
  bool checked = false, observed = false;
  std::uint32_t left_out = kNone;  ///< the flag or barrier that the program is run without
};

std::vector<float> first_contents(const KernelProgram& program) {
  std::vector<float> rows(program.elements());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 11) - 5;
  return rows;
}

/// "cycles digest findings" of a run.
std::string outcome_of(const KernelProgram& program, const RunSetup& setup) {
  sim::DeviceOptions options;
  options.mode = setup.mode;
  options.threads = setup.threads;
  sim::Device device(sim::SocConfig::named("Ascend910B3"), options);
  checker::Checker checker;
  Recorder recorder;
  if (setup.checked) device.check(&checker);
  if (setup.observed) device.attach(&recorder);
  const std::vector<float> before = first_contents(program);
  auto* rows = reinterpret_cast<float*>(device.memory().allocate(before.size() * 4, "rows"));
  std::memcpy(rows, before.data(), before.size() * 4);
  const isa::KernelEntry entry{"fuzz", isa::KernelType::kAivOnly, nullptr, nullptr};
  const auto kernel = [&] {
    const auto core = static_cast<std::uint32_t>(GetBlockIdx());
    const GlobalTensor<float> memory = gm(rows, before.size());
    std::uint32_t number = 0;  // of the orders of all cores, in the order of phases and cores
    for (const auto& phase : program.phases) {
      for (std::uint32_t c = 0; c < program.cores; ++c) {
        for (const Operation& op : phase[c]) {
          const bool order = op.step == Step::kFlag || op.step == Step::kBarrier;
          const bool out = order && number++ == setup.left_out;
          if (c == core && !out) emit(op, memory);
        }
      }
      if (program.cores > 1) SyncAll();
    }
  };
  const auto report = device.launch(entry, program.cores, {}, kernel);
  const std::uint64_t cycles = setup.mode == sim::Mode::kTimed ? report.cycles : 0;
  return std::to_string(cycles) + " " + std::to_string(digest(rows, before.size() * 4)) + " " +
         std::to_string(checker.findings().open()) +
         (checker.findings().open() > 0 ? checker::text_of(checker.findings()) : "");
}

std::string run(const KernelProgram& program, const RunSetup& setup) {
  return in_child([&] { return outcome_of(program, setup); });
}

TEST(FuzzKernels, LegalOnesAgreeInEveryWayToRunThemAndAnOrderThatIsMissingIsFound) {
  const std::uint64_t first = generator_option("DAVSIM_FUZZ_SEED", 1);
  const std::uint64_t count = generator_option("DAVSIM_FUZZ_COUNT", 6);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(seed);
    const KernelProgram program = random_kernel(seed);
    const std::vector<float> good = computed(program, first_contents(program));
    const std::string result = " " + std::to_string(digest(good.data(), good.size() * 4)) + " 0";
    const std::string plain = run(program, {.threads = 1});
    EXPECT_TRUE(ordered_without(program, kNone));
    EXPECT_TRUE(plain.ends_with(result)) << plain;
    EXPECT_EQ(run(program, {.observed = true}), plain);
    EXPECT_EQ(run(program, {.checked = true, .observed = true}), plain);
    EXPECT_EQ(run(program, {.mode = sim::Mode::kFunctional, .checked = true}), "0" + result);
    if (program.needed == 0) continue;
    const RunSetup hazard{.checked = true,
                          .left_out = static_cast<std::uint32_t>(seed % program.needed)};
    const std::string found = run(program, hazard);
    const bool raced = found.find("race") != std::string::npos;
    EXPECT_EQ(raced, !ordered_without(program, hazard.left_out))
        << "without order " << hazard.left_out << ": " << found;
  }
}

}  // namespace
}  // namespace davsim::test
