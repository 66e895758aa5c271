// Select in its three modes: counts, masks in both modes, strides, repeats, overlap.
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::SELMODE;
using isa::FaultClass;

constexpr SELMODE kRegister = SELMODE::VSEL_CMPMASK_SPR;
constexpr SELMODE kScalar = SELMODE::VSEL_TENSOR_SCALAR_MODE;
constexpr SELMODE kTensor = SELMODE::VSEL_TENSOR_TENSOR_MODE;

struct SelectLayout {
  std::uint32_t dst = 0, src0 = 48 * 1024, src1 = 96 * 1024;
  Strides to = {}, from0 = {}, from1 = {};
  std::uint32_t max_repeats = 140;
};
const SelectLayout kSelectLayouts[] = {
    {},
    {.to = {2, 17}, .from0 = {3, 24}, .from1 = {1, 9}, .max_repeats = 60},
    {.from0 = {0, 1}, .from1 = {1, 0}},
    {.dst = 48 * 1024},
    {.dst = 96 * 1024 + 64, .to = {1, 8}},  // writes what later repeats choose from
};

class VectorSelect : public VectorTest {
 protected:
  static constexpr std::uint32_t kBits = 144 * 1024;
  /// Reserved for the calls, which write there.
  static constexpr std::uint32_t kScratch = kUbBytes - 8192;

  template <class T>
  static constexpr std::uint32_t kAll = 256 / sizeof(T);

  template <class T>
  void expect_select(SELMODE mode, const Lanes& lanes, const SelectLayout& at, const T* scalar) {
    std::vector<std::uint8_t> bits(16384);
    std::memcpy(bits.data(), expected.data() + kBits, bits.size());
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      std::vector<std::pair<std::size_t, T>> results;
      for (std::uint32_t l = 0; l < kAll<T>; ++l) {
        if (!lanes.active(r, l)) continue;
        const std::uint32_t bit = mode == kRegister ? l : r * kAll<T> + l;
        const bool first = (bits[bit / 8] >> bit % 8 & 1) != 0;
        const T a = get<T>(lane_offset(at.src0, at.from0, r, l, sizeof(T)));
        const T b =
            scalar != nullptr ? *scalar : get<T>(lane_offset(at.src1, at.from1, r, l, sizeof(T)));
        results.emplace_back(lane_offset(at.dst, at.to, r, l, sizeof(T)), first ? a : b);
      }
      for (const auto& [to, value] : results) put(to, value);
    }
  }

  /// All of UB but what is reserved for the calls.
  void check_all() {
    std::memcpy(expected.data() + kScratch, core.buffer<std::byte>(isa::Space::kUb, kScratch),
                8192);
    check();
  }

  template <class T>
  void select(SELMODE mode, const SelectLayout& at, T scalar, auto... how) {
    const auto dst = tensor<T>(at.dst);
    const auto src0 = tensor<T>(at.src0), src1 = tensor<T>(at.src1);
    const auto bits = tensor<std::uint8_t>(kBits);
    if (mode == kScalar) {
      AscendC::Select(dst, bits, src0, scalar, mode, how...);
    } else {
      AscendC::Select(dst, bits, src0, src1, mode, how...);
    }
  }

  template <class T>
  void check_mode(SELMODE mode) {
    const T scalar = T(-2.5f);
    const T* fixed = mode == kScalar ? &scalar : nullptr;
    fill<T>(static_cast<std::uint32_t>(mode) + 31);
    for (const SelectLayout& at : kSelectLayouts) {
      const auto u8 = [](std::uint32_t v) { return static_cast<std::uint8_t>(v); };
      const AscendC::BinaryRepeatParams strides(u8(at.to.block), u8(at.from0.block),
                                                u8(at.from1.block), u8(at.to.repeat),
                                                u8(at.from0.repeat), u8(at.from1.repeat));
      for (std::uint32_t repeats : {0u, 1u, 3u, at.max_repeats}) {
        for (std::uint32_t mask : {kAll<T>, 9u, 0u}) {
          expect_select(mode, Lanes::first(mask, kAll<T>, repeats), at, fixed);
          select(mode, at, scalar, std::uint64_t{mask}, repeats, strides);
          ASSERT_NO_FATAL_FAILURE(check_all()) << mask << " x " << repeats;
        }
        const std::uint64_t bits[2] = {0x69a569a500000001, 0x8000000000000001};
        expect_select(mode, Lanes::bits(bits[0], bits[1], kAll<T>, repeats), at, fixed);
        select(mode, at, scalar, &bits[0], repeats, strides);
        ASSERT_NO_FATAL_FAILURE(check_all()) << "bits x " << repeats;
      }
    }
    for (SelectLayout at : {kSelectLayouts[0], kSelectLayouts[3], kSelectLayouts[4]}) {
      at.to = at.from0 = at.from1 = {};
      for (std::uint32_t count : {0u, 1u, 9u, kAll<T>, 5 * kAll<T> + 3, 8000u}) {
        expect_select(mode, Lanes::count(count, kAll<T>), at, fixed);
        select(mode, at, scalar, count);
        ASSERT_NO_FATAL_FAILURE(check_all()) << "count " << count;
      }
    }
  }

  template <class Call>
  void expect_fault(FaultClass cls, const std::string& word, Call call) {
    try {
      call();
      ADD_FAILURE() << "no fault: " << word;
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
    }
  }
};

TEST_F(VectorSelect, ByTheMaskRegister) {
  check_mode<float>(kRegister);
  check_mode<half>(kRegister);
}
TEST_F(VectorSelect, ByATensorOfBitsFromATensorAndAScalar) {
  check_mode<float>(kScalar);
  check_mode<half>(kScalar);
}
TEST_F(VectorSelect, ByATensorOfBitsFromTwoTensors) {
  check_mode<float>(kTensor);
  check_mode<half>(kTensor);
}

/// The calls without a mask take CMPMASK and the mask register as the kernel set them.
TEST_F(VectorSelect, WithRegistersOfTheKernel) {
  fill<float>(3);
  const SelectLayout at;
  const auto dst = tensor<float>(at.dst), a = tensor<float>(at.src0), b = tensor<float>(at.src1);
  AscendC::SetVectorMask<float>(50);
  AscendC::SetCmpMask(tensor<std::uint8_t>(kBits));
  expect_select<float>(kRegister, Lanes::first(50, 64, 3), at, nullptr);
  AscendC::Select<float, kRegister>(dst, a, b, 3, {});
  ASSERT_NO_FATAL_FAILURE(check_all());

  AscendC::Duplicate(tensor<std::uint32_t>(kScratch), kBits, 32);
  AscendC::SetCmpMask(tensor<std::uint32_t>(kScratch));
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(200);
  expect_select<float>(kTensor, Lanes::count(200, 64), at, nullptr);
  AscendC::Select<float, kTensor>(dst, a, b, 1, {});
  ASSERT_NO_FATAL_FAILURE(check_all());

  const float scalar = 7.5f;
  AscendC::SetMaskNorm();
  AscendC::Duplicate(tensor<float>(kScratch), scalar, 8);
  AscendC::SetCmpMask(tensor<float>(kScratch));
  expect_select<float>(kScalar, Lanes::first(64, 64, 2), at, &scalar);
  AscendC::Select(dst, tensor<std::uint16_t>(kBits), a, 2, {});
  ASSERT_NO_FATAL_FAILURE(check_all());
}

/// What a Select by a tensor costs beside itself: a fill and a move to CMPMASK, each waited for.
TEST_F(VectorSelect, StepsOfTheCalls) {
  fill<float>();
  select(kScalar, {}, 1.0f, 640u);
  using isa::Opcode;
  const std::vector<Opcode> steps = {Opcode::kDuplicate, Opcode::kPipeBarrier, Opcode::kSetCmpMask,
                                     Opcode::kPipeBarrier, Opcode::kSelect};
  std::vector<Opcode> is;
  for (const isa::Instr& instr : core.emitted) is.push_back(instr.op);
  EXPECT_EQ(is, steps);
  EXPECT_EQ(core.emitted[0].dst.addr, kScratch);
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kNormal);
  EXPECT_EQ(core.registers().mask[0], ~std::uint64_t{0});
}

TEST_F(VectorSelect, Refused) {
  fill<float>();
  const auto a = tensor<float>(0), b = tensor<float>(4096);
  const auto bits = tensor<std::uint8_t>(kBits);
  expect_fault(FaultClass::kParameter, "selMode",
               [&] { AscendC::Select(a, bits, a, b, kScalar, 64); });
  expect_fault(FaultClass::kParameter, "selMode",
               [&] { AscendC::Select(a, bits, a, 1.0f, kTensor, 64); });
  expect_fault(FaultClass::kParameter, "selMode",
               [&] { AscendC::Select(a, bits, a, b, static_cast<SELMODE>(3), 64); });
  expect_fault(FaultClass::kAlignment, "src1",
               [&] { AscendC::Select(a, bits[8], a, 1.0f, kScalar, 64); });
  expect_fault(FaultClass::kAlignment, "src0",
               [&] { AscendC::Select(a, bits, a[1], b, kTensor, 64); });
  expect_fault(FaultClass::kAddress, "CMPMASK", [&] {
    AscendC::Select(a, tensor<std::uint8_t>(kUbBytes - 32), a, b, kTensor, 320);
  });
  expect_fault(FaultClass::kAddress, "src1", [&] {
    AscendC::Select(a, tensor<std::uint8_t>(kUbBytes - 32), a, 1.0f, kScalar, 320);
  });
  AscendC::Select(a, tensor<std::uint8_t>(kUbBytes - 32), a, 1.0f, kScalar, 256);
}

}  // namespace
}  // namespace davsim::test
