// Casts from and to int4, packed two to a byte, the first one in the low bits.
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

class VectorInt4 : public VectorTest {
 protected:
  static constexpr std::uint32_t kSrc = 65536, kLanes = 128;

  isa::Instr record(isa::DType dst, isa::DType src, isa::RoundMode round) {
    isa::Instr instr;
    instr.op = isa::Opcode::kCast;
    instr.pipe = isa::Pipe::V;
    instr.dst = {isa::Space::kUb, dst, 0};
    instr.src0 = {isa::Space::kUb, src, kSrc};
    isa::VectorParams params;
    params.round = round;
    params.dst = {1, static_cast<std::uint16_t>(dst == isa::DType::kI4 ? 2 : 8)};
    params.src0 = {1, static_cast<std::uint16_t>(src == isa::DType::kI4 ? 2 : 8)};
    instr.params = params;
    return instr;
  }
  static isa::VectorParams& params(isa::Instr& instr) {
    return std::get<isa::VectorParams>(instr.params);
  }

  /// Byte and shift of a lane of a packed operand: 64 lanes a DataBlock.
  static std::size_t packed_byte(std::size_t base, Strides at, std::uint32_t repeat,
                                 std::uint32_t lane) {
    return base + (std::size_t{repeat} * at.repeat + lane / 64 * at.block) * 32 + lane % 64 / 2;
  }
  int get_int4(std::size_t byte, std::uint32_t lane) {
    const int nibble = get<std::uint8_t>(byte) >> (lane % 2 * 4) & 0xf;
    return nibble >= 8 ? nibble - 16 : nibble;
  }
  void put_int4(std::size_t byte, std::uint32_t lane, int value) {
    const int kept = get<std::uint8_t>(byte) & (lane % 2 == 0 ? 0xf0 : 0x0f);
    put(byte, static_cast<std::uint8_t>(kept | (value & 0xf) << (lane % 2 * 4)));
  }

  void expect_to_int4(const Lanes& lanes, Strides to, Strides from, isa::RoundMode mode) {
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      for (std::uint32_t l = 0; l < lanes.per_repeat; ++l) {
        if (!lanes.active(r, l)) continue;
        const double x = decode(get<std::uint16_t>(lane_offset(kSrc, from, r, l, 2)), kHalfFormat);
        const double whole = std::isnan(x) ? 0 : round_whole(x, mode);
        put_int4(packed_byte(0, to, r, l), l, static_cast<int>(std::clamp(whole, -8.0, 7.0)));
      }
    }
  }
};

TEST_F(VectorInt4, FromHalfInEveryMode) {
  using M = isa::RoundMode;
  for (M mode : {M::kNone, M::kRint, M::kFloor, M::kCeil, M::kRound, M::kTrunc}) {
    fill<half>();
    auto* halves = core.buffer<half>(isa::Space::kUb, kSrc);
    // Numbers in reach, halves between whole ones among them.
    for (int i = 0; i < 4096; ++i) halves[i] = half(static_cast<float>(i % 81 - 40) * 0.25f);
    std::memcpy(expected.data() + kSrc, halves, 8192);
    isa::Instr instr = record(isa::DType::kI4, isa::DType::kF16, mode);
    params(instr).mask_mode = isa::MaskMode::kCounter;
    params(instr).mask = {5000, 0};
    core.emit(instr);
    expect_to_int4(Lanes::count(5000, kLanes), {1, 2}, {1, 8}, mode);
    check();
    params(instr).mask_mode = isa::MaskMode::kNormal;
    params(instr).mask = {0x0cf000000000003f, 0xc000000000000003};
    params(instr).repeats = 31;
    params(instr).dst = {2, 5};
    params(instr).src0 = {1, 9};
    core.emit(instr);
    expect_to_int4(Lanes::bits(params(instr).mask[0], params(instr).mask[1], kLanes, 31), {2, 5},
                   {1, 9}, mode);
    check();
  }
}

/// The calls: dense strides of two blocks a repeat, masks in lanes.
TEST_F(VectorInt4, ByTheCallsOfKernels) {
  fill<half>();
  using AscendC::RoundMode;
  const auto packed = tensor<AscendC::int4b_t>(0);
  const auto halves = tensor<half>(kSrc);
  AscendC::Cast(packed, halves, RoundMode::CAST_FLOOR, 1000);
  expect_to_int4(Lanes::count(1000, kLanes), {1, 2}, {1, 8}, isa::RoundMode::kFloor);
  check();
  AscendC::Cast(packed, halves, RoundMode::CAST_NONE, 64, 5, {1, 1, 2, 8});
  expect_to_int4(Lanes::first(64, kLanes, 5), {1, 2}, {1, 8}, isa::RoundMode::kRint);
  check();
  EXPECT_THROW(AscendC::Cast(packed, halves, RoundMode::CAST_NONE, 63), isa::Fault);
  AscendC::Cast(tensor<half>(4096), packed, RoundMode::CAST_NONE, 300);
  for (std::uint32_t l = 0; l < 300; ++l) {
    put(4096 + l * 2, half(static_cast<float>(get_int4(l / 2, l))).bits);
  }
  check();
}

TEST_F(VectorInt4, IntoHalfIsExact) {
  fill<half>(9);
  isa::Instr instr = record(isa::DType::kF16, isa::DType::kI4, isa::RoundMode::kNone);
  params(instr).repeats = 7;
  params(instr).mask = {0x3fff, 0};
  params(instr).src0 = {1, 3};
  core.emit(instr);
  for (std::uint32_t r = 0; r < 7; ++r) {
    for (std::uint32_t l = 0; l < 14; ++l) {
      const int value = get_int4(packed_byte(kSrc, {1, 3}, r, l), l);
      put(lane_offset(0, {1, 8}, r, l, 2), half(static_cast<float>(value)).bits);
    }
  }
  check();
}

TEST_F(VectorInt4, PairsMayNotBeParted) {
  isa::Instr instr = record(isa::DType::kI4, isa::DType::kF16, isa::RoundMode::kRint);
  params(instr).mask = {0b0111, 0};
  EXPECT_THROW(core.emit(instr), isa::Fault);
  params(instr).mask = {0b0110, 0};
  EXPECT_THROW(core.emit(instr), isa::Fault);
  params(instr).mask = {0b1100, 0};
  core.emit(instr);
  params(instr).mask_mode = isa::MaskMode::kCounter;
  params(instr).mask = {33, 0};
  EXPECT_THROW(core.emit(instr), isa::Fault);
}

TEST_F(VectorInt4, WrapsWhereTheControlRegisterSaysSo) {
  fill<half>();
  *core.buffer<half>(isa::Space::kUb, kSrc) = half(9.0f);
  *core.buffer<half>(isa::Space::kUb, kSrc + 2) = half(-9.0f);
  isa::Instr instr = record(isa::DType::kI4, isa::DType::kF16, isa::RoundMode::kRint);
  params(instr).mask = {0b11, 0};
  core.emit(instr);
  EXPECT_EQ(*core.buffer<std::uint8_t>(isa::Space::kUb), 0x87);
  params(instr).overflow.casts_wrap = true;
  core.emit(instr);
  EXPECT_EQ(*core.buffer<std::uint8_t>(isa::Space::kUb), 0x79);
}

}  // namespace
}  // namespace davsim::test
