#include "runtime/operator_library/list_descriptor.hpp"

namespace davsim::op_library {

std::vector<std::uint64_t> list_descriptor(const std::vector<operators::Tensor>& tensors) {
  std::vector<std::uint64_t> words = {0};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const operators::Shape& shape = tensors[i].shape();
    words.push_back(shape.size() | static_cast<std::uint64_t>(i) << 32);
    for (const std::int64_t size : shape) words.push_back(static_cast<std::uint64_t>(size));
  }
  words[0] = words.size() * sizeof(std::uint64_t);
  for (const operators::Tensor& tensor : tensors) {
    words.push_back(reinterpret_cast<std::uint64_t>(tensor.data()));
  }
  return words;
}

}  // namespace davsim::op_library
