// The bytes that a Fixpipe is listed to touch, against a walk over the elements of its matrices,
// for random sizes, pitches and numbers of matrices.
#include <algorithm>
#include <random>
#include <set>

#include "isa/exec/accesses.hpp"
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using Bytes = std::set<std::uint64_t>;

class FixpipeBytes : public MoveTest {
 protected:
  std::uint32_t from(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_() % (most - least + 1));
  }
  static void add(Bytes& bytes, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) bytes.insert(first + i);
  }
  /// m rows of 16 numbers of each column of fractals.
  static Bytes of_l0c(const FixpipeParamsV220& p, std::uint32_t matrices) {
    Bytes bytes;
    for (std::uint32_t matrix = 0; matrix < matrices; ++matrix) {
      for (std::uint32_t column = 0; column < p.nSize; column += 16) {
        for (std::uint32_t row = 0; row < p.mSize; ++row) {
          add(bytes, matrix * p.srcNdStride * 1024 + (column / 16 * p.srcStride + row) * 64, 64);
        }
      }
    }
    return bytes;
  }
  void expect(isa::Space space, const Bytes& reads, const Bytes& writes) const {
    isa::AccessList list;
    isa::list_accesses(isa::decode(core.emitted.back(), core.memory), core.memory, list);
    Bytes read, written;
    for (const isa::Access& access : list) {
      if (!access.writes() && access.space != isa::Space::kL0C) continue;
      if (access.writes()) {
        ASSERT_EQ(access.space, space);
      }
      access.for_each_touched([&](std::uint64_t addr, std::uint64_t count) {
        add(access.writes() ? written : read, addr, count);
      });
    }
    ASSERT_EQ(read, reads);
    ASSERT_EQ(written, writes);
  }

  std::mt19937_64 random_{3};
};

TEST_F(FixpipeBytes, RowsOfSeveralMatrices) {
  GmVector<float> memory(65536);
  for (int i = 0; i < 60 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t m = from(1, 20), n = from(1, 40), matrices = from(1, 3);
    FixpipeParamsV220 p(static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(m),
                        static_cast<std::uint16_t>(m + from(0, 12)), n + from(0, 9), false);
    p.ndNum = static_cast<std::uint16_t>(matrices);
    p.srcNdStride = static_cast<std::uint16_t>(from(1, 4));
    p.dstNdStride = static_cast<std::uint16_t>(from(1, 900));
    Fixpipe<float, float>(gm(memory), local<float>(TPosition::CO1), p);
    Bytes rows;
    for (std::uint32_t matrix = 0; matrix < matrices; ++matrix) {
      for (std::uint32_t row = 0; row < m; ++row) {
        const std::uint64_t at = matrix * p.dstNdStride + row * std::uint64_t{p.dstStride};
        add(rows, reinterpret_cast<std::uint64_t>(memory.data() + at), n * sizeof(float));
      }
    }
    expect(isa::Space::kGm, of_l0c(p, matrices), rows);
  }
}

TEST_F(FixpipeBytes, ColumnsOfFractals) {
  GmVector<half> memory(65536);
  for (int i = 0; i < 60 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t m = from(1, 20), columns = from(1, 3);
    FixpipeParamsV220 p(static_cast<std::uint16_t>(16 * columns), static_cast<std::uint16_t>(m),
                        static_cast<std::uint16_t>(m + from(0, 12)), m + from(0, 30), false);
    p.quantPre = F322F16;
    p.ndNum = 3;  // of rows only
    const bool to_l1 = from(0, 1) == 0;
    const auto source = local<float>(TPosition::CO1);
    if (to_l1) {
      Fixpipe<half, float>(local<half>(TPosition::A1), source, p);
    } else {
      Fixpipe<half, float, CFG_NZ>(gm(memory), source, p);
    }
    const std::uint64_t start = to_l1 ? 0 : reinterpret_cast<std::uint64_t>(memory.data());
    Bytes fractals;
    for (std::uint32_t column = 0; column < columns; ++column) {
      add(fractals, start + column * std::uint64_t{p.dstStride} * 32, m * 32);
    }
    expect(to_l1 ? isa::Space::kL1 : isa::Space::kGm, of_l0c(p, 1), fractals);
  }
}

TEST_F(FixpipeBytes, SizesAreTakenUpToTheirLimits) {
  GmVector<half> memory(8192);
  for (const std::uint16_t n : {4095, 4096}) {
    isa::Instr instr;
    FixpipeParamsV220 p(1, 1, 16, 4096, false);
    p.quantPre = F322F16;
    Fixpipe<half, float>(gm(memory), local<float>(TPosition::CO1), p);
    instr = core.emitted.back();
    auto& params = std::get<isa::FixpipeInstrParams>(instr.params);
    params.n = n;
    params.src_stride = 1;  // so that all columns are in L0C
    if (n <= 4095) {
      EXPECT_NO_THROW(isa::decode(instr, core.memory)) << n;
    } else {
      EXPECT_THROW(isa::decode(instr, core.memory), isa::Fault) << n;
    }
  }
}

TEST_F(FixpipeBytes, WordsForTheColumnsBeginAtMultiplesOf128Bytes) {
  GmVector<std::int8_t> memory(8192);
  FixpipeParamsV220 p(32, 1, 16, 32, false);
  p.quantPre = QF322B8_PRE;
  p.deqScalar = 0x3f800000;
  Fixpipe<std::int8_t, float>(gm(memory), local<float>(TPosition::CO1), p);
  isa::Instr instr = core.emitted.back();
  auto& params = std::get<isa::FixpipeInstrParams>(instr.params);
  params.quant = isa::QuantMode::kVQF32ToB8;
  for (const std::uint32_t address : {0u, 32u, 64u, 128u, 384u}) {
    params.quant_fb_addr = address;
    if (address % 128 == 0) {
      EXPECT_NO_THROW(isa::decode(instr, core.memory)) << address;
    } else {
      EXPECT_THROW(isa::decode(instr, core.memory), isa::Fault) << address;
    }
  }
}

}  // namespace
}  // namespace davsim::test
