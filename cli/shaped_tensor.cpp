#include "cli/shaped_tensor.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/errors.hpp"
#include "cli/table.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "kernels/common/seeded_data.hpp"

namespace davsim::cli {
namespace {

using isa::DType;

constexpr DType kTypes[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kI8,
                            DType::kU8,  DType::kI32,  DType::kI64, DType::kBool};
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& text, const std::string& what) {
  throw UsageError("--tensor " + text + ": " + what);
}

DType type_named(const std::string& text, const std::string& name) {
  std::vector<std::string> known;
  for (const DType type : kTypes) {
    if (isa::dtype_name(type) == name) return type;
    known.emplace_back(isa::dtype_name(type));
  }
  refuse(text, "unknown type '" + name + "'; there are " + joined(known));
}

operators::Shape shape_of(const std::string& text, std::string_view list) {
  operators::Shape shape;
  std::int64_t elements = 1;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto size = number<std::int64_t>(list.substr(0, comma));
    if (!size || *size < 0) refuse(text, "a dimension is a whole number of at least 0");
    if (*size > 0 && elements > kMostElements / *size) refuse(text, "it has too many elements");
    elements *= *size;
    shape.push_back(*size);
    if (comma + 1 == list.size()) refuse(text, "a dimension is missing after the last comma");
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return shape;
}

void fill(operators::Tensor& tensor, double value) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    switch (tensor.dtype()) {
      case DType::kF16:
        tensor.as<isa::half>()[i] = isa::half(static_cast<float>(value));
        break;
      case DType::kBF16:
        tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(static_cast<float>(value));
        break;
      case DType::kF32:
        tensor.as<float>()[i] = static_cast<float>(value);
        break;
      case DType::kI32:
        tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(value);
        break;
      case DType::kI64:
        tensor.as<std::int64_t>()[i] = static_cast<std::int64_t>(value);
        break;
      default:
        tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(static_cast<std::int64_t>(value));
    }
  }
}

void require_value(const std::string& text, const ShapedTensor& spec) {
  const auto value = number<double>(spec.value);
  if (!value) refuse(text, "'" + spec.value + "' is no number");
  const bool real =
      spec.dtype == DType::kF16 || spec.dtype == DType::kBF16 || spec.dtype == DType::kF32;
  constexpr double kMost = 2147483647;
  const bool small = isa::dtype_bits(spec.dtype) == 8;
  const double low = small ? -128 : -kMost, high = small ? 127 : kMost;
  if (real || (*value >= low && *value <= high &&
               *value == static_cast<double>(static_cast<std::int64_t>(*value)))) {
    return;
  }
  refuse(text, "a value of " + std::string(isa::dtype_name(spec.dtype)) +
                   " is a whole number from " + fixed(low, 0) + " to " + fixed(high, 0));
}

/// The seed depends on the name alone, so equal names get equal data.
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

ShapedTensor shaped_tensor(const std::string& text) {
  const std::size_t equals = text.find('='), open = text.find('['), close = text.find(']');
  const bool ordered = equals != std::string::npos && equals > 0 && open != std::string::npos &&
                       close != std::string::npos && equals < open && open < close;
  const std::string tail = ordered ? text.substr(close + 1) : "";
  if (!ordered || (!tail.empty() && tail.front() != ':')) {
    refuse(text, "it takes NAME=TYPE[SIZE,...], and :VALUE behind it for one value everywhere");
  }
  ShapedTensor spec;
  spec.name = text.substr(0, equals);
  spec.dtype = type_named(text, text.substr(equals + 1, open - equals - 1));
  spec.shape = shape_of(text, std::string_view(text).substr(open + 1, close - open - 1));
  if (tail.empty()) return spec;
  spec.value = tail.substr(1);
  require_value(text, spec);
  return spec;
}

operators::Tensor make_tensor(const ShapedTensor& spec, memory::GlobalMemory& memory) {
  operators::SeededData data(memory, seed_of(spec.name));
  if (!spec.value.empty()) {
    operators::Tensor tensor = data.zeros(spec.dtype, spec.shape, spec.name);
    fill(tensor, *number<double>(spec.value));
    return tensor;
  }
  switch (spec.dtype) {
    case DType::kF16:
    case DType::kBF16:
    case DType::kF32:
      return data.reals(spec.dtype, spec.shape, spec.name);
    case DType::kI8:
      return data.integers(spec.dtype, spec.shape, spec.name, -128, 127);
    default:
      return data.zeros(spec.dtype, spec.shape, spec.name);
  }
}

}  // namespace davsim::cli
