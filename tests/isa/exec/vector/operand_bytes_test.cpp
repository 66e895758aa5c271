// The bytes that vector instructions are listed to touch, against a walk over repeats and lanes:
// exactly those of the lanes that are computed, for random masks, strides, repeats and tails.
#include <algorithm>
#include <random>
#include <set>

#include "isa/exec/accesses.hpp"
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using Bytes = std::set<std::uint64_t>;

/// One way to call an instruction: strides in DataBlocks, and lanes by count or by mask.
struct Form {
  Strides to, from0, from1;
  Lanes lanes;
  enum { kCount, kFirst, kBits } by = kCount;
  std::uint64_t bits[2] = {~0ULL, ~0ULL};
};

class OperandBytes : public VectorTest {
 protected:
  static constexpr std::uint32_t kDst = 0, kSrc0 = 64 * 1024, kSrc1 = 128 * 1024;

  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  Form any_form(std::uint32_t per_repeat, bool may_count = true) {
    Form form;
    const std::uint32_t kind = below(may_count ? 3 : 2);
    if (kind == 2) {
      form.lanes = Lanes::count(1 + below(9 * per_repeat), per_repeat);
      return form;
    }
    const std::uint32_t repeats = below(9);
    for (Strides* strides : {&form.to, &form.from0, &form.from1}) {
      *strides = {below(4), below(30)};
    }
    form.to.block = std::max(form.to.block, 1u);  // 0 is refused
    if (kind == 0) {
      form.by = Form::kFirst;
      form.lanes = Lanes::first(1 + below(per_repeat), per_repeat, repeats);
      return form;
    }
    form.by = Form::kBits;
    form.bits[0] = any_bits();
    form.bits[1] = per_repeat > 64 ? any_bits() : 0;
    if (per_repeat < 64) form.bits[0] &= (1ULL << per_repeat) - 1;
    if (form.bits[0] == 0 && form.bits[1] == 0) form.bits[0] = 1;
    form.lanes = Lanes::bits(form.bits[0], form.bits[1], per_repeat, repeats);
    return form;
  }

  /// The elements that active lanes have in an operand.
  static Bytes elements(const Form& form, std::uint32_t base, Strides strides,
                        std::size_t element_bytes) {
    Bytes bytes;
    for (std::uint32_t r = 0; r < form.lanes.repeats; ++r) {
      for (std::uint32_t lane = 0; lane < form.lanes.per_repeat; ++lane) {
        if (!form.lanes.active(r, lane)) continue;
        const std::size_t at = lane_offset(base, strides, r, lane, element_bytes);
        for (std::size_t i = 0; i < element_bytes; ++i) bytes.insert(at + i);
      }
    }
    return bytes;
  }
  /// Two lanes a byte.
  static Bytes int4_elements(const Form& form, std::uint32_t base, Strides strides) {
    Bytes bytes;
    for (std::uint32_t r = 0; r < form.lanes.repeats; ++r) {
      for (std::uint32_t lane = 0; lane < form.lanes.per_repeat; ++lane) {
        if (form.lanes.active(r, lane)) bytes.insert(lane_offset(base, strides, r, lane / 2, 1));
      }
    }
    return bytes;
  }
  /// A bit a lane, from a repeat's first lane to the last one of the last repeat.
  static Bytes bits(const Form& form, std::uint32_t base) {
    Bytes bytes;
    const std::uint32_t of_repeat = form.lanes.per_repeat / 8;
    for (std::uint32_t r = 0; r < form.lanes.repeats; ++r) {
      for (std::uint32_t lane = 0; lane < form.lanes.per_repeat; ++lane) {
        const bool last = r + 1 == form.lanes.repeats;
        bool ends = true;
        for (std::uint32_t l = lane; l < form.lanes.per_repeat; ++l) {
          ends &= !form.lanes.active(r, l);
        }
        if (!last || !ends) bytes.insert(base + r * of_repeat + lane / 8);
      }
    }
    return bytes;
  }
  static Bytes both(Bytes a, const Bytes& b) {
    a.insert(b.begin(), b.end());
    return a;
  }
  static Bytes touched(const isa::AccessList& list, bool writes) {
    Bytes bytes;
    for (const isa::Access& access : list) {
      if (access.space != isa::Space::kUb || access.writes() != writes) continue;
      access.for_each_touched([&](std::uint64_t addr, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) bytes.insert(addr + i);
      });
    }
    return bytes;
  }

  /// The last instruction reads and writes these bytes. `by_address`: where the bits of a Select
  /// lie, stands in a register, and without a look at it they may be anywhere.
  void expect(const char* what, const Bytes& reads, const Bytes& writes, bool by_address = false) {
    const isa::DecodedInstr instr = isa::decode(core.emitted.back(), core.memory);
    isa::AccessList is, may;
    isa::list_accesses(instr, core.memory, is);
    isa::list_possible_accesses(instr, kUbBytes, may);
    ASSERT_EQ(touched(is, true), writes) << what << " writes";
    ASSERT_EQ(touched(is, false), reads) << what << " reads";
    ASSERT_EQ(touched(may, true), writes) << what << " may write";
    if (!by_address) {
      ASSERT_EQ(touched(may, false), reads) << what << " may read";
    } else {
      const auto is_ub = [](const isa::Access& access) {
        return !access.writes() && access.addr == 0 && access.bytes == kUbBytes;
      };
      ASSERT_TRUE(std::any_of(may.begin(), may.end(), is_ub)) << what;
    }
  }

  template <class Call>
  static void with_lanes(const Form& form, Call call) {
    const auto repeats = static_cast<std::uint8_t>(form.lanes.repeats);
    if (form.by == Form::kFirst) {
      call(std::uint64_t{form.lanes.of_repeat}, repeats);
    } else {
      call(&form.bits[0], repeats);
    }
  }
  static BinaryRepeatParams binary(const Form& form) {
    const auto u8 = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
    return {u8(form.to.block),  u8(form.from0.block),  u8(form.from1.block),
            u8(form.to.repeat), u8(form.from0.repeat), u8(form.from1.repeat)};
  }
  static UnaryRepeatParams unary(const Form& form) {
    return {static_cast<std::uint16_t>(form.to.block), static_cast<std::uint16_t>(form.from0.block),
            static_cast<std::uint8_t>(form.to.repeat),
            static_cast<std::uint8_t>(form.from0.repeat)};
  }

  template <class T>
  void add() {
    Form form = any_form(256 / sizeof(T));
    const auto dst = tensor<T>(kDst), a = tensor<T>(kSrc0), b = tensor<T>(kSrc1);
    if (form.by == Form::kCount) {
      Add(dst, a, b, static_cast<std::int32_t>(form.lanes.all));
    } else {
      with_lanes(form, [&](auto mask, std::uint8_t n) { Add(dst, a, b, mask, n, binary(form)); });
    }
    if (form.lanes.repeats == 0) return;
    expect("Add",
           both(elements(form, kSrc0, form.from0, sizeof(T)),
                elements(form, kSrc1, form.from1, sizeof(T))),
           elements(form, kDst, form.to, sizeof(T)));
  }

  template <class To, class From>
  void cast(RoundMode round) {
    Form form = any_form(256 / std::max(sizeof(To), sizeof(From)));
    if (form.by == Form::kCount) {  // a narrow operand has fewer blocks a repeat
      form.to.repeat = form.lanes.per_repeat * sizeof(To) / 32;
      form.from0.repeat = form.lanes.per_repeat * sizeof(From) / 32;
      Cast(tensor<To>(kDst), tensor<From>(kSrc0), round, form.lanes.all);
    } else {
      with_lanes(form, [&](auto mask, std::uint8_t n) {
        Cast(tensor<To>(kDst), tensor<From>(kSrc0), round, mask, n, unary(form));
      });
    }
    expect("Cast", elements(form, kSrc0, form.from0, sizeof(From)),
           elements(form, kDst, form.to, sizeof(To)));
  }

  void cast_to_int4() {
    Form form = any_form(128, false);
    // A byte has two lanes, which the mask must not part.
    if (form.by == Form::kFirst) {
      form.lanes = Lanes::first((form.lanes.of_repeat + 1) / 2 * 2, 128, form.lanes.repeats);
    } else {
      for (std::uint64_t& bits : form.bits) bits = (bits & 0x5555555555555555) * 3;
      if (form.bits[0] == 0 && form.bits[1] == 0) form.bits[1] = 12;
      form.lanes = Lanes::bits(form.bits[0], form.bits[1], 128, form.lanes.repeats);
    }
    const LocalTensor<int4b_t> dst(TPosition::VECCALC, kDst, 16 * 1024);
    with_lanes(form, [&](auto mask, std::uint8_t n) {
      Cast(dst, tensor<half>(kSrc0), RoundMode::CAST_RINT, mask, n, unary(form));
    });
    expect("Cast to int4", elements(form, kSrc0, form.from0, 2),
           int4_elements(form, kDst, form.to));
  }

  /// The destination is read as well.
  void multiply_add() {
    const Form form = any_form(64, false);
    const auto dst = tensor<float>(kDst), a = tensor<float>(kSrc0), b = tensor<float>(kSrc1);
    with_lanes(form,
               [&](auto mask, std::uint8_t n) { MulAddDst(dst, a, b, mask, n, binary(form)); });
    const Bytes sums = elements(form, kDst, form.to, 4);
    expect("MulAddDst",
           both(sums,
                both(elements(form, kSrc0, form.from0, 4), elements(form, kSrc1, form.from1, 4))),
           sums);
  }

  template <class T>
  void duplicate() {
    const Form form = any_form(256 / sizeof(T), false);
    with_lanes(form, [&](auto mask, std::uint8_t n) {
      Duplicate(tensor<T>(kDst), T(1), mask, n, static_cast<std::uint16_t>(form.to.block),
                static_cast<std::uint8_t>(form.to.repeat));
    });
    expect("Duplicate", {}, elements(form, kDst, form.to, sizeof(T)));
  }

  /// Bits to be written and to be read follow each other without gap.
  template <class T>
  void select_by_bits(SELMODE mode) {
    const Form form = any_form(256 / sizeof(T), false);
    const auto dst = tensor<T>(kDst), a = tensor<T>(kSrc0), b = tensor<T>(kSrc1);
    const std::uint32_t at = kSrc1 + 32 * 1024;
    const auto chosen = tensor<std::uint8_t>(at);
    const bool scalar = mode == SELMODE::VSEL_TENSOR_SCALAR_MODE;
    with_lanes(form, [&](auto mask, std::uint8_t n) {
      if (scalar) {
        Select(dst, chosen, a, T(1), mode, mask, n, binary(form));
      } else {
        Select(dst, chosen, a, b, mode, mask, n, binary(form));
      }
    });
    Bytes reads = elements(form, kSrc0, form.from0, sizeof(T));
    reads = both(reads, bits(form, at));
    if (!scalar) reads = both(reads, elements(form, kSrc1, form.from1, sizeof(T)));
    if (form.lanes.repeats == 0) return;
    expect("Select", reads, elements(form, kDst, form.to, sizeof(T)), !scalar);
  }

  template <class T>
  void compare() {
    Form form = any_form(256 / sizeof(T), false);
    form.lanes = Lanes::first(256 / sizeof(T), 256 / sizeof(T), form.lanes.repeats);
    Compare(tensor<std::uint8_t>(kDst), tensor<T>(kSrc0), tensor<T>(kSrc1), CMPMODE::LT,
            std::uint64_t{form.lanes.of_repeat}, static_cast<std::uint8_t>(form.lanes.repeats),
            binary(form));
    if (form.lanes.repeats == 0) return;
    expect("Compare",
           both(elements(form, kSrc0, form.from0, sizeof(T)),
                elements(form, kSrc1, form.from1, sizeof(T))),
           bits(form, kDst));
  }

  /// Elements whose bit is set lie one behind the other. Without a look at the bits it may be all.
  template <class T, class U>
  void gather_mask() {
    const std::uint32_t lanes = 1 + below(256 / sizeof(T)), repeats = 1 + below(6);
    const Form form{{},
                    {1 + below(3), below(20)},
                    {0, below(4)},
                    Lanes::first(lanes, 256 / sizeof(T), repeats),
                    Form::kFirst};
    std::uint32_t kept = 0;
    Bytes bits;
    auto* const words = core.buffer<std::uint8_t>(isa::Space::kUb, kSrc1);
    for (std::uint32_t i = 0; i < 1024; ++i) words[i] = static_cast<std::uint8_t>(random_());
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t at = r * form.from1.repeat * 32 + lane / 8;
        bits.insert(kSrc1 + at);
        kept += words[at] >> lane % 8 & 1u;
      }
    }
    GatherMask(tensor<T>(kDst), tensor<T>(kSrc0), tensor<U>(kSrc1), true, lanes,
               GatherMaskParams(static_cast<std::uint8_t>(form.from0.block),
                                static_cast<std::uint16_t>(repeats),
                                static_cast<std::uint16_t>(form.from0.repeat),
                                static_cast<std::uint8_t>(form.from1.repeat)));
    const isa::DecodedInstr instr = isa::decode(core.emitted.back(), core.memory);
    const Bytes reads = both(bits, elements(form, kSrc0, form.from0, sizeof(T)));
    isa::AccessList is, may;
    isa::list_accesses(instr, core.memory, is);
    isa::list_possible_accesses(instr, kUbBytes, may);
    ASSERT_EQ(touched(is, false), reads);
    ASSERT_EQ(touched(may, false), reads);
    ASSERT_EQ(touched(is, true), run(kDst, kept * sizeof(T)));
    ASSERT_EQ(touched(may, true), run(kDst, repeats * lanes * sizeof(T)));
  }
  static Bytes run(std::uint64_t from, std::uint64_t count) {
    Bytes bytes;
    for (std::uint64_t i = 0; i < count; ++i) bytes.insert(from + i);
    return bytes;
  }

  /// A result for so many DataBlocks of each repeat that have a lane, side by side.
  template <class T>
  void reduce(std::uint32_t group_bytes, bool pairs) {
    const Form form = any_form(256 / sizeof(T), false);
    if (form.by == Form::kBits) return;
    const std::uint32_t n = form.lanes.repeats, lanes = form.lanes.of_repeat;
    const auto dst = tensor<T>(kDst), src = tensor<T>(kSrc0);
    const auto i32 = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
    const std::uint32_t per = pairs ? 2 : group_bytes / static_cast<std::uint32_t>(sizeof(T));
    const std::uint32_t results = (lanes + per - 1) / per;
    // Strides of results count results of whole repeats.
    const std::uint32_t pitch = form.to.repeat *
                                (256 / static_cast<std::uint32_t>(sizeof(T)) / per) *
                                static_cast<std::uint32_t>(sizeof(T));
    if (pairs) {
      PairReduceSum(dst, src, i32(n), i32(lanes), i32(form.to.repeat), i32(form.from0.block),
                    i32(form.from0.repeat));
    } else if (group_bytes == 32) {
      BlockReduceSum(dst, src, i32(n), i32(lanes), i32(form.to.repeat), i32(form.from0.block),
                     i32(form.from0.repeat));
    } else {
      WholeReduceSum(dst, src, i32(lanes), i32(n), i32(form.to.repeat), i32(form.from0.block),
                     i32(form.from0.repeat));
    }
    if (n == 0) return;
    Bytes writes;
    for (std::uint32_t r = 0; r < n; ++r) {
      writes = both(writes, run(kDst + r * pitch, results * sizeof(T)));
    }
    expect("a reduction", elements(form, kSrc0, form.from0, sizeof(T)), writes);
  }

  std::mt19937_64 random_{11};

 private:
  /// Sparse, dense, or in runs.
  std::uint64_t any_bits() {
    const std::uint64_t x = random_(), y = random_();
    switch (below(4)) {
      case 0:
        return x & y;
      case 1:
        return x | y;
      case 2:
        return x << below(64);
      default:
        return (x & 1 ? 0xffff0000ffff0000 : 0xff00ff00ff00ff00) << below(16);
    }
  }
};

TEST_F(OperandBytes, AreThoseOfTheLanesThatAreComputed) {
  fill<half>();
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    add<half>(), add<float>(), add<std::int32_t>();
    duplicate<half>(), duplicate<float>();
    multiply_add();
  }
}

TEST_F(OperandBytes, OfANarrowOperandAreFewerBlocksOfARepeat) {
  fill<half>();
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    cast<float, half>(RoundMode::CAST_NONE);
    cast<half, float>(RoundMode::CAST_RINT);
    cast<std::int8_t, half>(RoundMode::CAST_RINT);
    cast<half, std::uint8_t>(RoundMode::CAST_NONE);
    cast_to_int4();
  }
}

TEST_F(OperandBytes, OfBitsFollowEachOther) {
  fill<half>();
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    compare<half>(), compare<float>();
    for (const SELMODE mode :
         {SELMODE::VSEL_TENSOR_SCALAR_MODE, SELMODE::VSEL_TENSOR_TENSOR_MODE}) {
      select_by_bits<half>(mode), select_by_bits<float>(mode);
    }
  }
}

TEST_F(OperandBytes, OfWhatBitsKeepAreAsManyAsTheyKeep) {
  fill<half>();
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    gather_mask<half, std::uint16_t>(), gather_mask<float, std::uint32_t>();
  }
}

TEST_F(OperandBytes, OfResultsOfReductionsLieSideBySide) {
  fill<half>();
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    reduce<half>(256, false), reduce<float>(256, false);
    reduce<half>(32, false), reduce<float>(32, false);
    reduce<half>(0, true), reduce<float>(0, true);
  }
}

}  // namespace
}  // namespace davsim::test
