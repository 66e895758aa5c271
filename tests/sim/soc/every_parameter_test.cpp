// Each name that --set takes changes something, or is refused with the reason.
#include <map>
#include <set>

#include "isa/exec/vector/vector_shape.hpp"
#include "sim/soc/soc_parameters.hpp"
#include "sim/unit/unit_registry.hpp"
#include "tests/child_process.hpp"
#include "tests/sim/soc/probe_kernels.hpp"

namespace davsim::test {
namespace {

using sim::SocConfig;
using sim::SocParameter;

SocConfig probed_soc(const std::string& hbm) {
  SocConfig soc = SocConfig::named("Ascend910B3");
  soc.set("Models", "hbm", hbm);
  for (const auto& [name, value] : probe_settings()) {
    sim::apply_settings(soc, {{sim::find_parameter(soc, name).value(), value}});
  }
  return soc;
}

/// What a process of its own says of a die: there can be one device a process.
std::string seen_on(const SocConfig& soc) {
  return in_child([&]() -> std::string {
    try {
      sim::DeviceOptions options;
      options.threads = 1;
      sim::Device device(soc, options);
      return Probe(device).run();
    } catch (const std::invalid_argument& error) {
      return std::string("refused: ") + error.what();
    }
  });
}

/// Whether the process ended otherwise than with an answer.
bool went_wrong(const std::string& seen) {
  return seen.empty() || seen.starts_with("it threw") || seen.find("it was killed") != seen.npos ||
         seen.find("it ended") != seen.npos;
}

/// Rows of vector instructions have a test of their own below.
bool is_vector_row(const SocParameter& parameter) {
  return parameter.section == "Timing.Vector" && parameter.key.find('.') != std::string::npos;
}

/// Parameters of HBM mean something else to each of its models; all others are tried with one
/// model.
bool is_hbm(const SocParameter& parameter) {
  return parameter.name.starts_with("hbm.");
}

/// With each model of HBM.
class EveryParameterOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Hbm, EveryParameterOf, ::testing::Values("bandwidth", "banks"));

TEST_P(EveryParameterOf, ChangesWhatIsSeenOrIsRefused) {
  const SocConfig soc = probed_soc(GetParam());
  const bool bandwidth = soc.text("Models", "hbm") == "bandwidth";
  const std::string before = seen_on(soc);
  ASSERT_FALSE(went_wrong(before) || before.starts_with("refused")) << before;
  ASSERT_EQ(seen_on(soc), before);
  // What the roofline of a report is drawn with; the model `bandwidth` does not read it. See
  // tests/cli/roofline_test.cpp.
  std::set<std::string> in_reports;
  if (bandwidth) in_reports.insert("hbm.peak");
  for (const SocParameter& parameter : sim::soc_parameters(soc)) {
    if (!bandwidth && !is_hbm(parameter)) continue;
    if (is_vector_row(parameter) || in_reports.contains(parameter.name)) continue;
    // Copies of host programs, which a device knows nothing of; see tests/runtime/stream_test.cpp.
    if (parameter.section == "Timing.Copy") continue;
    bool changed = false, taken = false;
    for (const char* value : {"200%", "50%", "400%"}) {
      SocConfig other = soc;
      try {
        sim::apply_settings(other, {{parameter, value}});
      } catch (const std::invalid_argument& error) {
        EXPECT_STRNE(error.what(), "");
        continue;
      }
      const std::string after = seen_on(other);
      EXPECT_FALSE(went_wrong(after)) << parameter.name << "=" << value << ": " << after;
      taken |= !after.starts_with("refused");
      changed |= after != before;
      if (changed) break;
    }
    EXPECT_TRUE(changed || !taken) << parameter.name << " changes nothing";
  }
}

/// A unit needs a memory port although a vector unit asks nothing of it.
class NoMemory : public memory::MemoryPortIf {
  void post(const memory::MemoryRequest&, memory::MemoryClient&) override {}
  void post_at(observe::Cycle, const memory::MemoryRequest&, memory::MemoryClient&) override {}
};

isa::Instr vector_instruction(isa::Opcode op, isa::DType type) {
  isa::Instr instr{};
  instr.op = op;
  instr.pipe = isa::Pipe::V;
  instr.dst = {isa::Space::kUb, type, 0};
  instr.src0 = {isa::Space::kUb, type, 8192 + 256};
  instr.src1 = {isa::Space::kUb, type, 65536 + 512};
  const std::string_view name = isa::info(op).mnemonic;
  if (name == "MOV_UB_TO_UB") {
    isa::MoveParams move;
    move.burst_bytes = 4096;
    instr.params = move;
  } else if (name == "VTRANSPOSE" || name == "VNCHWCONV") {
    isa::TransposeParams transpose;
    transpose.repeats = 16;
    instr.params = transpose;
  } else if (name == "VBITSORT" || name == "VMRGSORT4") {
    isa::SortParams sort;
    sort.repeats = 16;
    sort.queues = 4;
    sort.lengths = {64, 64, 64, 64};
    instr.params = sort;
  } else {
    isa::VectorParams params;
    params.repeats = 64;
    params.dst = params.src0 = params.src1 = {1, 8};
    if (name == "VREDUCEV2") params.pattern = 1;  // a tensor's takes pattern_tensor_beat
    instr.params = params;
  }
  return instr;
}

observe::Cycle vector_cycles(const SocConfig& soc, const isa::Instr& instr) {
  const sim::TimingTable timing(soc);
  NoMemory memory;
  sim::UnitFlags flags(0);
  const auto unit =
      sim::make_unit("vector", {isa::Pipe::V, isa::CoreType::AIV, timing, memory, 0, 0, flags});
  sim::QueueEntry entry;
  entry.instr = {instr, {}};
  if (std::holds_alternative<isa::VectorParams>(instr.params)) {
    entry.instr.shape = isa::vector_shape(instr);
  }
  unit->start(entry, 0);
  return entry.done;
}

TEST(EveryParameter, EveryRowOfAVectorInstructionChangesItsTime) {
  const std::map<std::string, isa::DType> types = {{"b8", isa::DType::kI8},
                                                   {"b16", isa::DType::kF16},
                                                   {"b32", isa::DType::kF32},
                                                   {"b64", isa::DType::kI64}};
  const SocConfig soc = SocConfig::named("Ascend910B3");
  for (const SocParameter& parameter : sim::soc_parameters(soc)) {
    if (!is_vector_row(parameter)) continue;
    const std::size_t dot = parameter.key.find('.');
    const std::string mnemonic = parameter.key.substr(0, dot), row = parameter.key.substr(dot + 1);
    const auto op = std::find_if(isa::kOpcodeInfo.begin(), isa::kOpcodeInfo.end(),
                                 [&](const auto& info) { return info.mnemonic == mnemonic; });
    ASSERT_NE(op, isa::kOpcodeInfo.end()) << parameter.name;
    const auto type = types.find(row);
    const isa::Instr instr =
        vector_instruction(static_cast<isa::Opcode>(op - isa::kOpcodeInfo.begin()),
                           type == types.end() ? isa::DType::kF16 : type->second);
    SocConfig other = soc;
    sim::apply_settings(other, {{parameter, "50%"}});
    EXPECT_NE(vector_cycles(other, instr), vector_cycles(soc, instr)) << parameter.name;
  }
}

TEST(EveryParameter, ValuesThatNoModelTakesAreRefused) {
  const auto expect = [](const std::string& name, const std::string& value,
                         const std::string& part) {
    SocConfig soc = SocConfig::named("Ascend910B3");
    try {
      sim::apply_settings(soc, {{sim::find_parameter(soc, name).value(), value}});
      ADD_FAILURE() << name << "=" << value << " is taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect("vector_cores", "30", "multiple of ai_core_cnt");
  expect("ub.bank_groups", "65", "allowed are 1 to 64");
  expect("ub.bank_size", "16", "allowed are 32");
  expect("scalar.queue_depth", "65", "1 to 64 instructions");
  expect("scalar.dcache_line", "128", "1 to 64 bytes");
  expect("scalar.dcache_bytes", "100", "whole sets");
  expect("scalar.aiv_icache_bytes", "64", "whole lines");
  SocConfig soc = SocConfig::named("Ascend910B3");
  EXPECT_NO_THROW(
      sim::apply_settings(soc, {{sim::find_parameter(soc, "scalar.queue_depth").value(), "64"}}));
}

TEST(EveryParameter, PipesAndModelsAreThoseOfTheDescription) {
  SocConfig soc = SocConfig::named("Ascend910B3");
  EXPECT_THROW(soc.set("AIV", "buffers", "UB, L1"), std::invalid_argument);
  EXPECT_THROW(soc.set("AIC", "event_ids", "9"), std::invalid_argument);
  soc.set("AIV.Pipes", "V", "warp");
  EXPECT_EQ(seen_on(soc),
            "refused: [AIV.Pipes] V = warp: no such model for this pipe; there are vector");
  soc.set("AIV.Pipes", "V", "dma");
  EXPECT_TRUE(seen_on(soc).starts_with("refused: "));
}

}  // namespace
}  // namespace davsim::test
