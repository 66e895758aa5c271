#include "runtime/op_host/elements.hpp"

#include <algorithm>
#include <cstdint>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::op_host {
namespace {

template <class T>
bool fill(void* data, std::size_t count, T value) {
  std::fill_n(static_cast<T*>(data), count, value);
  return true;
}

/// Numbers of any type come as double; a whole number that is negative keeps its bits.
template <class T>
bool fill_whole(void* data, std::size_t count, double value) {
  return fill<T>(data, count,
                 value < 0 ? static_cast<T>(static_cast<std::int64_t>(value))
                           : static_cast<T>(static_cast<std::uint64_t>(value)));
}

}  // namespace

bool fill_elements(void* data, std::size_t count, ge::DataType type, double value) {
  switch (type) {
    case ge::DT_FLOAT16:
      return fill(data, count, isa::half(static_cast<float>(value)));
    case ge::DT_BF16:
      return fill(data, count, isa::bfloat16_t(static_cast<float>(value)));
    case ge::DT_FLOAT:
      return fill(data, count, static_cast<float>(value));
    case ge::DT_DOUBLE:
      return fill(data, count, value);
    case ge::DT_BOOL:
      return fill(data, count, static_cast<std::uint8_t>(value != 0));
    case ge::DT_INT4: {
      const auto nibble = static_cast<std::uint8_t>(static_cast<std::int64_t>(value) & 0xf);
      return fill(data, (count + 1) / 2, static_cast<std::uint8_t>(nibble << 4 | nibble));
    }
    case ge::DT_INT8:
    case ge::DT_UINT8:
      return fill_whole<std::uint8_t>(data, count, value);
    case ge::DT_INT16:
    case ge::DT_UINT16:
      return fill_whole<std::uint16_t>(data, count, value);
    case ge::DT_INT32:
    case ge::DT_UINT32:
      return fill_whole<std::uint32_t>(data, count, value);
    case ge::DT_INT64:
    case ge::DT_UINT64:
      return fill_whole<std::uint64_t>(data, count, value);
    default:
      return false;
  }
}

std::optional<std::int64_t> elements_of(const gert::Shape& shape) {
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (shape.GetDim(i) < 0) return std::nullopt;
  }
  const std::int64_t elements = shape.GetShapeSize();
  if (elements < 0) return std::nullopt;
  return elements;
}

}  // namespace davsim::op_host
