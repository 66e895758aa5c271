// Functions to inspect a running kernel: printf, assertions, printouts of tensors and times.
// Kernels print to standard output unless isa::set_kernel_output says otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ascendc/data_copy_emit.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tensor.h"
#include "isa/core/print_argument.hpp"

namespace davsim::api {

/// Elements of a tensor to be printed or written to a file.
struct TensorPart {
  isa::Operand start;
  std::uint64_t count = 0;
};

/// Prints a part of a tensor after all pipes have drained, with `shape` in nested brackets.
void dump_tensor(const TensorPart& part, std::uint32_t desc, const AscendC::ShapeInfo* shape,
                 Location where);
/// Prints elements in one line, at once.
void print_elements(const TensorPart& part, Location where);
/// Writes elements' bytes. Returns 0, or -1 if the file cannot be written.
std::int32_t write_elements(const TensorPart& part, std::string_view file, Location where);

/// A format of printf with its arguments, as calls of kernels give them.
struct PrintFormat {
  const char* text;
  std::span<const isa::PrintArgument> arguments;
};
void print(const PrintFormat& format, Location where);
/// One line that begins with the level in brackets.
void log(const char* level, const PrintFormat& format, Location where);
/// Stops the kernel with Fault(kAssert): "Assertion `x != 10' failed: the message".
[[noreturn]] void fail_assertion(const char* expression, const PrintFormat& message,
                                 Location where);

/// Hands `format` and its arguments to one of the calls above.
template <class Call, class... Args>
void with_format(const Call& call, const char* format, const Args&... args) {
  const std::array<isa::PrintArgument, sizeof...(Args)> list{isa::print_argument(args)...};
  call(PrintFormat{format, list});
}

template <class... Args>
void kernel_log(const char* level, Location where, const char* format, const Args&... args) {
  with_format([&](const PrintFormat& line) { log(level, line, where); }, format, args...);
}

[[noreturn]] inline void assertion_failed(const char* expression, Location where) {
  fail_assertion(expression, {"", {}}, where);
}
template <class... Args>
[[noreturn]] void assertion_failed(const char* expression, Location where, const char* format,
                                   const Args&... args) {
  with_format([&](const PrintFormat& message) { fail_assertion(expression, message, where); },
              format, args...);
  __builtin_unreachable();
}

}  // namespace davsim::api

/// Stops the kernel if `expr` is false; a format and its arguments may follow.
#define ascendc_assert(expr, ...)                                                                 \
  do {                                                                                            \
    if (!(expr)) {                                                                                \
      davsim::api::assertion_failed(#expr,                                                        \
                                    davsim::api::Location::current() __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                             \
  } while (false)

/// Runs `behavior`, a statement in braces, and stops the kernel if `cond` is false.
#define ASCENDC_ASSERT(cond, behavior)                                        \
  do {                                                                        \
    if (!(cond)) {                                                            \
      behavior;                                                               \
      davsim::api::assertion_failed(#cond, davsim::api::Location::current()); \
    }                                                                         \
  } while (false)

/// ascendc_assert under the name of older releases.
#define ASSERT_MSG(expr, ...) ascendc_assert(expr __VA_OPT__(, ) __VA_ARGS__)

/// Prints a line that begins with the level: KERNEL_LOG(KERNEL_ERROR, "tile %d", i).
#define KERNEL_LOG(level, ...) \
  davsim::api::kernel_log(#level, davsim::api::Location::current(), __VA_ARGS__)

/// The same under the name of the vendor's own headers, which kernels take along with their checks.
#define KERNEL_LOG_INTERNAL(...) KERNEL_LOG(__VA_ARGS__)

/// A check of builds for debugging alone: on the device a kernel runs on without it.
#define ASCENDC_DEBUG_ASSERT(...) static_cast<void>(0)

// Only in kernels: programs around them keep the standard library's assert.
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
#undef assert
#define assert(...) ascendc_assert(__VA_ARGS__)
#undef ASSERT
#define ASSERT(...) ascendc_assert(__VA_ARGS__)
#else
#include <assert.h>  // kernels include none, and the host's compiler reads some of their code
#ifndef ASSERT
/// No macro, so that programs may define theirs.
template <typename... Args>
constexpr void ASSERT(const Args&...) {}
#endif
#endif

namespace AscendC {

/// A mark of the vendor's profiler in the timeline of a pipe: the scalar unit sets a register.
template <pipe_t pipe, std::uint16_t index>
void MarkStamp(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_set_register(where);
}
template <pipe_t pipe>
void MarkStamp(std::uint16_t index,
               davsim::api::Location where = davsim::api::Location::current()) {
  static_cast<void>(index);
  davsim::api::emit_set_register(where);
}

/// Conversions d i u x X o f F e E g G c s p; integers print with 64 bits. Arguments may be half
/// and bfloat16_t.
template <class... Args>
void printf(__gm__ const char* fmt, Args&&... args) {
  const auto where = davsim::api::Location::current();
  davsim::api::with_format([&](const davsim::api::PrintFormat& f) { davsim::api::print(f, where); },
                           fmt, args...);
}
template <class... Args>
void PRINTF(__gm__ const char* fmt, Args&&... args) {
  AscendC::printf(fmt, args...);
}

/// Prints `dumpSize` elements of UB, L1, L0C or GM with the label `desc`, at most 30 KiB at once.
/// All pipes drain first.
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, std::uint32_t desc, std::uint32_t dumpSize,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::dump_tensor({tensor.Operand(), dumpSize}, desc, nullptr, where);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, std::uint32_t desc, std::uint32_t dumpSize,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::dump_tensor({tensor.Operand(), dumpSize}, desc, nullptr, where);
}
/// The same in the order of a shape; places that `dumpSize` does not reach print as "-".
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, std::uint32_t desc, std::uint32_t dumpSize,
                const ShapeInfo& shapeInfo,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::dump_tensor({tensor.Operand(), dumpSize}, desc, &shapeInfo, where);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, std::uint32_t desc, std::uint32_t dumpSize,
                const ShapeInfo& shapeInfo,
                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::dump_tensor({tensor.Operand(), dumpSize}, desc, &shapeInfo, where);
}

/// Prints `dumpSize` elements from element `countOff` on.
template <typename T>
void DumpAccChkPoint(const LocalTensor<T>& tensor, std::uint32_t index, std::uint32_t countOff,
                     std::uint32_t dumpSize,
                     davsim::api::Location where = davsim::api::Location::current()) {
  DumpTensor(tensor[countOff], index, dumpSize, where);
}
template <typename T>
void DumpAccChkPoint(const GlobalTensor<T>& tensor, std::uint32_t index, std::uint32_t countOff,
                     std::uint32_t dumpSize,
                     davsim::api::Location where = davsim::api::Location::current()) {
  DumpTensor(tensor[countOff], index, dumpSize, where);
}

/// Prints the system counter with a label. As on the device it does so only where the kernel is
/// compiled with ASCENDC_TIME_STAMP_ON.
inline void PrintTimeStamp([[maybe_unused]] std::uint32_t descId) {
#ifdef ASCENDC_TIME_STAMP_ON
  AscendC::printf("descId is %u, rsv is 0, timeStamp is %u\n", descId,
                  static_cast<std::uint64_t>(GetSystemCycle()));
#endif
}

/// Where the device's library keeps what kernels print until the host fetches it; here it is
/// printed at once.
inline void InitDump(bool, GM_ADDR, std::uint32_t) {}

/// Stops the kernel.
[[noreturn]] inline void Trap(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::assertion_failed("Trap", where);
}

template <typename T>
void LocalTensor<T>::Print(std::uint32_t len, davsim::isa::SourceLocation where) const {
  davsim::api::print_elements({Operand(), len}, where);
}
template <typename T>
void LocalTensor<T>::Print(davsim::isa::SourceLocation where) const {
  Print(GetSize(), where);
}
template <typename T>
std::int32_t LocalTensor<T>::ToFile(std::string_view fileName,
                                    davsim::isa::SourceLocation where) const {
  return davsim::api::write_elements({Operand(), GetSize()}, fileName, where);
}

}  // namespace AscendC

/// The compiler's own name of it.
namespace cce {
using AscendC::printf;
}  // namespace cce
