// Printouts of tensors in the device's form.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ascendc/debug.h"
#include "isa/core/kernel_frame.hpp"
#include "isa/core/kernel_print.hpp"

namespace davsim::api {
namespace {

/// The device prints nothing of a call that asks for more.
constexpr std::uint64_t kMaxDumpBytes = 30 * 1024;

std::vector<std::byte> bytes_of(const TensorPart& part, Location where) {
  std::vector<std::byte> bytes(part.count * isa::dtype_bits(part.start.type) / 8);
  isa::current_core().inspect(part.start, bytes.data(), bytes.size(), where);
  return bytes;
}

/// Texts of the elements, up to `limit`.
std::vector<std::string> texts_of(const TensorPart& part, Location where) {
  const std::vector<std::byte> bytes = bytes_of(part, where);
  const std::size_t element = isa::dtype_bytes(part.start.type);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + element <= bytes.size(); at += element) {
    texts.push_back(isa::element_text(part.start.type, bytes.data() + at));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts, const char* separator) {
  std::string line;
  for (const std::string& text : texts) {
    if (!line.empty()) line += separator;
    line += text;
  }
  return line;
}

/// The elements from `next` on as dimension `dim` and those inside it.
std::string nested(const std::vector<std::string>& texts, const AscendC::ShapeInfo& shape,
                   std::uint32_t dim, std::size_t& next) {
  const bool innermost = dim + 1u >= shape.shapeDim;
  std::string text = "[";
  for (std::uint32_t i = 0; i < shape.shape[dim]; ++i) {
    if (i > 0) text += innermost ? "," : ",\n";
    if (innermost) {
      text += next < texts.size() ? texts[next] : "-";
      ++next;
    } else {
      text += nested(texts, shape, dim + 1, next);
    }
  }
  return text + "]";
}

std::string shape_note(const AscendC::ShapeInfo& shape, std::uint64_t count) {
  const std::uint64_t size = AscendC::GetShapeSize(shape);
  if (size == count) return "";
  std::vector<std::string> dims;
  for (std::uint32_t dim = 0; dim < shape.shapeDim; ++dim) {
    dims.push_back(std::to_string(shape.shape[dim]));
  }
  return "shape is [" + joined(dims, ", ") + "], dumpSize is " + std::to_string(count) +
         (size < count ? ", dumpSize is greater than shapeSize.\n" : ", data is not enough.\n");
}

void require_printable(isa::Space space, Location where) {
  using isa::Space;
  if (space == Space::kUb || space == Space::kL1 || space == Space::kL0C || space == Space::kGm) {
    return;
  }
  isa::Fault fault(isa::FaultClass::kParameter,
                   "DumpTensor: the tensor is in " + std::string(isa::space_name(space)) +
                       ", allowed are UB, L1, L0C and GM",
                   where);
  fault.instruction = "DumpTensor";
  isa::stop_kernel(std::move(fault));
}

}  // namespace

void dump_tensor(const TensorPart& part, std::uint32_t desc, const AscendC::ShapeInfo* shape,
                 Location where) {
  require_printable(part.start.space, where);
  // A tensor that this core does not have is the other half's to print.
  const bool local = part.start.space != isa::Space::kGm;
  if (local && isa::current_core().buffer_size(part.start.space) == 0) return;
  AscendC::PipeBarrier<PIPE_ALL>(where);
  char head[160];
  std::snprintf(head, sizeof head, "DumpTensor: desc=%u, addr=0x%llx, data_type=%s, position=%s, ",
                desc, static_cast<unsigned long long>(part.start.addr),
                std::string(isa::dtype_name(part.start.type)).c_str(),
                std::string(isa::space_name(part.start.space)).c_str());
  std::string text = head + ("dump_size=" + std::to_string(part.count) + "\n");
  if (part.count * isa::dtype_bits(part.start.type) / 8 > kMaxDumpBytes) {
    isa::kernel_print(text + "not printed: more than 30 KiB in one call\n");
    return;
  }
  const std::vector<std::string> texts = texts_of(part, where);
  if (shape != nullptr && shape->shapeDim > 0) {
    std::size_t next = 0;
    text += shape_note(*shape, part.count) + nested(texts, *shape, 0, next);
  } else {
    text += "[" + joined(texts, ", ") + "]";
  }
  isa::kernel_print(text + "\n");
}

void print_elements(const TensorPart& part, Location where) {
  isa::kernel_print(joined(texts_of(part, where), " ") + "\n");
}

std::int32_t write_elements(const TensorPart& part, std::string_view file, Location where) {
  const std::vector<std::byte> bytes = bytes_of(part, where);
  std::FILE* stream = std::fopen(std::string(file).c_str(), "wb");
  if (stream == nullptr) return -1;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  const bool closed = std::fclose(stream) == 0;
  return written && closed ? 0 : -1;
}

void print(const PrintFormat& format, Location where) {
  isa::kernel_print(isa::format_for_kernel(format.text, format.arguments, where));
}

void log(const char* level, const PrintFormat& format, Location where) {
  isa::kernel_print(std::string("[") + level + "] " +
                    isa::format_for_kernel(format.text, format.arguments, where) + "\n");
}

void fail_assertion(const char* expression, const PrintFormat& message, Location where) {
  const std::string text = std::string("Assertion `") + expression + "' failed";
  const std::string more = isa::format_for_kernel(message.text, message.arguments, where);
  isa::Fault fault(isa::FaultClass::kAssert, more.empty() ? text : text + ": " + more, where);
  while (!fault.message.empty() && fault.message.back() == '\n') fault.message.pop_back();
  fault.instruction = "assert";
  isa::stop_kernel(std::move(fault));
}

}  // namespace davsim::api
