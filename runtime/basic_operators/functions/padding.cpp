// What is put around tensors: functions/moving.txt.
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

/// Places in front of and behind each dimension; less than 0: that many are left out.
struct Pads {
  Numbers before, behind;
};

/// `pad` has both numbers of the last dimension, then those of the one before it.
Pads pads_of(const Numbers& pad, const View& self) {
  const std::size_t rank = self.rank();
  if (pad.size() % 2 != 0 || pad.size() > 2 * rank) {
    runtime::refuse_aclnn(
        "pad has two numbers for each of the last dimensions of self, which has " +
        std::to_string(rank) + ", not " + std::to_string(pad.size()));
  }
  Pads pads{Numbers(rank, 0), Numbers(rank, 0)};
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    pads.before[rank - 1 - i] = pad[2 * i];
    pads.behind[rank - 1 - i] = pad[2 * i + 1];
  }
  return pads;
}

void pad_with_number(WorkList& work, const aclTensor& self, const Pads& pads,
                     const aclScalar& value, const aclTensor& out) {
  View from = view_of(typed(work, self, out.GetDataType(), "self"));
  Numbers sizes = from.sizes;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] += pads.before[d] + pads.behind[d];
    if (sizes[d] < 0) runtime::refuse_aclnn("pad leaves out more than self has");
  }
  require_shape(out, "out", shape_of(sizes));
  const std::uint64_t bits = element_bits(value, out.GetDataType(), "value");
  Moves moves(work);
  View to = view_of(out);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t before = std::max<std::int64_t>(pads.before[d], 0);
    const std::int64_t behind = std::max<std::int64_t>(pads.behind[d], 0);
    const std::int64_t inside = sizes[d] - before - behind;
    moves.fill(narrowed(to, d, 0, before), bits);
    moves.fill(narrowed(to, d, before + inside, behind), bits);
    to = narrowed(std::move(to), d, before, inside);
    from = narrowed(std::move(from), d, std::max<std::int64_t>(-pads.before[d], 0), inside);
  }
  moves.copy(to, from);
  moves.finish();
}

void pad_with_mirror_image(WorkList& work, const aclTensor& self, const Numbers& padding,
                           const aclTensor& out) {
  const View from = view_of(self);
  if (padding.size() != 2 || (from.rank() != 2 && from.rank() != 3)) {
    runtime::refuse_aclnn("padding has 2 numbers and self 2 or 3 dimensions, not " +
                          std::to_string(padding.size()) + " and " + std::to_string(from.rank()));
  }
  const std::size_t last = from.rank() - 1;
  const std::int64_t size = from.sizes[last], before = padding[0], behind = padding[1];
  for (const std::int64_t pad : padding) {
    if (pad >= 0 && pad < size) continue;
    runtime::refuse_aclnn("padding is from 0 to less than the last size of self, which is " +
                          std::to_string(size) + ", not " + std::to_string(pad));
  }
  Numbers sizes = from.sizes;
  sizes[last] += before + behind;
  require_shape(out, "out", shape_of(sizes));
  require_type(out, "out", {require_movable(self, "self")});
  const View to = view_of(out);
  Moves moves(work);
  moves.copy(narrowed(to, last, before, size), from);
  moves.copy(narrowed(to, last, 0, before), flipped(narrowed(from, last, 1, before), last));
  moves.copy(narrowed(to, last, before + size, behind),
             flipped(narrowed(from, last, size - 1 - behind, behind), last));
  moves.finish();
}

}  // namespace

aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor* self, const aclIntArray* pad,
                                               const aclScalar* value, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnConstantPadNd", workspaceSize, executor, [&](WorkList& work) {
    const Pads pads = pads_of(numbers_of(pad, "pad"), view_of(required(self, "self")));
    required(value, "value");
    pad_with_number(work, *self, pads, *value, required(out, "out"));
  });
}

aclnnStatus aclnnReflectionPad1dGetWorkspaceSize(const aclTensor* self, const aclIntArray* padding,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return first_phase("aclnnReflectionPad1d", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    pad_with_mirror_image(work, *self, numbers_of(padding, "padding"), required(out, "out"));
  });
}
