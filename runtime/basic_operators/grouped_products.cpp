#include "runtime/basic_operators/grouped_products.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/aclnn/element_copy.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::basic {
namespace {

void require(bool holds, const std::string& rule) {
  if (!holds) runtime::refuse_aclnn(rule);
}

std::uint64_t size_of(const aclTensorList* list) {
  return list == nullptr ? 0 : list->Size();
}

/// The part [from, to) of a dimension.
const aclTensor* part(WorkList& work, const aclTensor& of, std::size_t dim, std::int64_t from,
                      std::int64_t to) {
  return tensor_of(work, narrowed(view_of(of), dim, from, to - from));
}

/// The group's own of a list: a tensor of the list, or a row of the only one, which has one more
/// dimension then.
const aclTensor* own(WorkList& work, const aclTensorList* list, std::size_t group,
                     std::size_t groups) {
  if (size_of(list) == 0) return nullptr;
  const aclTensor* const first = (*list)[0];
  if (first == nullptr || first->IsEmpty()) return nullptr;
  if (list->Size() > 1 || groups == 1) {
    const aclTensor* const tensor = list->Size() > 1 ? (*list)[group] : first;
    const Shape& shape = tensor->GetViewShape();
    if (shape.GetDimNum() < 2 || shape.GetDim(0) != 1) return tensor;
  }
  aclTensor* const view = work.view(*first);
  const std::size_t place = list->Size() > 1 ? 0 : group;
  view->offset += static_cast<std::int64_t>(place) * view->strides[0];
  Shape rest;
  for (std::size_t d = 1; d < view->shape.GetDimNum(); ++d) rest.AppendDim(view->shape.GetDim(d));
  view->shape = rest;
  view->strides.erase(view->strides.begin());
  return view;
}

PointwiseOp activation_of(std::int64_t type) {
  switch (type) {
    case 1:
      return PointwiseOp::kRelu;
    case 2:
      return PointwiseOp::kGeluTanh;
    case 4:
    case 5:
      return PointwiseOp::kSwish;
    default:
      runtime::refuse_aclnn(
          "actType is 0 (none), 1 (relu), 2 (gelu), 4 (fast gelu) or 5 (silu), not " +
          std::to_string(type));
  }
}

class Grouped {
 public:
  Grouped(WorkList& work, const GroupedProduct& call) : work_(work), call_(call) {
    require(size_of(call.x) > 0 && size_of(call.weight) > 0 && size_of(call.out) > 0,
            "x, weight and out have tensors");
    for (const auto& [list, name] :
         {std::pair{call.x, "x"}, {call.weight, "weight"}, {call.out, "out"}}) {
      for (std::uint64_t i = 0; i < list->Size(); ++i) {
        const std::string which = std::string(name) + "[" + std::to_string(i) + "]";
        const std::size_t rank = required((*list)[i], which.c_str()).GetViewShape().GetDimNum();
        require(rank == 2 || rank == 3,
                which + " has two or three dimensions, not " + std::to_string(rank));
      }
    }
    require(call.group_type == -1 || call.group_type == 0 || call.group_type == 2,
            "groupType is -1, 0 or 2, not " + std::to_string(call.group_type));
    count_ = call.has_groups ? call.groups.size() : std::max(size_of(call.x), size_of(call.weight));
    std::int64_t before = 0;
    for (const std::int64_t end : call.groups) {
      require(end >= before, "groupList has running sums, which do not decrease: " +
                                 std::to_string(end) + " comes behind " + std::to_string(before));
      before = end;
    }
    const std::int64_t all = call.group_type == 2 ? (*call.x)[0]->GetViewShape().GetDim(1)
                                                  : (*call.x)[0]->GetViewShape().GetDim(0);
    require(size_of(call.x) > 1 || before <= all,
            "groupList ends at " + std::to_string(before) + " of " + std::to_string(all));
  }

  void add() {
    if (size_of(call_.out) == 1) work_.add_zeros(*(*call_.out)[0]);
    for (std::size_t group = 0; group < count_; ++group) add(group);
  }

 private:
  std::int64_t start(std::size_t group) const {
    return group == 0 || call_.groups.empty() ? 0 : call_.groups[group - 1];
  }
  /// A group's rows of x and of out, and its weight.
  void add(std::size_t group) {
    const std::int64_t from = start(group);
    const std::int64_t to = call_.groups.empty() ? 0 : call_.groups[group];
    const auto rows = [&](const aclTensorList* list) -> const aclTensor* {
      if (size_of(list) > 1 || count_ == 1) return (*list)[size_of(list) > 1 ? group : 0];
      return part(work_, *(*list)[0], 0, from, to);
    };
    const aclTensor *x = nullptr, *weight = nullptr, *out = nullptr;
    if (call_.group_type == 2) {
      x = part(work_, *(*call_.x)[0], 1, from, to);
      weight = part(work_, *(*call_.weight)[0], 0, from, to);
      out = own(work_, call_.out, group, count_);
    } else {
      x = rows(call_.x);
      weight = own(work_, call_.weight, group, count_);
      out = rows(call_.out);
    }
    require(x != nullptr && weight != nullptr && out != nullptr,
            "x, weight and out have a tensor for each group");
    if (out->IsEmpty()) return;
    const aclTensor* made = out;
    if (call_.activation != 0) made = temporary(work_, out->GetDataType(), out->GetViewShape());
    add_product_of(group, {x, "x"}, {weight, "weight"}, *made);
    if (call_.activation == 0) return;
    add_pointwise(work_, {.op = activation_of(call_.activation),
                          .operands = {{made, "out"}},
                          .out = out,
                          .a = call_.activation == 4 ? 1.702 : 1});
  }

  void add_product_of(std::size_t group, const Named& x, const Named& weight,
                      const aclTensor& out) {
    const auto own_of = [&](const aclTensorList* list, const char* name) {
      return Named{own(work_, list, group, count_), name};
    };
    const Named bias = own_of(call_.bias, "bias");
    const DataType of_x = x.tensor->GetDataType(), of_weight = weight.tensor->GetDataType();
    if (of_x == ge::DT_INT8) {
      QuantisedProduct product{x,
                               weight,
                               own_of(call_.scale, "scale"),
                               own_of(call_.offset, "offset"),
                               {nullptr, "perTokenScale"},
                               bias};
      if (size_of(call_.per_token) > 0 && (*call_.per_token)[0] != nullptr) {
        const std::int64_t rows = x.tensor->GetViewShape().GetDim(0);
        product.per_token.tensor =
            size_of(call_.per_token) > 1
                ? (*call_.per_token)[group]
                : part(work_, *(*call_.per_token)[0], 0, start(group), start(group) + rows);
      }
      return add_quantised_product(work_, product, out);
    }
    Named factor = weight;
    if (of_weight == ge::DT_INT8 || of_weight == ge::DT_INT4 || of_weight == ge::DT_INT32) {
      factor.tensor = dequantised(work_,
                                  {weight, own_of(call_.antiquant_scale, "antiquantScale"),
                                   own_of(call_.antiquant_offset, "antiquantOffset")},
                                  of_x);
    }
    Named row = bias;
    if (row.tensor != nullptr) row.tensor = as(work_, *row.tensor, ge::DT_FLOAT);
    add_product_with_bias(work_, x, factor, row, out, CubeMath::kKeep);
  }

  WorkList& work_;
  const GroupedProduct& call_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<std::int64_t> group_ends(const aclTensor& tensor, bool counts) {
  require_type(tensor, "groupListOptional", {ge::DT_INT64});
  runtime::Simulator& simulator = runtime::Simulator::instance();
  runtime::BoundTensor bound = op_api::bound_view(tensor);
  runtime::require_place(simulator, bound, "groupListOptional");
  simulator.synchronise_all();
  std::vector<std::int64_t> ends(bound.elements());
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < ends.size(); ++i) {
    const std::int64_t number =
        op_api::whole_number_of(ACL_INT64, bound.first() + i * sizeof(std::int64_t));
    sum += number;
    ends[i] = counts ? sum : number;
  }
  return ends;
}

void add_grouped_product(WorkList& work, const GroupedProduct& call) {
  Grouped(work, call).add();
}

}  // namespace davsim::basic
