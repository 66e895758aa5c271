// Random changes to a legal call. Most make it illegal, some leave it legal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "kernels/registry/operator.hpp"
#include "tests/operators/random_choice.hpp"

namespace davsim::test {

class CallBreaker : RandomChoice {
 public:
  CallBreaker(memory::GlobalMemory& memory, std::uint64_t seed)
      : RandomChoice(memory, seed), memory_(memory) {}

  /// Changes one or two things. Returns what it did.
  std::string change(operators::Call& call, const operators::OperatorInfo& info) {
    std::string done = change_one(call, info);
    if (seldom()) done += ", " + change_one(call, info);
    return done;
  }

 private:
  std::string change_one(operators::Call& call, const operators::OperatorInfo& info) {
    if (call.tensors.empty() || (flag() && !info.attributes.empty())) {
      const auto last = static_cast<std::int64_t>(info.attributes.size()) - 1;
      return change_attribute(call, info.attributes[static_cast<std::size_t>(number(0, last))]);
    }
    auto chosen = call.tensors.begin();
    std::advance(chosen, number(0, static_cast<std::int64_t>(call.tensors.size()) - 1));
    return change_tensor(call, chosen->first, chosen->second);
  }

  std::string change_tensor(operators::Call& call, const std::string& name,
                            const operators::Tensor& tensor) {
    using isa::DType;
    const bool whole_numbers = tensor.dtype() == DType::kI32 || tensor.dtype() == DType::kI64;
    if (whole_numbers && !tensor.empty() && flag()) return change_number(name, tensor);
    operators::Shape shape = tensor.shape();
    switch (number(0, 3)) {
      case 0: {
        const std::string done = "without " + name;  // the name is the call's own
        call.tensors.erase(call.tensors.find(name));
        return done;
      }
      case 1:
        return put(call, name, tensor, shape,
                   one_of({DType::kF16, DType::kBF16, DType::kF32, DType::kI8, DType::kI32,
                           DType::kI64, DType::kU8, DType::kBool}));
      case 2:
        if (flag() && shape.size() > 1) {
          shape.pop_back();
        } else {
          shape.push_back(1);
        }
        return put(call, name, tensor, shape, tensor.dtype());
      default:
        if (shape.empty()) return put(call, name, tensor, {1}, tensor.dtype());
        std::int64_t& size =
            shape[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(shape.size()) - 1))];
        size = one_of<std::int64_t>(
            {0, 1, std::max<std::int64_t>(0, size - 1), size + 1, size + 16, 2 * size});
        return put(call, name, tensor, shape, tensor.dtype());
    }
  }

  /// The old bytes as far as they go; zeros behind them.
  std::string put(operators::Call& call, const std::string& name, const operators::Tensor& old,
                  const operators::Shape& shape, isa::DType dtype) {
    operators::Tensor changed(memory_, dtype, shape, name);
    std::copy_n(old.data(), std::min(old.bytes(), changed.bytes()), changed.data());
    call.tensors.insert_or_assign(name, std::move(changed));
    return name + " as " + std::string(isa::dtype_name(dtype)) + operators::to_string(shape);
  }

  std::string change_number(const std::string& name, const operators::Tensor& tensor) {
    const std::int64_t place = number(0, tensor.elements() - 1);
    const auto set = [&](auto* values) {
      using T = std::remove_reference_t<decltype(*values)>;
      values[place] = one_of<T>({T{-1}, T{0}, T{1}, static_cast<T>(values[place] + 1), T{128},
                                 std::numeric_limits<T>::max(), std::numeric_limits<T>::min()});
      return std::to_string(values[place]);
    };
    const std::string value = tensor.dtype() == isa::DType::kI32 ? set(tensor.as<std::int32_t>())
                                                                 : set(tensor.as<std::int64_t>());
    return name + "[" + std::to_string(place) + "] = " + value;
  }

  std::string change_attribute(operators::Call& call, const operators::AttributeSpec& attribute) {
    boost::json::value& value = call.attributes[attribute.name];
    value = seldom() ? any_value() : value_of(attribute.type);
    return attribute.name + " = " + boost::json::serialize(value);
  }
  boost::json::value any_value() {
    return value_of(one_of<const char*>({"int", "float", "bool", "string", "int list", "null"}));
  }
  boost::json::value value_of(const std::string& type) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (type == "bool") return flag();
    if (type == "int") {
      return one_of<std::int64_t>({-kMost - 1, -1, 0, 1, 2, 3, 4, 16, 64, 128,
                                   std::int64_t{1} << 31, std::int64_t{1} << 32, kMost});
    }
    if (type == "float") return one_of({-1e308, -1.0, -1e-300, 0.0, 1e-300, 0.5, 1e39, 1e308});
    if (type == "string") {
      return one_of<const char*>(
          {"", "Norm", "PA", "PA_NZ", "PA_BSND", "BSND", "BSH", "TND", "ND", "NZ", "bnsd", "x y"});
    }
    if (type == "int list") {
      boost::json::array list;
      for (std::int64_t count = number(0, 4); count > 0; --count) {
        list.push_back(one_of<std::int64_t>({-1, 0, 1, 128, kMost}));
      }
      return list;
    }
    return nullptr;
  }

  memory::GlobalMemory& memory_;
};

}  // namespace davsim::test
