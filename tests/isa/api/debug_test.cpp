// What kernels print and assert.
#include "ascendc/debug.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "isa/core/kernel_output.hpp"
#include "tests/isa/api/sync_log.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class DebugTest : public testing::Test {
 protected:
  DebugTest() {
    isa::set_kernel_output([this](std::string_view text) { printed_ += text; });
  }
  ~DebugTest() override { isa::set_kernel_output({}); }
  std::string taken() { return std::exchange(printed_, ""); }

  TestCore core_;
  std::string printed_;
};

TEST_F(DebugTest, PrintfTakesTheDevicesTypes) {
  AscendC::printf("fmt string %d\n", 0x123);
  EXPECT_EQ(taken(), "fmt string 291\n");
  AscendC::printf("%f %.2f %g|", half(1.5f), bfloat16_t(0.25f), 3.5f);
  EXPECT_EQ(taken(), "1.500000 0.25 3.5|");
  AscendC::PRINTF("%d %i %u %ld %llu %5d|", std::int8_t{-3}, true, std::uint8_t{200},
                  std::int64_t{-5}, ~std::uint64_t{0}, 42);
  EXPECT_EQ(taken(), "-3 1 200 -5 18446744073709551615    42|");
  AscendC::printf("%x %s %c 100%%", std::int32_t{-1}, "text", 'c');
  EXPECT_EQ(taken(), "ffffffffffffffff text c 100%") << "integers have 64 bits";
  AscendC::printf("no arguments\n");
  EXPECT_EQ(taken(), "no arguments\n");
  int value = 0;
  AscendC::printf("%p", &value);
  char expected[32];
  std::snprintf(expected, sizeof expected, "%p", static_cast<void*>(&value));
  EXPECT_EQ(taken(), expected);
  AscendC::printf("%700d", 1);
  EXPECT_EQ(taken(), std::string(699, ' ') + "1");
}

TEST_F(DebugTest, PrintfTakesElementsOfTensors) {
  const LocalTensor<half> numbers(TPosition::VECIN, 0, 16);
  const LocalTensor<std::int32_t> counts(TPosition::VECIN, 32, 8);
  numbers(1) = half(2.0f);
  counts(0) = 7;
  counts(1) = -8;
  AscendC::printf("%f %d %d|", numbers(1), counts(1), counts(0) + 1);
  EXPECT_EQ(taken(), "2.000000 -8 8|");
}

TEST_F(DebugTest, PrintfRefusesFormatsThatDoNotFit) {
  EXPECT_EQ(fault_of([] { AscendC::printf("%d %d", 1); }).message,
            "printf: conversion 2 of the format has no argument");
  EXPECT_EQ(fault_of([] { AscendC::printf("%n", 1); }).cls, isa::FaultClass::kParameter);
  EXPECT_EQ(fault_of([] { AscendC::printf("%s", 1); }).message, "printf: %s needs a string");
  EXPECT_EQ(fault_of([] { AscendC::printf("100%"); }).message,
            "printf: the format ends inside a conversion");
  EXPECT_EQ(taken(), "");
}

TEST_F(DebugTest, AssertionsNameExpressionMessageAndLine) {
  const int flag = 10;
  ascendc_assert(flag == 10);
  ascendc_assert(flag == 10, "never %d\n", flag);
  const isa::Fault fault = fault_of([&] { ascendc_assert(flag != 10, "flag is %d.\n", flag); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kAssert);
  EXPECT_EQ(fault.message, "Assertion `flag != 10' failed: flag is 10.");
  EXPECT_EQ(fault.where.line(), static_cast<unsigned>(__LINE__ - 3));
  EXPECT_EQ(fault_of([&] { ascendc_assert(flag < 3); }).message, "Assertion `flag < 3' failed");
  EXPECT_EQ(fault_of([] { Trap(); }).cls, isa::FaultClass::kAssert);
}

TEST_F(DebugTest, PrintfHasTheCompilersNamespaceToo) {
  cce::printf("%d %.1f\n", 5, half(1.5f));
  EXPECT_EQ(taken(), "5 1.5\n");
}

TEST_F(DebugTest, DumpTensorPrintsElementsAfterABarrier) {
  LocalTensor<half> tensor(TPosition::VECIN, 64, 32);
  for (std::uint32_t i = 0; i < 32; ++i) tensor.SetValue(i, static_cast<float>(i) / 4);
  DumpTensor(tensor, 5, 3);
  EXPECT_EQ(taken(),
            "DumpTensor: desc=5, addr=0x40, data_type=float16, position=UB, dump_size=3\n"
            "[0.000000, 0.250000, 0.500000]\n");
  EXPECT_EQ(take_log(core_), Lines{"BAR ALL"});
  DumpAccChkPoint(tensor, 7, 16, 2);
  EXPECT_EQ(taken(),
            "DumpTensor: desc=7, addr=0x60, data_type=float16, position=UB, dump_size=2\n"
            "[4.000000, 4.250000]\n");
  core_.buffer<std::int32_t>(isa::Space::kL0C)[1] = -8;
  DumpTensor(LocalTensor<std::int32_t>(TPosition::CO1, 0, 8), 1, 2);
  EXPECT_EQ(taken(),
            "DumpTensor: desc=1, addr=0x0, data_type=int32, position=L0C, dump_size=2\n"
            "[0, -8]\n");
}

TEST_F(DebugTest, DumpTensorFollowsAShape) {
  std::vector<std::int16_t> data = {1, 2, 3, 4, 5, 6};
  core_.global.add(data.data(), 12);
  GlobalTensor<std::int16_t> tensor;
  tensor.SetGlobalBuffer(data.data(), 6);
  const auto body = [&] {
    const std::string text = taken();
    return text.substr(text.find('\n') + 1);
  };
  const std::uint32_t same[] = {2, 3}, smaller[] = {2, 2}, larger[] = {2, 2, 2};
  DumpTensor(tensor, 2, 6, ShapeInfo(2, same));
  EXPECT_EQ(body(), "[[1,2,3],\n[4,5,6]]\n");
  DumpTensor(tensor, 2, 6, ShapeInfo(2, smaller));
  EXPECT_EQ(body(),
            "shape is [2, 2], dumpSize is 6, dumpSize is greater than shapeSize.\n"
            "[[1,2],\n[3,4]]\n");
  DumpTensor(tensor, 2, 6, ShapeInfo(3, larger));
  EXPECT_EQ(body(),
            "shape is [2, 2, 2], dumpSize is 6, data is not enough.\n"
            "[[[1,2],\n[3,4]],\n[[5,6],\n[-,-]]]\n");
}

TEST_F(DebugTest, DumpTensorKeepsItsLimits) {
  DumpTensor(LocalTensor<float>(TPosition::VECIN, 0, 8192), 1, 8000);
  EXPECT_NE(taken().find("more than 30 KiB"), std::string::npos);
  EXPECT_EQ(fault_of([] { DumpTensor(LocalTensor<half>(TPosition::A2, 0, 16), 1, 1); }).message,
            "DumpTensor: the tensor is in L0A, allowed are UB, L1, L0C and GM");
}

TEST_F(DebugTest, TensorsPrintThemselvesAndGoToFiles) {
  LocalTensor<std::uint8_t> tensor(TPosition::VECCALC, 0, 32);
  for (std::uint32_t i = 0; i < 32; ++i) tensor.SetValue(i, i + 1);
  tensor.Print(4);
  EXPECT_EQ(taken(), "1 2 3 4\n");
  const ScratchFolder folder;
  const std::string file = (folder / "tensor").string();
  EXPECT_EQ(tensor.ToFile(file), 0);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(bytes.size(), 32u);
  EXPECT_EQ(bytes[31], 32);
  EXPECT_EQ(tensor.ToFile("/no/such/folder/file"), -1);
}

}  // namespace
}  // namespace davsim::test
