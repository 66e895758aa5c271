#include "runtime/op_host/list_descriptor.hpp"

namespace davsim::op_host {

std::vector<std::uint64_t> list_descriptor(const ParameterArgument& tensors) {
  std::vector<std::uint64_t> words = {0};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const gert::Shape& shape = tensors[i].shape;
    words.push_back(shape.GetDimNum() | static_cast<std::uint64_t>(i) << 32);
    for (std::size_t d = 0; d < shape.GetDimNum(); ++d) {
      words.push_back(static_cast<std::uint64_t>(shape.GetDim(d)));
    }
  }
  words[0] = words.size() * sizeof(std::uint64_t);
  for (const TensorArgument& tensor : tensors) {
    words.push_back(reinterpret_cast<std::uint64_t>(tensor.data));
  }
  return words;
}

}  // namespace davsim::op_host
