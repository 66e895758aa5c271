// The pipes of a core are those of its description, for the kernel API and for the core alike.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::Pipe;

class PipesOfTheDescription : public DeviceTest {
 protected:
  PipesOfTheDescription() {
    sim::SocConfig soc = without_code("Ascend910B3");
    soc.set("AIV.Pipes", "MTE3", "none");
    device(soc);
  }
};

TEST_F(PipesOfTheDescription, FlagsAndBarriersOfAPipeThatIsNotThereDoNothing) {
  const auto report = on_vector(1, [] {
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::MTE3_V>(0);
    PipeBarrier<PIPE_MTE3>();
    SetFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(0);
  });
  EXPECT_EQ(recorder.events.size(), 2u);
  const isa::PipeMask present = report.cores.at(0).present;
  for (const Pipe pipe : {Pipe::S, Pipe::V, Pipe::MTE2}) EXPECT_TRUE(present.has(pipe));
  for (const Pipe pipe : {Pipe::M, Pipe::MTE1, Pipe::MTE3, Pipe::FIX}) {
    EXPECT_FALSE(present.has(pipe)) << isa::pipe_name(pipe);
  }
}

TEST_F(PipesOfTheDescription, AnInstructionForItIsAFault) {
  auto* to = global<float>(8, "to", [](std::size_t) { return 0; });
  const isa::Fault move =
      fault_of([&] { on_vector(1, [=] { DataCopy(gm(to, 8), ub<float>(0, 8), 8); }); });
  EXPECT_EQ(move.cls, isa::FaultClass::kParameter);
  EXPECT_NE(std::string(move.what()).find("pipe MTE3, which an AIV does not have"),
            std::string::npos)
      << move.what();
}

TEST_F(PipesOfTheDescription, AFlagBetweenCoresFromItIsAFault) {
  const isa::Fault set = fault_of([&] { on_vector(1, [] { CrossCoreSetFlag<0, PIPE_MTE3>(1); }); });
  EXPECT_EQ(set.cls, isa::FaultClass::kParameter);
  EXPECT_NE(std::string(set.what()).find("has no pipe MTE3"), std::string::npos) << set.what();
}

TEST(PipesOfADescription, AnUnknownOneIsRefused) {
  sim::SocConfig soc = sim::SocConfig::named("Ascend910B3");
  EXPECT_THROW(soc.set("AIV.Pipes", "MTE9", "dma"), std::invalid_argument);
  EXPECT_THROW(soc.set("AIV.Pipes", "S", "dma"), std::invalid_argument);
}

}  // namespace
}  // namespace davsim::test
