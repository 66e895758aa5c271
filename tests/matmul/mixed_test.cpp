// Matmul objects of mixed kernels: vector cores send messages, their cube core serves them.
#include "tests/matmul/kernels/mixed_call.h"
#include "tests/matmul/kernels/shared_call.h"
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulMixed : public MatmulTest {
 protected:
  void leaky_relu(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t blocks) {
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    Tiling* t = global<Tiling>(1, "tiling", [](std::size_t) { return Tiling(); });
    *t = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      api.SetCType(matmul_tiling::TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
      api.EnableBias(true);
      api.SetDim(static_cast<int>(2 * blocks));
      api.SetFixSplit(64, 64, -1);
    });
    float* out = global<float>(std::size_t{m} * n, "c", [](std::size_t) { return -1.f; });
    float* bias = global<float>(n, "bias", [](std::size_t i) { return float(i % 5) - 2; });
    device().launch("leakyrelu", blocks, bytes(stored<isa::half>(a, false, 0)),
                    bytes(stored<isa::half>(b, false, 0)), bytes(bias), bytes(out),
                    static_cast<std::uint8_t*>(nullptr), bytes(t));
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        const float sum = static_cast<float>(product(a, b, row, col)) + float(col % 5) - 2;
        ASSERT_EQ(out[std::size_t{row} * n + col], sum < 0 ? 0.25f * sum : sum)
            << "row " << row << ", column " << col;
      }
    }
    expect_clean();
  }

  /// "mixed.cpp:N", the line of the kernel that has the comment.
  static std::string line_of(const std::string& comment) {
    const std::string here = __FILE__;
    const std::vector<std::string>& lines =
        checker::source_lines(here.substr(0, here.rfind('/')) + "/kernels/mixed.cpp");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(comment) != std::string::npos) {
        return "mixed.cpp:" + std::to_string(i + 1);
      }
    }
    return "no line has " + comment;
  }

  /// `ratio` vector cores a cube core.
  void mixed(MixedUse use, std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t blocks,
             std::uint32_t ratio, bool clean = true) {
    SCOPED_TRACE(::testing::Message() << "use " << static_cast<int>(use) << ", " << ratio);
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    MixedTestCall call;
    call.use = use;
    call.tiling = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      api.SetDim(static_cast<int>(ratio * blocks));
      api.SetSingleShape(static_cast<int>((m / (ratio * blocks) + 16) / 16 * 16), -1, -1);
      const bool one_block = use == MixedUse::kPartialSums || use == MixedUse::kRunningSums;
      api.SetFixSplit(one_block ? 32 : 16, one_block ? 64 : 32, 32);
      api.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTM);
      api.EnableBias(use == MixedUse::kBiasInUb);
    });
    float* out = global<float>(std::size_t{m} * n, "c", [](std::size_t) { return -1.f; });
    float* room = global<float>(65536 * 4, "room", [](std::size_t) { return 0.f; });
    if (ratio == 1) device().set_tiling_key(11);
    device().launch("mixed", blocks, bytes(stored<isa::half>(a, false, 0)),
                    bytes(stored<isa::half>(b, false, 0)), bytes(out), bytes(room), call);
    device().set_tiling_key(0);
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        const int sum = product(a, b, row, col) + (use == MixedUse::kBiasInUb ? 2 : 0);
        ASSERT_EQ(out[std::size_t{row} * n + col], static_cast<float>(sum))
            << "row " << row << ", column " << col;
      }
    }
    if (use == MixedUse::kNumberB)
      expect_sums(a, n, room, static_cast<std::uint32_t>(call.tiling.singleCoreM));
    if (clean) expect_clean();
  }

  /// Twice the sums of the rows of `a` in the rooms of the vector cores, which have `part` rows
  /// each.
  static void expect_sums(const TestMatrix& a, std::uint32_t n, const float* rooms,
                          std::uint32_t part) {
    for (std::uint32_t row = 0; row < a.rows; ++row) {
      int sum = 0;
      for (std::uint32_t i = 0; i < a.cols; ++i) sum += 2 * a.at(row, i);
      const float* line = rooms + row / part * 65536 + row % part * n;
      for (std::uint32_t col = 0; col < n; ++col) ASSERT_EQ(line[col], sum) << "row " << row;
    }
  }
};

TEST_F(MatmulMixed, GivesTheSameResultInEveryFormOfItsCalls) {
  for (const MixedUse use : {MixedUse::kAll, MixedUse::kAllAsync, MixedUse::kBlocksAhead,
                             MixedUse::kBlocksByOtherName, MixedUse::kAllToUb, MixedUse::kFromUb,
                             MixedUse::kFromUbAhead, MixedUse::kBiasInUb, MixedUse::kBiasCleared}) {
    mixed(use, 100, 64, 96, 2, 2);
    mixed(use, 60, 48, 64, 1, 1);
  }
  mixed(MixedUse::kPartialSums, 60, 64, 64, 1, 2);
  // L0C is shared with the other vector core, which may overwrite what was got already.
  mixed(MixedUse::kRunningSums, 28, 64, 64, 1, 1);
  mixed(MixedUse::kNumberB, 60, 64, 64, 1, 2);
}

TEST_F(MatmulMixed, RefusesCallsInTheWrongOrderAtTheirLine) {
  const isa::Fault get = fault_of([&] { mixed(MixedUse::kGetWithoutIterate, 60, 64, 64, 1, 2); });
  EXPECT_NE(std::string(get.what()).find("an Iterate that returns true comes first"),
            std::string::npos)
      << get.what();
  EXPECT_NE(std::string(get.where.file_name()).find("mixed.cpp"), std::string::npos);
  const isa::Fault twice = fault_of([&] { mixed(MixedUse::kIterateTwice, 100, 64, 64, 1, 2); });
  EXPECT_NE(std::string(twice.what()).find("GetTensorC comes between"), std::string::npos)
      << twice.what();
}

TEST_F(MatmulMixed, AServerThatNeverStartsIsADeadlockAtTheKernelsLine) {
  const isa::Fault fault = fault_of([&] { mixed(MixedUse::kNoServer, 60, 64, 64, 1, 2); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
  EXPECT_NE(std::string(fault.what()).find(line_of("// nobody answers")), std::string::npos)
      << fault.what();
  checker_.forget_findings();
}

TEST_F(MatmulMixed, AForgottenEndIsAFinding) {
  mixed(MixedUse::kForgottenEnd, 60, 64, 64, 1, 2, false);
  ASSERT_FALSE(findings().empty()) << checker::text_of(checker_.findings());
  for (const checker::Finding& finding : findings()) {
    EXPECT_EQ(finding.cls, checker::Class::kQueue);
    EXPECT_EQ("mixed.cpp:" + std::to_string(finding.second.where.line()), line_of("// forgotten"));
    EXPECT_NE(finding.message.find("End must follow"), std::string::npos) << finding.message;
  }
  checker_.forget_findings();
}

/// As attention kernels do: the scores of the next columns are on their way while weights are
/// multiplied.
TEST_F(MatmulMixed, ObjectsWhoseProductsOverlapNeedNoEndInBetween) {
  mixed(MixedUse::kSideBySide, 60, 64, 64, 1, 2);
}

TEST_F(MatmulMixed, RefusesAKernelWithoutCubeCores) {
  device().set_tiling_key(1);
  const isa::Fault fault = fault_of([&] { mixed(MixedUse::kAll, 60, 64, 64, 1, 2); });
  EXPECT_NE(std::string(fault.what()).find("the kernel has no cube cores"), std::string::npos)
      << fault.what();
}

/// What the cube core did for two vector cores of a product of 64 x 256 x 384.
struct SharedRun {
  std::size_t loads_a = 0, loads_b = 0, products = 0;
  observe::Cycle cycles = 0;
};

class MatmulShared : public MatmulMixed {
 protected:
  SharedRun shared(std::int32_t operands, std::int32_t init = 0, std::int32_t rounds = 1) {
    SharedTestCall call;
    call.shared = operands, call.init = init, call.rounds = rounds;
    SCOPED_TRACE(::testing::Message() << "shared " << call.shared << ", init " << call.init);
    const std::uint32_t m = 64, n = 256, k = 384;
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    const bool one = call.shared == 3;
    call.tiling = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      api.SetDim(one ? 1 : 2);
      api.SetSingleShape(one ? 64 : 32, 256, 384);
      api.SetFixSplit(32, 128, 64);
    });
    call.tiling.depthA1 = 12;
    call.tiling.depthB1 = 12;
    auto* left = stored<isa::half>(a, false, 0);
    auto* right = stored<isa::half>(b, false, 0);
    float* out = global<float>(std::size_t{m} * n, "c", [](std::size_t) { return -1.f; });
    SharedRun run;
    run.cycles = device().launch("shared", 1, bytes(left), bytes(right), bytes(out), call).cycles;
    for (const auto& event : recorder.events) {
      run.products += event.instr.op == isa::Opcode::kMmad;
      if (event.instr.pipe != isa::Pipe::MTE2 || event.instr.dst.space != isa::Space::kL1) continue;
      const auto at = reinterpret_cast<const std::uint8_t*>(event.instr.src0.addr);
      run.loads_a += at >= bytes(left) && at < bytes(left + std::size_t{m} * k);
      run.loads_b += at >= bytes(right) && at < bytes(right + std::size_t{k} * n);
    }
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        EXPECT_EQ(out[std::size_t{row} * n + col], product(a, b, row, col))
            << "row " << row << ", column " << col;
      }
    }
    expect_clean();
    return run;
  }
};

TEST_F(MatmulShared, AMatrixOfBothVectorCoresIsLoadedOnceForBoth) {
  const SharedRun apart = shared(0);
  EXPECT_EQ(apart.loads_b, 24u) << "twelve base blocks for each vector core";
  EXPECT_EQ(apart.products, 24u);
  for (const int init : {0, 1}) {
    const SharedRun b = shared(2, init);
    EXPECT_EQ(b.loads_b, 12u);
    EXPECT_EQ(b.loads_a, apart.loads_a);
    EXPECT_EQ(b.products, apart.products);
    if (init == 0) {
      EXPECT_LT(b.cycles, apart.cycles);
    }
  }
  EXPECT_EQ(shared(2, 0, 2).loads_b, 24u) << "memory may have changed";
}

TEST_F(MatmulShared, AProductOfBothVectorCoresIsComputedOnce) {
  const SharedRun both = shared(3);
  EXPECT_EQ(both.loads_a, 12u);
  EXPECT_EQ(both.loads_b, 12u);
  EXPECT_EQ(both.products, 24u) << "of 2 x 2 blocks, six steps each";
  EXPECT_EQ(shared(3, 0, 3).products, 72u);
}

TEST_F(MatmulMixed, VectorCoresWorkOnBlocksThatTheCubeCoreSendsThem) {
  leaky_relu(256, 128, 100, 1);
  leaky_relu(512, 640, 256, 4);
}

}  // namespace
}  // namespace davsim::test
