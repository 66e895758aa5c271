// Every form of a vector call - count, contiguous mask, mask bits, mask register in both modes -
// over strides, repeats, tails and shared operands, against the reference walk.
#pragma once

#include <vector>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {

/// A call by name, with the mask set by the call and by the kernel. `two_types`: destination and
/// source types are template arguments of their own.
#define DAVSIM_TEST_CALL_OF(Name, two_types)      \
  struct Name##Call {                             \
    static constexpr bool kTwoTypes = two_types;  \
    template <class... Args>                      \
    void operator()(const Args&... args) const {  \
      AscendC::Name(args...);                     \
    }                                             \
    template <class... Types, class... Args>      \
    void by_register(const Args&... args) const { \
      AscendC::Name<Types..., false>(args...);    \
    }                                             \
  }
#define DAVSIM_TEST_CALL(Name) DAVSIM_TEST_CALL_OF(Name, false)
#define DAVSIM_TEST_CALL_TWO_TYPES(Name) DAVSIM_TEST_CALL_OF(Name, true)

/// One way to lay operands out; blocks and repeats in DataBlocks.
struct Layout {
  std::uint32_t dst = 0, src0 = 64 * 1024, src1 = 128 * 1024;  ///< bytes
  Strides to = {}, from0 = {}, from1 = {};
  std::uint32_t max_repeats = 255;
};

inline const std::vector<Layout>& layouts() {
  constexpr std::uint32_t kSrc0 = 64 * 1024, kSrc1 = 128 * 1024;
  static const std::vector<Layout> all = {
      {},
      {.from0 = {1, 0}},                                        // one row for all repeats
      {.from0 = {0, 1}, .from1 = {0, 8}},                       // a block for all lanes
      {.from0 = {2, 16}, .from1 = {2, 0}, .max_repeats = 120},  // packed, from blocks that are not
      {.to = {2, 17}, .from0 = {3, 24}, .from1 = {1, 9}, .max_repeats = 60},
      {.to = {1, 10}, .from0 = {1, 1}, .max_repeats = 100},  // overlapping repeats of a source
      {.dst = kSrc0},                                        // in place
      {.dst = kSrc1},
      {.dst = kSrc0, .src1 = kSrc0},                  // all the same
      {.dst = kSrc0 + 64, .to = {1, 8}},              // sources from repeats before
      {.dst = kSrc1, .to = {1, 0}, .from1 = {1, 0}},  // accumulates into one row
      {.dst = 96, .src0 = 32, .to = {1, 9}, .from0 = {1, 9}, .from1 = {2, 16}, .max_repeats = 80},
  };
  return all;
}

class VectorCallTest : public VectorTest {
 protected:
  /// Two sources of From into To; op(src0, src1, dst).
  template <class To, class From, class Call, class Op>
  void check_binary(Call call, Op op) {
    fill<From>(17);
    const auto expect = [&](const Lanes& lanes, const Layout& at) {
      expect_walk<To, From>(lanes, at.dst, at.to, at.src0, at.from0, at.src1, at.from1, op);
    };
    const auto emit = [&](const Layout& at, auto mask, std::uint32_t repeats, bool by_register) {
      const AscendC::BinaryRepeatParams strides(u8(at.to.block), u8(at.from0.block),
                                                u8(at.from1.block), u8(at.to.repeat),
                                                u8(at.from0.repeat), u8(at.from1.repeat));
      const auto dst = tensor<To>(at.dst);
      const auto src0 = tensor<From>(at.src0), src1 = tensor<From>(at.src1);
      if (!by_register) {
        call(dst, src0, src1, mask, repeats, strides);
      } else if constexpr (!Call::kTwoTypes) {
        call.template by_register<To>(dst, src0, src1, mask, repeats, strides);
      } else {
        call.template by_register<To, From>(dst, src0, src1, mask, repeats, strides);
      }
    };
    check_masks<To, From>(expect, emit);
    const auto emit_count = [&](const Layout& at, std::int32_t count) {
      call(tensor<To>(at.dst), tensor<From>(at.src0), tensor<From>(at.src1), count);
    };
    check_counts<To, From>(expect, emit_count);
  }

  /// One source of From into To; op(src, dst). `extra` goes between source and mask.
  template <class To, class From, class Call, class Op, class... Extra>
  void check_unary(Call call, Op op, Extra... extra) {
    fill<From>(23);
    const auto expect = [&](const Lanes& lanes, const Layout& at) {
      expect_walk<To, From>(lanes, at.dst, at.to, at.src0, at.from0, at.src0, at.from0,
                            [&](From a, From, To d) { return op(a, d); });
    };
    const auto emit = [&](const Layout& at, auto mask, std::uint32_t repeats, bool by_register) {
      const AscendC::UnaryRepeatParams strides(static_cast<std::uint16_t>(at.to.block),
                                               static_cast<std::uint16_t>(at.from0.block),
                                               u8(at.to.repeat), u8(at.from0.repeat));
      const auto dst = tensor<To>(at.dst);
      const auto src = tensor<From>(at.src0);
      if (!by_register) {
        call(dst, src, extra..., mask, repeats, strides);
      } else if constexpr (!Call::kTwoTypes) {
        call.template by_register<To>(dst, src, extra..., mask, repeats, strides);
      } else {
        call.template by_register<To, From>(dst, src, extra..., mask, repeats, strides);
      }
    };
    check_masks<To, From>(expect, emit);
    const auto emit_count = [&](const Layout& at, std::int32_t count) {
      call(tensor<To>(at.dst), tensor<From>(at.src0), extra..., count);
    };
    check_counts<To, From>(expect, emit_count);
  }

 private:
  static std::uint8_t u8(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

  template <class To, class From>
  static constexpr std::uint32_t kLanes = 256 / std::max(sizeof(To), sizeof(From));

  template <class To, class From, class Expect, class Emit>
  void check_masks(Expect expect, Emit emit) {
    constexpr std::uint32_t kAll = kLanes<To, From>;
    constexpr std::uint64_t kBits[][2] = {
        {0x8000000000000001, 0}, {0x69a569a569a569a5, 0x69a569a569a569a5}, {0xff, 0}, {0, 1}};
    for (const Layout& at : layouts()) {
      for (std::uint32_t repeats : {0u, 1u, 3u, at.max_repeats}) {
        for (std::uint32_t mask : {kAll, 1u, 9u, 0u}) {
          expect(Lanes::first(mask, kAll, repeats), at);
          emit(at, std::uint64_t{mask}, repeats, false);
          check_step("mask", mask, repeats, at);
        }
        for (const auto& bits : kBits) {
          expect(Lanes::bits(bits[0], bits[1], kAll, repeats), at);
          emit(at, &bits[0], repeats, false);
          check_step("bits", static_cast<std::uint32_t>(bits[0]), repeats, at);
        }
      }
      check_register<To, From>(at, expect, emit);
    }
  }

  template <class To, class From, class Expect, class Emit>
  void check_register(const Layout& at, Expect expect, Emit emit) {
    constexpr std::uint32_t kAll = kLanes<To, From>;
    using Wide = std::conditional_t<(sizeof(To) > sizeof(From)), To, From>;
    AscendC::SetVectorMask<Wide>(5);
    expect(Lanes::first(5, kAll, 2), at);
    emit(at, AscendC::MASK_PLACEHOLDER, 2, true);
    check_step("register", 5, 2, at);
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<Wide, AscendC::MaskMode::COUNTER>(3 * kAll + 2);
    expect(Lanes::count(3 * kAll + 2, kAll), at);
    emit(at, AscendC::MASK_PLACEHOLDER, 1, true);
    check_step("counter", 3 * kAll + 2, 1, at);
    AscendC::SetMaskNorm();
    AscendC::ResetMask();
  }

  template <class To, class From, class Expect, class Emit>
  void check_counts(Expect expect, Emit emit) {
    constexpr std::uint32_t kAll = kLanes<To, From>;
    for (Layout at : layouts()) {
      at.to = {1, static_cast<std::uint32_t>(kAll * sizeof(To) / 32)};
      at.from0 = at.from1 = {1, static_cast<std::uint32_t>(kAll * sizeof(From) / 32)};
      for (std::uint32_t count : {0u, 1u, kAll - 1, kAll, kAll + 1, 5000u}) {
        expect(Lanes::count(count, kAll), at);
        emit(at, static_cast<std::int32_t>(count));
        check_step("count", count, 0, at);
      }
    }
  }

  void check_step(const char* form, std::uint32_t lanes, std::uint32_t repeats, const Layout& at) {
    check();
    if (HasFatalFailure()) {
      FAIL() << form << " " << lanes << ", " << repeats << " repeats, layout "
             << &at - layouts().data();
    }
  }
};

}  // namespace davsim::test
