#include "kernels/prolog/prolog_operator.hpp"

#include <iterator>
#include <utility>

#include "kernels/common/require.hpp"
#include "kernels/prolog/remarks.hpp"
#include "kernels/prolog/rules.hpp"

namespace davsim::operators::prolog {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

OperatorInfo describe(const PrologOperator::About& about, const std::vector<const Part*>& parts) {
  OperatorInfo info;
  info.name = about.name;
  info.summary = about.summary;
  info.products = {"A2", "A3"};
  info.limits = about.limits;
  for (const Part* part : parts) append(info.tensors, part->inputs());
  for (const Part* part : parts) append(info.tensors, part->outputs());
  for (const Part* part : parts) append(info.attributes, part->attributes());
  return info;
}

void add(Cost& sum, const Cost& cost) {
  sum.cube_flops_16bit += cost.cube_flops_16bit;
  sum.cube_flops_8bit += cost.cube_flops_8bit;
  sum.cube_flops_32bit += cost.cube_flops_32bit;
  sum.vector_flops += cost.vector_flops;
  sum.min_bytes += cost.min_bytes;
  sum.min_written_bytes += cost.min_written_bytes;
}

}  // namespace

Change skip_some(const Part& part) {
  return [&part](Call& call, SeededData&) {
    for (const int token : {0, 5, 16}) {
      call.tensors.at(part.cache_index()).as<std::int64_t>()[token] = -1;
    }
  };
}

Change replaced(std::string name, isa::DType dtype, Shape shape) {
  return [=](Call& call, SeededData& data) {
    call.tensors.insert_or_assign(name, data.zeros(dtype, shape, name));
  };
}

Change zero_token(std::string name) {
  return [=](Call& call, SeededData&) {
    const Tensor& tensor = call.tensors.at(name);
    const auto row = static_cast<std::ptrdiff_t>(tensor.bytes()) / tensor.shape()[0];
    std::fill(tensor.data() + row, tensor.data() + 2 * row, std::byte{0});
  };
}

Change uniform(std::vector<std::string> names, double most) {
  return [=](Call& call, SeededData& data) {
    for (const std::string& name : names) {
      const Tensor& old = call.tensors.at(name);
      call.tensors.insert_or_assign(name, data.reals(old.dtype(), old.shape(), name, -most, most));
    }
  };
}

Change behind_the_pages(const Part& part) {
  return [&part](Call& call, SeededData&) {
    call.tensors.at(part.cache_index()).as<std::int64_t>()[1] = kPage;
  };
}

Change with_attribute(std::string name, std::string value) {
  return [=](Call& call, SeededData&) { call.attributes[name] = value; };
}

PrologOperator::PrologOperator(About about, std::vector<const Part*> parts, Rows rows)
    : parts_(std::move(parts)),
      info_(describe(about, parts_)),
      table_(about.name, about.seed,
             [this](SeededData& data, const Sizes& sizes) { return make_call(data, sizes); },
             {std::move(rows)}) {}

Call PrologOperator::make_call(SeededData& data, const Sizes& sizes) const {
  Call call;
  for (const Part* part : parts_) part->add_inputs(call, data, sizes.tokens, sizes.pages);
  return call;
}

void PrologOperator::validate(const Call& call, const sim::SocConfig&) const {
  for (const Part* part : parts_) part->validate_ranks(call);
  for (const Part* part : parts_) part->validate_shapes(call);
  validate_pages(call);
  for (const Part* part : parts_) part->validate_attributes(call);
  const Part& first = *parts_.front();
  require_rows_in_cache(call, first.cache_index(), tensor_of(call, first.cache()).shape()[0]);
}

void PrologOperator::validate_pages(const Call& call) const {
  const std::string first = parts_.front()->cache();
  const std::int64_t pages = tensor_of(call, first).shape()[0];
  for (const Part* part : parts_) {
    const Shape& shape = tensor_of(call, part->cache()).shape();
    require(shape[0] == pages, ErrorClass::kShape, part->cache() + " has the pages of " + first,
            "found " + to_string(shape) + ", block_num is " + std::to_string(pages));
  }
}

std::vector<std::string> PrologOperator::warnings(const Call& call, bool thorough) const {
  const std::string name = parts_.front()->cache_index();
  return remarks_about(tensor_of(call, name), name, thorough);
}

std::vector<std::string> PrologOperator::remarks(const Call& call, const TensorMap& outputs) const {
  std::vector<std::string> found;
  for (const Part* part : parts_) append(found, part->remarks(call, outputs));
  return found;
}

std::vector<TensorShape> PrologOperator::infer(const Call& call) const {
  std::vector<TensorShape> shapes;
  for (const Part* part : parts_) append(shapes, part->infer(call));
  return shapes;
}

Cost PrologOperator::cost(const Call& call) const {
  Cost sum;
  for (const Part* part : parts_) add(sum, part->cost(tokens_of(call)));
  return sum;
}

}  // namespace davsim::operators::prolog
