#include "runtime/basic_operators/host_elements.hpp"

#include <cstring>

#include "opdev/data_type_utils.h"
#include "runtime/op_host/elements.hpp"

namespace davsim::basic {

using runtime::BoundTensor;

std::byte* element_at(const BoundTensor& tensor, std::uint64_t i) {
  return tensor.first() + i * op::TypeSize(tensor.type);
}

double number_at(const BoundTensor& tensor, std::uint64_t i) {
  return op_api::number_of(static_cast<aclDataType>(tensor.type), element_at(tensor, i));
}

std::int64_t whole_at(const BoundTensor& tensor, std::uint64_t i) {
  return op_api::whole_number_of(static_cast<aclDataType>(tensor.type), element_at(tensor, i));
}

void set_number(const BoundTensor& tensor, std::uint64_t i, double value) {
  if (op::IsIntegralType(tensor.type)) {
    return set_whole(
        tensor, i, op_api::whole_number_of(ACL_DOUBLE, reinterpret_cast<const std::byte*>(&value)));
  }
  op_host::fill_elements(element_at(tensor, i), 1, tensor.type, value);
}

void set_whole(const BoundTensor& tensor, std::uint64_t i, std::int64_t value) {
  if (!op::IsIntegralType(tensor.type)) return set_number(tensor, i, static_cast<double>(value));
  std::memcpy(element_at(tensor, i), &value, op::TypeSize(tensor.type));
}

void add_element(const BoundTensor& to, std::uint64_t i, const BoundTensor& from, std::uint64_t j) {
  if (to.type == ge::DT_BOOL) {
    set_whole(to, i, whole_at(to, i) != 0 || whole_at(from, j) != 0 ? 1 : 0);
  } else if (op::IsIntegralType(to.type)) {
    set_whole(to, i,
              static_cast<std::int64_t>(static_cast<std::uint64_t>(whole_at(to, i)) +
                                        static_cast<std::uint64_t>(whole_at(from, j))));
  } else {
    set_number(to, i, number_at(to, i) + number_at(from, j));
  }
}

}  // namespace davsim::basic
