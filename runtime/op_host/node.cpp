#include "runtime/op_host/node.hpp"

#include <cstring>
#include <type_traits>
#include <variant>

namespace davsim::op_host {
namespace {

using Words = std::vector<std::uint64_t>;
using Value = ops::OpAttrDef::Value;
using Kind = ops::OpAttrDef::Kind;

Words words_of(const void* bytes, std::size_t count) {
  Words words(count / sizeof(std::uint64_t) + 1);  // a string ends in a zero
  if (count > 0) std::memcpy(words.data(), bytes, count);
  return words;
}

template <class T>
Words scalar(const T& value) {
  return words_of(&value, sizeof value);
}

/// A list as gert::ContinuousVector lies in memory: its size, a reserved word, the elements.
template <class T, class List>
Words list(const List& values) {
  std::vector<unsigned char> bytes;
  for (const auto& value : values) {
    const T element = static_cast<T>(value);
    const auto* from = reinterpret_cast<const unsigned char*>(&element);
    bytes.insert(bytes.end(), from, from + sizeof element);
  }
  Words words = {values.size(), 0};
  const Words elements = words_of(bytes.data(), bytes.size());
  words.insert(words.end(), elements.begin(), elements.end());
  return words;
}

/// A list of lists as gert::ContinuousVectorVector lies in memory.
Words lists(const std::vector<std::vector<std::int64_t>>& values) {
  Words words = {values.size(), 0};
  words.resize(2 + values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    words[2 + i] = words.size() * sizeof(std::uint64_t);
    const Words inner = list<std::int64_t>(values[i]);
    words.insert(words.end(), inner.begin(), inner.end());
  }
  return words;
}

/// The value of a kind, or that of nothing.
template <class T>
T value_or_zero(const Value& value) {
  const T* held = std::get_if<T>(&value);
  return held == nullptr ? T() : *held;
}

Words attribute(Kind kind, const Value& value) {
  switch (kind) {
    case Kind::kBool:
      return scalar(value_or_zero<bool>(value));
    case Kind::kFloat:
      return scalar(static_cast<float>(value_or_zero<double>(value)));
    case Kind::kInt:
      return scalar(value_or_zero<std::int64_t>(value));
    case Kind::kString: {
      const std::string text = value_or_zero<std::string>(value);
      return words_of(text.data(), text.size());
    }
    case Kind::kListBool:
      return list<bool>(value_or_zero<std::vector<bool>>(value));
    case Kind::kListFloat:
      return list<float>(value_or_zero<std::vector<double>>(value));
    case Kind::kListInt:
      return list<std::int64_t>(value_or_zero<std::vector<std::int64_t>>(value));
    case Kind::kListListInt:
      return lists(value_or_zero<std::vector<std::vector<std::int64_t>>>(value));
    case Kind::kNone:
      break;
  }
  return {};
}

std::optional<View> view_of(const TensorArgument& argument) {
  if (argument.strides.empty()) return std::nullopt;
  View view;
  for (const std::int64_t stride : argument.strides) view.stride.AppendStride(stride);
  view.offset = argument.offset;
  return view;
}

void add(const std::vector<ParameterArgument>& arguments, const std::vector<Parameter>& parameters,
         std::vector<gert::AnchorInstanceInfo>& anchors, std::vector<gert::Tensor>& tensors,
         std::vector<std::optional<View>>& views, std::vector<gert::CompileTimeTensorDesc>& descs) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    anchors.emplace_back(tensors.size(), arguments[i].size());
    for (const TensorArgument& argument : arguments[i]) {
      const gert::StorageFormat format(argument.format, argument.format);
      const void* data = parameters[i].value_depend ? argument.data : nullptr;
      tensors.emplace_back(gert::StorageShape(argument.shape, argument.shape), format,
                           argument.type, data);
      views.push_back(view_of(argument));
      descs.emplace_back(argument.type, format);
    }
  }
}

}  // namespace

Node::Node(const Definition& definition, const Arguments& arguments)
    : name(definition.type), type(definition.type) {
  add(arguments.inputs, definition.inputs, input_parameters, inputs, input_views, input_descs);
  add(arguments.outputs, definition.outputs, output_parameters, outputs, output_views,
      output_descs);
  for (std::size_t i = 0; i < definition.attributes.size(); ++i) {
    const ops::OpAttrDef& def = definition.attributes[i];
    const bool given = i < arguments.attributes.size() &&
                       !std::holds_alternative<std::monostate>(arguments.attributes[i]);
    attributes.Append(attribute(def.kind(), given ? arguments.attributes[i] : def.value()));
  }
}

}  // namespace davsim::op_host
