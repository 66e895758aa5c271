#include "isa/core/kernel_print.hpp"

#include <cstdio>
#include <cstring>

#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_frame.hpp"
#include "isa/core/kernel_output.hpp"
#include "isa/instr/fault.hpp"

namespace davsim::isa {
namespace {

std::function<void(std::string_view)>& output() {
  static std::function<void(std::string_view)> function;
  return function;
}

[[noreturn]] void refuse_format(const std::string& what, SourceLocation where) {
  Fault fault(FaultClass::kParameter, "printf: " + what, where);
  fault.instruction = "printf";
  stop_kernel(std::move(fault));
}

template <class T>
std::string formatted(const std::string& spec, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  if (length < static_cast<int>(sizeof buffer)) return buffer;
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.pop_back();
  return text;
}

template <class To>
To number(const PrintArgument& argument) {
  switch (argument.kind) {
    case PrintArgument::Kind::kSigned:
      return static_cast<To>(argument.integer);
    case PrintArgument::Kind::kUnsigned:
      return static_cast<To>(argument.natural);
    case PrintArgument::Kind::kReal:
      return static_cast<To>(argument.real);
    case PrintArgument::Kind::kText:
    case PrintArgument::Kind::kPointer:
      break;
  }
  return static_cast<To>(reinterpret_cast<std::uintptr_t>(argument.pointer));
}

/// One conversion; `flags` is what stands between the percent sign and the letter, without lengths.
std::string convert(const std::string& flags, char letter, const PrintArgument& argument,
                    SourceLocation where) {
  switch (letter) {
    case 'd':
    case 'i':
      return formatted("%" + flags + "ll" + letter, number<long long>(argument));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return formatted("%" + flags + "ll" + letter, number<unsigned long long>(argument));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return formatted("%" + flags + letter, number<double>(argument));
    case 'c':
      return formatted("%" + flags + letter, number<int>(argument));
    case 'p':
      return formatted("%" + flags + letter,
                       reinterpret_cast<const void*>(number<std::uintptr_t>(argument)));
    case 's':
      if (argument.kind == PrintArgument::Kind::kText) {
        return formatted("%" + flags + letter, argument.text != nullptr ? argument.text : "(null)");
      }
      refuse_format("%s needs a string", where);
    default:
      refuse_format(std::string("%") + letter +
                        " is no conversion; there are d i u x X o f F e E "
                        "g G c s p %",
                    where);
  }
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

void kernel_print(std::string_view text) {
  const bool in_kernel = is_in_kernel();
  if (in_kernel) current_core().reach();  // whether it gets here is part of what it says
  if (in_kernel && output()) {
    output()(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

void set_kernel_output(std::function<void(std::string_view)> function) {
  output() = std::move(function);
}

std::string format_for_kernel(const char* format, std::span<const PrintArgument> arguments,
                              SourceLocation where) {
  if (format == nullptr) refuse_format("the format is a null pointer", where);
  std::string text;
  std::size_t used = 0;
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      text += *at;
      continue;
    }
    ++at;
    std::string flags;
    for (; *at != '\0' && std::strchr("-+ #0123456789.*", *at) != nullptr; ++at) {
      if (*at != '*') {
        flags += *at;
      } else if (used < arguments.size()) {
        flags += std::to_string(number<int>(arguments[used++]));
      }
    }
    while (*at != '\0' && std::strchr("hlLqjzt", *at) != nullptr) ++at;  // all are 64 bits wide
    if (*at == '\0') refuse_format("the format ends inside a conversion", where);
    if (*at == '%') {
      text += '%';
      continue;
    }
    if (used == arguments.size()) {
      refuse_format("conversion " + std::to_string(used + 1) + " of the format has no argument",
                    where);
    }
    text += convert(flags, *at, arguments[used++], where);
  }
  return text;
}

std::string element_text(DType type, const std::byte* bytes) {
  switch (type) {
    case DType::kF16:
      return formatted("%f", double(float(load<half>(bytes))));
    case DType::kBF16:
      return formatted("%f", double(float(load<bfloat16_t>(bytes))));
    case DType::kF32:
      return formatted("%f", double(load<float>(bytes)));
    case DType::kI8:
      return std::to_string(load<std::int8_t>(bytes));
    case DType::kU8:
    case DType::kBool:
      return std::to_string(load<std::uint8_t>(bytes));
    case DType::kI16:
      return std::to_string(load<std::int16_t>(bytes));
    case DType::kU16:
      return std::to_string(load<std::uint16_t>(bytes));
    case DType::kI32:
      return std::to_string(load<std::int32_t>(bytes));
    case DType::kU32:
      return std::to_string(load<std::uint32_t>(bytes));
    case DType::kI64:
      return std::to_string(load<std::int64_t>(bytes));
    case DType::kU64:
      return std::to_string(load<std::uint64_t>(bytes));
    default:
      return "?";
  }
}

}  // namespace davsim::isa
