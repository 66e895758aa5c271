#include "reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "isa/core/named_registry.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::reference {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

isa::NamedRegistry<std::unique_ptr<Reference>>& registry() {
  static isa::NamedRegistry<std::unique_ptr<Reference>> references("reference");
  return references;
}

/// Bytes that differ in [begin, end).
std::int64_t changed_bytes(const operators::Tensor& before, const operators::Tensor& after,
                           std::uint64_t begin, std::uint64_t end) {
  // Almost always nothing differs, and memcmp finds that out fastest.
  if (begin == end || std::memcmp(before.data() + begin, after.data() + begin, end - begin) == 0) {
    return 0;
  }
  std::int64_t changed = 0;
  for (std::uint64_t i = begin; i < end; ++i) changed += before.data()[i] != after.data()[i];
  return changed;
}

/// Sorted by element, the last of several writes to one element kept.
std::vector<Write> last_writes(std::vector<Write> writes) {
  std::stable_sort(writes.begin(), writes.end(),
                   [](const Write& a, const Write& b) { return a.element < b.element; });
  std::vector<Write> last;
  for (const Write& write : writes) {
    if (!last.empty() && last.back().element == write.element) last.pop_back();
    last.push_back(write);
  }
  return last;
}

/// Calls `use` with a function that gives the number at an index. The type is looked up once.
template <typename Use>
auto with_elements(const operators::Tensor& tensor, const Use& use) {
  using isa::DType;
  const auto as = [&]<typename T, typename Wide = T>() {
    return use([values = tensor.as<T>()](std::int64_t i) {
      return static_cast<double>(static_cast<Wide>(values[i]));
    });
  };
  switch (tensor.dtype()) {
    case DType::kF16:
      return as.template operator()<isa::half, float>();
    case DType::kBF16:
      return as.template operator()<isa::bfloat16_t, float>();
    case DType::kF32:
      return as.template operator()<float>();
    case DType::kF64:
      return as.template operator()<double>();
    case DType::kI8:
      return as.template operator()<std::int8_t>();
    case DType::kU8:
    case DType::kBool:
      return as.template operator()<std::uint8_t>();
    case DType::kI16:
      return as.template operator()<std::int16_t>();
    case DType::kU16:
      return as.template operator()<std::uint16_t>();
    case DType::kI32:
      return as.template operator()<std::int32_t>();
    case DType::kU32:
      return as.template operator()<std::uint32_t>();
    case DType::kI64:
      return as.template operator()<std::int64_t>();
    case DType::kU64:
      return as.template operator()<std::uint64_t>();
    case DType::kI4:
      return use([bytes = tensor.as<std::uint8_t>()](std::int64_t i) {
        const int nibble = i % 2 == 0 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
        return static_cast<double>(nibble < 8 ? nibble : nibble - 16);
      });
    case DType::kNone:
      break;
  }
  throw std::invalid_argument("a tensor without dtype has no elements");
}

template <typename T>
std::vector<T> all_as(const operators::Tensor& tensor) {
  return with_elements(tensor, [&tensor](const auto& number_at) {
    std::vector<T> all(static_cast<std::size_t>(tensor.elements()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<T>(number_at(static_cast<std::int64_t>(i)));
    }
    return all;
  });
}

}  // namespace

Comparer::Comparer(std::string tensor, const Tolerance& tolerance) : tolerance_(tolerance) {
  comparison_.tensor = std::move(tensor);
}

void Comparer::add(std::int64_t element, double actual, double expected, double atol) {
  ++comparison_.elements;
  const bool finite = std::isfinite(actual) && std::isfinite(expected);
  bool outside = false;
  if (finite) {
    const double diff = std::abs(actual - expected);
    const double relative = atol + tolerance_.rtol * std::abs(expected);
    comparison_.max_abs_diff = std::max(comparison_.max_abs_diff, diff);
    outside = diff > tolerance_.atol + relative;
    if (tolerance_.atol_limit > 0 && diff > tolerance_.atol_limit + relative) beyond_limit_ = true;
  } else {
    outside = !(actual == expected || (std::isnan(actual) && std::isnan(expected)));
    comparison_.nonfinite += outside;
  }
  if (!outside) return;
  ++comparison_.outside;
  if (comparison_.detail.empty()) {
    comparison_.detail = "element " + std::to_string(element) + " is " + number(actual) +
                         ", expected " + number(expected);
  }
}

void Comparer::fail(const std::string& why) {
  comparison_.passed = false;
  if (comparison_.detail.empty()) comparison_.detail = why;
}

Comparison Comparer::result() const {
  Comparison result = comparison_;
  const bool within = result.outside_share() <= tolerance_.outside_share;
  result.passed = result.passed && within && !beyond_limit_ && result.nonfinite == 0;
  if (result.passed) result.detail.clear();
  return result;
}

double element(const operators::Tensor& tensor, std::int64_t index) {
  return with_elements(tensor, [index](const auto& number_at) { return number_at(index); });
}

std::vector<double> elements(const operators::Tensor& tensor) {
  return all_as<double>(tensor);
}
std::vector<float> floats(const operators::Tensor& tensor) {
  return all_as<float>(tensor);
}

Comparison compare(const std::string& name, const operators::Tensor& actual,
                   const std::vector<double>& expected, const Tolerance& tolerance) {
  Comparer comparer(name, tolerance);
  const auto count = static_cast<std::int64_t>(expected.size());
  if (!actual || actual.elements() != count) {
    comparer.fail(actual ? "its shape is " + operators::to_string(actual.shape()) + ", expected " +
                               std::to_string(count) + " elements"
                         : "it is missing");
    return comparer.result();
  }
  for (std::int64_t i = 0; i < count; ++i) {
    comparer.add(i, element(actual, i), expected[static_cast<std::size_t>(i)]);
  }
  return comparer.result();
}

Comparison compare_named(const operators::TensorMap& outputs, const std::string& name,
                         const std::vector<double>& expected, const Tolerance& tolerance) {
  const auto found = outputs.find(name);
  if (found != outputs.end()) return compare(name, found->second, expected, tolerance);
  Comparer missing(name, tolerance);
  missing.fail("is not put out");
  return missing.result();
}

Comparison compare_in_place(const std::string& name, const operators::Tensor& before,
                            const operators::Tensor& after, std::vector<Write> writes,
                            const Tolerance& tolerance) {
  Comparer comparer(name, tolerance);
  if (!after || after.shape() != before.shape() || after.dtype() != before.dtype()) {
    comparer.fail("it is missing or has another shape or dtype than before the run");
    return comparer.result();
  }
  const std::uint64_t size = isa::dtype_bytes(before.dtype());
  if (size == 0) throw std::invalid_argument(name + ": int4 elements cannot be told apart by byte");
  std::int64_t changed = 0;
  std::uint64_t checked = 0;  // bytes before this one are accounted for
  for (const Write& write : last_writes(std::move(writes))) {
    if (write.element < 0 || write.element >= after.elements()) {
      comparer.fail("the reference writes element " + std::to_string(write.element) + " of " +
                    std::to_string(after.elements()));
      continue;
    }
    comparer.add(write.element, element(after, write.element), write.value, write.atol);
    const std::uint64_t begin = static_cast<std::uint64_t>(write.element) * size;
    changed += changed_bytes(before, after, checked, begin);
    checked = begin + size;
  }
  changed += changed_bytes(before, after, checked, after.bytes());
  if (changed > 0) comparer.fail(std::to_string(changed) + " bytes changed that nothing writes");
  Comparison result = comparer.result();
  result.changed_bytes = changed;
  return result;
}

ReferenceRegistrar::ReferenceRegistrar(std::string operator_name,
                                       std::unique_ptr<Reference> reference) {
  registry().add(operator_name, std::move(reference));
}

const Reference* find_reference(std::string_view operator_name) {
  const std::unique_ptr<Reference>* found = registry().find(operator_name);
  return found == nullptr ? nullptr : found->get();
}

operators::TensorMap copy_in_place(const operators::Operator& op, const operators::Call& call,
                                   memory::GlobalMemory& memory) {
  operators::TensorMap copies;
  for (const operators::TensorSpec& spec : op.info().tensors) {
    const auto found = call.tensors.find(spec.name);
    if (spec.direction == operators::Direction::kInOut && found != call.tensors.end()) {
      copies.emplace(spec.name, found->second.clone(memory, spec.name + " before the run"));
    }
  }
  return copies;
}

bool passed(const std::vector<Comparison>& comparisons) {
  return !comparisons.empty() && std::all_of(comparisons.begin(), comparisons.end(),
                                             [](const Comparison& c) { return c.passed; });
}

std::string to_string(const Comparison& comparison) {
  std::string text = comparison.tensor + (comparison.passed ? ": passed, " : ": FAILED, ") +
                     std::to_string(comparison.elements) + " elements, max |diff| " +
                     number(comparison.max_abs_diff);
  if (comparison.outside > 0)
    text += ", " + std::to_string(comparison.outside) + " out of tolerance";
  if (comparison.nonfinite > 0) text += ", " + std::to_string(comparison.nonfinite) + " NaN or Inf";
  if (!comparison.detail.empty()) text += "; " + comparison.detail;
  return text;
}

}  // namespace davsim::reference
