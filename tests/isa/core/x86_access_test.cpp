// Memory operands of x86-64 instructions, as the manual of the architecture encodes them.
#include "isa/core/x86_access.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace davsim::isa {
namespace {

struct Expected {
  std::vector<std::uint8_t> code;
  unsigned length, bytes;
  bool loads, stores;
};

TEST(X86Access, LengthBytesAndDirection) {
  const Expected all[] = {
      {{0x8b, 0x07}, 2, 4, true, false},                          // mov eax, [rdi]
      {{0x48, 0x8b, 0x47, 0x08}, 4, 8, true, false},              // mov rax, [rdi + 8]
      {{0x66, 0x89, 0x70, 0xe0}, 4, 2, false, true},              // mov [rax - 32], si
      {{0x88, 0x0c, 0x06}, 3, 1, false, true},                    // mov [rsi + rax], cl
      {{0x67, 0x41, 0x89, 0x86, 0, 8, 0, 0}, 8, 4, false, true},  // mov [r14d + 2048], eax
      {{0x8b, 0x04, 0x25, 0x40, 0, 0, 0}, 7, 4, true, false},     // mov eax, [64]
      {{0xc7, 0x07, 1, 0, 0, 0}, 6, 4, false, true},              // mov dword [rdi], 1
      {{0x48, 0xc7, 0x47, 4, 1, 0, 0, 0}, 8, 8, false, true},     // mov qword [rdi + 4], 1
      {{0x66, 0xc7, 0x07, 1, 0}, 5, 2, false, true},              // mov word [rdi], 1
      {{0xc6, 0x07, 1}, 3, 1, false, true},                       // mov byte [rdi], 1
      {{0x83, 0x07, 1}, 3, 4, true, true},                        // add dword [rdi], 1
      {{0x83, 0x3f, 1}, 3, 4, true, false},                       // cmp dword [rdi], 1
      {{0x81, 0x07, 0, 1, 0, 0}, 6, 4, true, true},               // add dword [rdi], 256
      {{0x03, 0x07}, 2, 4, true, false},                          // add eax, [rdi]
      {{0x01, 0x07}, 2, 4, true, true},                           // add [rdi], eax
      {{0x3b, 0x07}, 2, 4, true, false},                          // cmp eax, [rdi]
      {{0xf6, 0x07, 1}, 3, 1, true, false},                       // test byte [rdi], 1
      {{0xff, 0x07}, 2, 4, true, true},                           // inc dword [rdi]
      {{0x0f, 0xb6, 0x07}, 3, 1, true, false},                    // movzx eax, byte [rdi]
      {{0x0f, 0xbf, 0x07}, 3, 2, true, false},                    // movsx eax, word [rdi]
      {{0x48, 0x63, 0x07}, 3, 4, true, false},                    // movsxd rax, [rdi]
      {{0x0f, 0x95, 0x07}, 3, 1, false, true},                    // setne [rdi]
      {{0xf3, 0x0f, 0x10, 0x07}, 4, 4, true, false},              // movss xmm0, [rdi]
      {{0xf2, 0x0f, 0x11, 0x07}, 4, 8, false, true},              // movsd [rdi], xmm0
      {{0x0f, 0x10, 0x04, 0x06}, 4, 16, true, false},             // movups xmm0, [rsi + rax]
      {{0x41, 0x0f, 0x11, 0x04, 0x24}, 5, 16, false, true},       // movups [r12], xmm0
      {{0x66, 0x0f, 0xd6, 0x07}, 4, 8, false, true},              // movq [rdi], xmm0
      {{0xf3, 0x0f, 0x7e, 0x07}, 4, 8, true, false},              // movq xmm0, [rdi]
      {{0xf3, 0x0f, 0x58, 0x47, 4}, 5, 4, true, false},           // addss xmm0, [rdi + 4]
      {{0x0f, 0x2e, 0x07}, 3, 4, true, false},                    // ucomiss xmm0, [rdi]
      {{0xf3, 0x0f, 0x2a, 0x07}, 4, 4, true, false},              // cvtsi2ss xmm0, [rdi]
      {{0x66, 0x0f, 0x70, 0x07, 1}, 5, 16, true, false},          // pshufd xmm0, [rdi], 1
      {{0x66, 0x0f, 0x3a, 0x16, 0x07, 1}, 6, 4, false, true},     // pextrd [rdi], xmm0, 1
      {{0xc5, 0xfa, 0x10, 0x07}, 4, 4, true, false},              // vmovss xmm0, [rdi]
      {{0xc5, 0xfc, 0x11, 0x07}, 4, 32, false, true},             // vmovups [rdi], ymm0
      {{0xc4, 0xc1, 0x7a, 0x10, 0x04, 0x24}, 6, 4, true, false},  // vmovss xmm0, [r12]
  };
  for (const Expected& one : all) {
    std::vector<std::uint8_t> code = one.code;
    code.resize(16);
    const auto access = decode_x86_access(code.data());
    ASSERT_TRUE(access) << ::testing::PrintToString(one.code);
    EXPECT_EQ(access->length, one.length) << ::testing::PrintToString(one.code);
    EXPECT_EQ(access->bytes, one.bytes) << ::testing::PrintToString(one.code);
    EXPECT_EQ(access->loads, one.loads) << ::testing::PrintToString(one.code);
    EXPECT_EQ(access->stores, one.stores) << ::testing::PrintToString(one.code);
  }
}

TEST(X86Access, ACopyHasAnotherDisplacement) {
  const auto moved = [](std::vector<std::uint8_t> code) {
    code.resize(16);
    std::uint8_t size = 0;
    const auto copy = decode_x86_access(code.data())->moved(code.data(), 0x12345600, size);
    return std::vector<std::uint8_t>(copy.begin(), copy.begin() + size);
  };
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(moved({0x8b, 0x07}), (Bytes{0x8b, 0x87, 0x00, 0x56, 0x34, 0x12}));
  EXPECT_EQ(moved({0x8b, 0x47, 0xf8}), (Bytes{0x8b, 0x87, 0xf8, 0x55, 0x34, 0x12}));
  EXPECT_EQ(moved({0x83, 0x87, 4, 0, 0, 0, 7}), (Bytes{0x83, 0x87, 0x04, 0x56, 0x34, 0x12, 7}));
  EXPECT_EQ(moved({0x88, 0x0c, 0x06}), (Bytes{0x88, 0x8c, 0x06, 0x00, 0x56, 0x34, 0x12}));
  EXPECT_EQ(moved({0x8b, 0x04, 0x25, 0x40, 0, 0, 0}),
            (Bytes{0x8b, 0x04, 0x25, 0x40, 0x56, 0x34, 0x12}));
}

TEST(X86Access, OtherInstructionsAreNone) {
  const std::vector<std::uint8_t> none[] = {
      {0x89, 0xc0},                          // mov eax, eax
      {0x8b, 0x05, 0, 0, 0, 0},              // mov eax, [rip]
      {0xff, 0x17},                          // call [rdi]
      {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07},  // vmovups zmm0, [rdi]
      {0x64, 0x8b, 0x07},                    // mov eax, fs:[rdi]
  };
  for (std::vector<std::uint8_t> code : none) {
    code.resize(16);
    EXPECT_FALSE(decode_x86_access(code.data())) << ::testing::PrintToString(code);
  }
}

}  // namespace
}  // namespace davsim::isa
