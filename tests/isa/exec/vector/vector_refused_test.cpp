// What vector calls and records are refused for: the class of the fault, the kernel line, the
// limit.
#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/instr/vector_types.hpp"
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using isa::FaultClass;

class VectorRefused : public VectorTest {
 protected:
  /// `call` stands in the same statement as this one. (That the line is the very one is a test of
  /// vector_mask_test.cpp.)
  template <class Call>
  void expect_fault(FaultClass cls, const std::vector<std::string>& words, Call call,
                    isa::SourceLocation here = isa::SourceLocation::current()) {
    const std::size_t before = core.emitted.size();
    try {
      call();
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_GE(fault.where.line(), here.line()) << fault.message;
      EXPECT_LE(fault.where.line(), here.line() + 4) << fault.message;
      EXPECT_STREQ(fault.where.file_name(), here.file_name());
      EXPECT_FALSE(fault.instruction.empty());
      for (const std::string& word : words) {
        EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
      }
      EXPECT_EQ(core.emitted.size(), before);
      return;
    }
    ADD_FAILURE() << "line " << here.line() << ": no fault";
  }

  /// A record as no call would build it.
  isa::Instr record() {
    isa::VectorParams params;
    const isa::Operand operand{isa::Space::kUb, isa::DType::kF32, 0};
    return {isa::Opcode::kAdd,
            isa::Pipe::V,
            operand,
            operand,
            operand,
            params,
            isa::SourceLocation::current()};
  }
  void expect_record_refused(const isa::Instr& instr, FaultClass cls, const std::string& word) {
    for (const bool executes : {false, true}) {
      try {
        executes ? isa::execute(instr, core.memory) : void(isa::decode(instr, core.memory));
        ADD_FAILURE() << "no fault: " << word;
      } catch (const isa::Fault& fault) {
        EXPECT_EQ(fault.cls, cls);
        EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
        EXPECT_EQ(fault.pipe, "V");
        EXPECT_EQ(fault.where.line(), instr.where.line());
      }
    }
  }

  AscendC::LocalTensor<float> a = tensor<float>(0), b = tensor<float>(4096);
  AscendC::LocalTensor<half> h = tensor<half>(8192);
};

TEST_F(VectorRefused, Ranges) {
  expect_fault(FaultClass::kParameter, {"Add", "repeatTime", "256", "0 to 255"}, [&] {
    AscendC::Add(a, a, b, 64, 256, {1, 1, 1, 8, 8, 8});
  });
  expect_fault(FaultClass::kParameter, {"Exp", "repeatTime", "-1"}, [&] {
    AscendC::Exp(a, b, 64, -1, {1, 1, 8, 8});
  });
  expect_fault(FaultClass::kParameter, {"Muls", "count", "-4"},
               [&] { AscendC::Muls(a, b, 2.0f, -4); });
  expect_fault(FaultClass::kParameter, {"Copy", "dstRepeatSize", "4096", "0 to 4095"}, [&] {
    AscendC::Copy(a, b, 8, 1, {1, 1, 4096, 8});
  });
  expect_fault(FaultClass::kParameter, {"SetVectorMask", "len", "-1"},
               [&] { AscendC::SetVectorMask<half>(-1); });
  expect_fault(FaultClass::kParameter, {"SetVectorMask", "maskHigh"},
               [&] { AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(1, 1); });
  const std::uint64_t* nothing = nullptr;
  expect_fault(FaultClass::kParameter, {"Abs", "mask"}, [&] {
    AscendC::Abs(a, b, nothing, 1, {1, 1, 8, 8});
  });
}

TEST_F(VectorRefused, TensorsWithoutABuffer) {
  const AscendC::LocalTensor<float> none;
  const AscendC::LocalTensor<std::uint32_t> no_offsets;
  expect_fault(FaultClass::kParameter, {"VADDS", "src0 lies in no buffer", "never allocated", "UB"},
               [&] { AscendC::Adds(a, none, 1.0f, 64); });
  expect_fault(FaultClass::kParameter, {"VBITSORT", "dst lies in no buffer"},
               [&] { AscendC::Sort32(none, a, tensor<std::uint32_t>(4096), 1); });
  expect_fault(FaultClass::kParameter, {"DataCopy", "from UB to no buffer", "never allocated"},
               [&] { AscendC::DataCopy(none, a, 64); });
}

TEST_F(VectorRefused, RoundModesThatAPairOfTypesHasNot) {
  const auto i32 = tensor<std::int32_t>(0);
  expect_fault(FaultClass::kParameter, {"VCONV", "int32", "float32", "CAST_NONE"},
               [&] { AscendC::Cast(i32, b, AscendC::RoundMode::CAST_NONE, 8); });
  expect_fault(FaultClass::kParameter, {"VCONV", "CAST_RINT"},
               [&] { AscendC::Cast(a, h, AscendC::RoundMode::CAST_RINT, 8); });
  expect_fault(FaultClass::kParameter, {"VCONV", "CAST_ODD"},
               [&] { AscendC::Cast(i32, b, AscendC::RoundMode::CAST_ODD, 8); });
  expect_fault(FaultClass::kParameter, {"Cast", "roundMode", "9"},
               [&] { AscendC::Cast(i32, b, static_cast<AscendC::RoundMode>(9), 8); });
}

TEST_F(VectorRefused, Alignment) {
  expect_fault(FaultClass::kAlignment, {"VADD", "dst", "byte 4 ", "32"},
               [&] { AscendC::Add(a[1], a, b, 64); });
  expect_fault(FaultClass::kAlignment, {"VADD", "src0", "byte 16 "},
               [&] { AscendC::Add(a, a[4], b, 64); });
  expect_fault(FaultClass::kAlignment, {"VADD", "src1"}, [&] { AscendC::Add(a, a, b[7], 0); });
}

TEST_F(VectorRefused, OperandsThatLeaveTheBuffer) {
  const auto last = tensor<float>(kUbBytes - 256);
  AscendC::Add(last, last, last, 64);
  expect_fault(FaultClass::kAddress, {"VADD", "dst", "196640", "196608"},
               [&] { AscendC::Add(last, a, b, 65); });
  expect_fault(FaultClass::kAddress, {"VADD", "src1"}, [&] {
    AscendC::Add(a, b, last, 64, 2, {1, 1, 1, 8, 8, 1});
  });
  expect_fault(FaultClass::kAddress, {"VEXP", "src0"}, [&] {
    AscendC::Exp(a, last, 64, 1, {1, 2, 8, 8});
  });
  expect_fault(FaultClass::kAddress, {"VECTOR_DUP", "dst"},
               [&] { AscendC::Duplicate(last, 1.0f, 1, 3, 1, 8); });
  expect_fault(FaultClass::kAddress, {"VADD", "dst"}, [&] { AscendC::Add(a, a, b, 0x7fffffff); });
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(0, 0xffffffffffffffff);
  expect_fault(FaultClass::kAddress, {"VCOPY", "dst"}, [&] {
    AscendC::Copy<float, false>(a, b, AscendC::MASK_PLACEHOLDER, 1, {1, 0, 8, 8});
  });
  expect_fault(FaultClass::kAddress, {"VADD", "dst"}, [&] {
    AscendC::Add<float, false>(a, a, b, AscendC::MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});
  });
  // The last repeat is one block, the one before it reaches further.
  AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(65);
  expect_fault(FaultClass::kAddress, {"VEXP", "src0"}, [&] {
    AscendC::Exp<float, false>(a, last, AscendC::MASK_PLACEHOLDER, 1, {1, 8, 8, 1});
  });
  AscendC::SetMaskNorm();
  // Masked-off blocks count for nothing, and neither do repeats that there are not.
  AscendC::Exp(last, last, 8, 1, {100, 100, 8, 8});
  AscendC::Exp(last, last, 64, 0, {100, 100, 8, 8});
}

TEST_F(VectorRefused, BlocksOnTopOfEachOther) {
  expect_fault(FaultClass::kParameter, {"VABS", "stride", "dst", "0"}, [&] {
    AscendC::Abs(a, b, 64, 1, {0, 1, 8, 8});
  });
  AscendC::Abs(a, b, 8, 1, {0, 1, 8, 8});  // one block
}

TEST_F(VectorRefused, RecordsThatNoCallBuilds) {
  isa::Instr instr = record();
  instr.src1.type = isa::DType::kF16;
  expect_record_refused(instr, FaultClass::kParameter, "float16");
  instr = record();
  instr.dst.type = instr.src0.type = instr.src1.type = isa::DType::kBF16;
  expect_record_refused(instr, FaultClass::kParameter, "bfloat16");
  instr = record();
  instr.src0.space = isa::Space::kL1;
  expect_record_refused(instr, FaultClass::kParameter, "L1");
  instr = record();
  std::get<isa::VectorParams>(instr.params).repeats = 300;
  expect_record_refused(instr, FaultClass::kParameter, "300");
  instr = record();
  instr.params = isa::ScalarParams{};
  expect_record_refused(instr, FaultClass::kParameter, "VectorParams");
  instr = record();
  instr.dst.addr = ~std::uint64_t{0} - 31;
  expect_record_refused(instr, FaultClass::kAddress, "dst");
}

/// The list of types, which the API asserts, is what the lanes implement.
TEST(VectorTypes, ListAndLanesAgree) {
  const isa::LaneTable& table = isa::lane_table();
  for (std::size_t op = 0; op < isa::kOpcodeCount; ++op) {
    const auto opcode = static_cast<isa::Opcode>(op);
    const bool by_lanes =
        isa::computes_lanes(opcode) || isa::facts(opcode).dst == isa::Form::kHalfBlocks;
    for (std::size_t d = 0; d < isa::kDTypeCount; ++d) {
      for (std::size_t s = 0; s < isa::kDTypeCount; ++s) {
        const auto dst = static_cast<isa::DType>(d), src = static_cast<isa::DType>(s);
        if (opcode == isa::Opcode::kDuplicate && src != isa::DType::kNone) continue;
        for (std::size_t m = 0; m < isa::kRoundModes; ++m) {
          const auto mode = static_cast<isa::RoundMode>(m);
          const bool listed = opcode == isa::Opcode::kCast
                                  ? isa::cast_mode_exists(dst, src, mode)
                                  : by_lanes && isa::types_exist(opcode, dst, src);
          EXPECT_EQ(table.find(opcode, dst, src, mode) != nullptr, listed)
              << isa::info(opcode).mnemonic << " " << isa::dtype_name(dst) << " from "
              << isa::dtype_name(src) << " " << isa::round_mode_name(mode);
        }
      }
    }
  }
}

}  // namespace
}  // namespace davsim::test
