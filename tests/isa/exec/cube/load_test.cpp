// LoadData of fractals, LoadDataWithTranspose, and L1 to the tables.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::LoadData;
using AscendC::LoadData2DParams;
using AscendC::LoadData2dTransposeParams;
using AscendC::LoadDataWithTranspose;
using AscendC::TPosition;
using isa::Space;

/// Element `index` of fractal `fractal` of a buffer.
template <class T>
T& element(TestCore& core, Space space, int fractal, int index) {
  return core.buffer<T>(space)[fractal * (512 / static_cast<int>(sizeof(T))) + index];
}

template <class T>
void number_l1(TestCore& core, int fractals) {
  const int count = 512 / static_cast<int>(sizeof(T));
  for (int i = 0; i < fractals * count; ++i) {
    core.buffer<T>(Space::kL1)[i] = static_cast<T>(static_cast<float>(noise(i, 100)));
  }
}

TEST_F(MoveTest, Load2dMovesFractalsWithStrides) {
  number_l1<float>(core, 20);
  for (TPosition to : {TPosition::A2, TPosition::B2}) {
    const Space space = to == TPosition::A2 ? Space::kL0A : Space::kL0B;
    std::memset(core.buffer<std::byte>(space), 0, 16 * 512);
    LoadData(local<float>(to, 512), local<float>(TPosition::A1),
             LoadData2DParams{1, 4, 2, 0, 2, false, 0});
    for (int fractal = 0; fractal < 12; ++fractal) {
      const bool moved = fractal % 3 == 0;
      for (int i = 0; i < 128; ++i) {
        const float expected =
            moved ? element<float>(core, Space::kL1, 1 + fractal / 3 * 2, i) : 0.0f;
        EXPECT_EQ(element<float>(core, space, 1 + fractal, i), expected) << fractal << " " << i;
      }
    }
  }
  EXPECT_EQ(last().op, isa::Opcode::kLoadData2d);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE1);
}

TEST_F(MoveTest, Load2dStrideZeroRepeatsAFractal) {
  number_l1<half>(core, 4);
  LoadData(local<half>(TPosition::B2), local<half>(TPosition::B1),
           LoadData2DParams{2, 3, 0, 0, 0, false, 0});
  for (int fractal = 0; fractal < 3; ++fractal) {
    EXPECT_EQ(std::memcmp(&element<half>(core, Space::kL0B, fractal, 0),
                          &element<half>(core, Space::kL1, 2, 0), 512),
              0);
  }
}

TEST_F(MoveTest, Load2dWalksDownwards) {
  number_l1<std::int8_t>(core, 8);
  LoadData(local<std::int8_t>(TPosition::A2), local<std::int8_t>(TPosition::A1),
           LoadData2DParams{6, 3, 2, 0, 0, false, 1});
  for (int fractal = 0; fractal < 3; ++fractal) {
    EXPECT_EQ(std::memcmp(&element<half>(core, Space::kL0A, fractal, 0),
                          &element<half>(core, Space::kL1, 6 - 2 * fractal, 0), 512),
              0);
  }
}

template <class T>
class Load2dTransposed : public MoveTest {};
using Types16 = ::testing::Types<half, bfloat16_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(Load2dTransposed, Types16);

TYPED_TEST(Load2dTransposed, EveryFractalTurnsInItself) {
  using T = TypeParam;
  number_l1<T>(this->core, 12);
  LoadData(this->template local<T>(TPosition::A2), this->template local<T>(TPosition::A1),
           LoadData2DParams{0, 3, 2, 0, 1, true, 0});
  LoadDataWithTranspose(this->template local<T>(TPosition::B2),
                        this->template local<T>(TPosition::B1),
                        LoadData2dTransposeParams{1, 2, 3, 1, 5});
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 16; ++col) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(float(element<T>(this->core, Space::kL0A, 2 * i, col * 16 + row)),
                  float(element<T>(this->core, Space::kL1, 2 * i, row * 16 + col)));
      }
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(float(element<T>(this->core, Space::kL0B, 2 * i, col * 16 + row)),
                  float(element<T>(this->core, Space::kL1, 1 + 3 * i, row * 16 + col)));
      }
    }
  }
}

template <class T>
class LoadTransposeBytes : public MoveTest {};
using Types8 = ::testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(LoadTransposeBytes, Types8);

TYPED_TEST(LoadTransposeBytes, TwoFractalsAreASquareOf32) {
  using T = TypeParam;
  number_l1<T>(this->core, 16);
  // 3 squares from the second on, every square; halves 3 fractals apart, squares 1.
  LoadDataWithTranspose(this->template local<T>(TPosition::B2),
                        this->template local<T>(TPosition::B1),
                        LoadData2dTransposeParams{1, 3, 1, 0, 2});
  for (int square = 0; square < 3; ++square) {
    for (int row = 0; row < 32; ++row) {
      for (int col = 0; col < 32; ++col) {
        const T from =
            this->core.template buffer<T>(Space::kL1)[(1 + square) * 1024 + row * 32 + col];
        EXPECT_EQ(element<T>(this->core, Space::kL0B, square + col / 16 * 3, col % 16 * 32 + row),
                  from);
      }
    }
  }
}

template <class T>
class LoadTransposeWords : public MoveTest {};
using Types32 = ::testing::Types<float, std::int32_t, std::uint32_t>;
TYPED_TEST_SUITE(LoadTransposeWords, Types32);

TYPED_TEST(LoadTransposeWords, TwoFractalsSideBySideAreASquareOf16) {
  using T = TypeParam;
  number_l1<T>(this->core, 16);
  LoadDataWithTranspose(this->template local<T>(TPosition::A2),
                        this->template local<T>(TPosition::A1),
                        LoadData2dTransposeParams{0, 2, 2, 1, 3});
  for (int square = 0; square < 2; ++square) {
    for (int row = 0; row < 16; ++row) {
      for (int col = 0; col < 16; ++col) {
        const T from = element<T>(this->core, Space::kL1, square * 4 + col / 8, row * 8 + col % 8);
        EXPECT_EQ(element<T>(this->core, Space::kL0A, square * 2 + row / 8 * 4, col * 8 + row % 8),
                  from);
      }
    }
  }
  EXPECT_EQ(this->last().op, isa::Opcode::kLoadDataTranspose);
}

TEST_F(MoveTest, LoadDataFromGmGoesToL1) {
  std::vector<half> in = counting<half>(256 * 8);
  LoadData(local<half>(TPosition::A1, 512), gm(in), LoadData2DParams{6, 3, 2, 0, 1, false, 1});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        std::memcmp(&element<half>(core, Space::kL1, 1 + 2 * i, 0), &in[(6 - 2 * i) * 256], 512),
        0);
  }
  EXPECT_EQ(last().pipe, isa::Pipe::MTE2);
  auto from = gm(in);
  EXPECT_FAULT(
      kParameter, "there is no path from GM to L0C",
      LoadData(local<half>(TPosition::CO1), from, LoadData2DParams{0, 1, 1, 0, 0, false, 0}));
}

TEST_F(MoveTest, LoadsOfNothingEmitNothing) {
  LoadData(local<half>(TPosition::A2), local<half>(TPosition::A1), LoadData2DParams{});
  LoadDataWithTranspose(local<half>(TPosition::A2), local<half>(TPosition::A1),
                        LoadData2dTransposeParams{});
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, LoadsRefuse) {
  const LoadData2DParams one{0, 1, 1, 0, 0, false, 0}, turned{0, 1, 1, 0, 0, true, 0};
  auto a1 = local<half>(TPosition::A1);
  EXPECT_FAULT(kAlignment, "dst address is 0x100, which is no multiple of 512 bytes",
               LoadData(local<half>(TPosition::A2, 256), a1, one));
  EXPECT_FAULT(kAlignment, "src address is 0x10, which is no multiple of 32 bytes",
               LoadData(local<half>(TPosition::A2), local<half>(TPosition::A1, 16), one));
  EXPECT_FAULT(kParameter, "ifTranspose takes types of 16 bits, not float32",
               LoadData(local<float>(TPosition::A2), local<float>(TPosition::A1), turned));
  EXPECT_FAULT(kParameter, "dst lies in UB", LoadData(local<half>(TPosition::VECIN), a1, one));
  EXPECT_FAULT(kParameter, "src lies in UB",
               LoadData(local<half>(TPosition::A2), local<half>(TPosition::VECIN), one));
  EXPECT_FAULT(kAddress, "of L0A",
               LoadData(local<half>(TPosition::A2, 65536 - 512), a1,
                        LoadData2DParams{0, 2, 1, 0, 0, false, 0}));
  EXPECT_FAULT(
      kAddress, "of L1",
      LoadData(local<half>(TPosition::A2), a1, LoadData2DParams{1024, 1, 1, 0, 0, false, 0}));
  EXPECT_FAULT(kAddress, "of L1",
               LoadData(local<half>(TPosition::A2), a1, LoadData2DParams{1, 3, 1, 0, 0, false, 1}));
  EXPECT_FAULT(
      kParameter, "takes types of 4, 8, 16 and 32 bits, not int64",
      LoadDataWithTranspose(local<std::int64_t>(TPosition::A2), local<std::int64_t>(TPosition::A1),
                            LoadData2dTransposeParams{0, 1, 1, 0, 0}));
}

TEST_F(MoveTest, BiasGoesToItsTable) {
  auto* l1 = core.buffer<float>(Space::kL1, 64);
  for (int i = 0; i < 64; ++i) l1[i] = static_cast<float>(i);
  auto c1 = local<float>(TPosition::C1, 64);
  AscendC::DataCopy(local<float>(TPosition::C2, 128), c1, AscendC::DataCopyParams{2, 1, 1, 1});
  const auto* table = core.buffer<float>(Space::kBt, 128);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(table[i], static_cast<float>(i));            // blocks of 64 bytes
    EXPECT_EQ(table[32 + i], static_cast<float>(24 + i));  // gaps: 32 bytes in L1, 64 in BT
  }
  EXPECT_EQ(last().op, isa::Opcode::kMoveL1ToBt);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE1);
  AscendC::DataCopy(local<float>(TPosition::C2), c1, 16);
  EXPECT_EQ(core.buffer<float>(Space::kBt)[15], 15.0f);
}

TEST_F(MoveTest, BiasOfHalvesBecomesFloats) {
  half* l1 = core.buffer<half>(Space::kL1);
  for (int i = 0; i < 32; ++i) l1[i] = half(static_cast<float>(i) / 4);
  AscendC::DataCopy(local<float>(TPosition::C2), local<half>(TPosition::C1),
                    AscendC::DataCopyParams{1, 2, 0, 0});
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(core.buffer<float>(Space::kBt)[i], static_cast<float>(i) / 4);
  }
}

TEST_F(MoveTest, SeveralBlocksOfHalvesBecomeFloatsWithTheirGaps) {
  half* l1 = core.buffer<half>(Space::kL1);
  for (int i = 0; i < 256; ++i) l1[i] = half(static_cast<float>(i) / 4);
  auto* table = core.buffer<float>(Space::kBt);
  std::fill(table, table + 256, -1.0f);
  AscendC::DataCopy(local<float>(TPosition::C2), local<half>(TPosition::C1),
                    AscendC::DataCopyParams{1, 1, 0, 0});
  isa::Instr instr = last();
  auto& move = std::get<isa::MoveParams>(instr.params);
  const auto floats = static_cast<int>(move.burst_bytes / 4);
  move.bursts = 3, move.src_pitch = 96, move.dst_pitch = 128;  // 48 halves, 32 floats
  std::fill(table, table + 256, -1.0f);
  isa::execute(isa::decode(instr, core.memory), core.memory);
  for (int i = 0; i < 256; ++i) {
    const bool moved = i < 3 * 32 && i % 32 < floats;
    EXPECT_EQ(table[i], moved ? static_cast<float>(i / 32 * 48 + i % 32) / 4 : -1.0f) << i;
  }
}

TEST_F(MoveTest, BiasesAreOfThreePairsOfTypes) {
  using isa::DType;
  AscendC::DataCopy(local<float>(TPosition::C2), local<float>(TPosition::C1),
                    AscendC::DataCopyParams{1, 2, 0, 0});
  const isa::Instr good = last();
  const DType types[] = {DType::kI8,   DType::kI16, DType::kI32, DType::kF16,
                         DType::kBF16, DType::kF32, DType::kU32};
  for (const DType from : types) {
    for (const DType to : types) {
      isa::Instr instr = good;
      instr.src0.type = from, instr.dst.type = to;
      const bool legal = (to == DType::kF32 && (from == DType::kF32 || from == DType::kF16)) ||
                         (to == DType::kI32 && from == DType::kI32);
      if (legal) {
        EXPECT_NO_THROW(isa::decode(instr, core.memory));
      } else {
        EXPECT_THROW(isa::decode(instr, core.memory), isa::Fault)
            << dtype_name(from) << " to " << dtype_name(to);
      }
    }
  }
}

TEST_F(MoveTest, QuantisationWordsGoToTheFixpipeBuffer) {
  auto* l1 = core.buffer<std::uint64_t>(Space::kL1);
  for (int i = 0; i < 64; ++i) l1[i] = static_cast<std::uint64_t>(i) << 33;
  AscendC::DataCopy(local<std::uint64_t>(TPosition::C2PIPE2GM, 128),
                    local<std::uint64_t>(TPosition::C1), AscendC::DataCopyParams{1, 2, 0, 0});
  EXPECT_EQ(std::memcmp(core.buffer<std::byte>(Space::kFb, 128), l1, 256), 0);
  EXPECT_EQ(last().op, isa::Opcode::kMoveL1ToFb);
  EXPECT_EQ(last().pipe, isa::Pipe::FIX);
}

TEST_F(MoveTest, TablesRefuse) {
  const AscendC::DataCopyParams one{1, 1, 0, 0};
  EXPECT_FAULT(
      kAlignment, "dst address is 0x20, which is no multiple of 64 bytes",
      AscendC::DataCopy(local<float>(TPosition::C2, 32), local<float>(TPosition::C1), one));
  EXPECT_FAULT(kAddress, "of BT",
               AscendC::DataCopy(local<float>(TPosition::C2, 1024 - 64),
                                 local<float>(TPosition::C1), AscendC::DataCopyParams{1, 2, 0, 0}));
  EXPECT_FAULT(kParameter, "a bias is float32, int32",
               AscendC::DataCopy(local<half>(TPosition::C2), local<half>(TPosition::C1), one));
  EXPECT_FAULT(kAlignment, "which is no multiple of 128 bytes",
               AscendC::DataCopy(local<std::uint64_t>(TPosition::C2PIPE2GM, 64),
                                 local<std::uint64_t>(TPosition::C1), one));
}

}  // namespace
}  // namespace davsim::test
