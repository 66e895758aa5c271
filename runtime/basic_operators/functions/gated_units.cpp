// Gated units: functions/rows.txt.
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "runtime/basic_operators/device/gated_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim_basic::Gate;
using davsim_basic::GatedTiling;

namespace {

struct GatedCall {
  const aclTensor* x;
  const char* name;
  int64_t dim;
  Gate gate;
  bool left;
  const aclTensor* out;
  const aclTensor* activation = nullptr;  ///< may be missing
};

GatedTiling tiling_of_gated(const GatedCall& call, int64_t rows, int64_t half) {
  // A core that has less is not worth its start.
  constexpr int64_t kLeast = 512;
  const Parts parts = parts_of(rows, half, kLeast);
  const auto size = static_cast<uint64_t>(op::TypeSize(call.x->GetDataType()));
  // Two buffers of each tensor, three tiles, and for Gelu three more and those of the library.
  const bool is_gelu = call.gate == Gate::kGelu || call.gate == Gate::kGeluTanh;
  const uint64_t tensors = call.activation == nullptr ? 3 : 4;
  const uint64_t bytes = 2 * size * tensors + 4 * (is_gelu ? 11 : 3);
  GatedTiling tiling{};
  tiling.shares = row_shares(rows * parts.count, parts.length, row_tile(bytes));
  if (parts.count > 1) tiling.shares.at_once = 1;
  tiling.half = static_cast<uint64_t>(half);
  tiling.parts = static_cast<uint32_t>(parts.count);
  tiling.gate = call.gate;
  tiling.element = *element_of(call.x->GetDataType());
  tiling.left = call.left ? 1 : 0;
  tiling.has_activation = call.activation == nullptr ? 0 : 1;
  return tiling;
}

void add_gated(WorkList& work, const GatedCall& call) {
  require_kernel_float(required(call.x, call.name), call.name);
  const Shape& shape = call.x->GetViewShape();
  const std::size_t rank = shape.GetDimNum(), dim = dimension(call.dim, rank, "dim");
  if (rank == 0 || shape.GetDim(dim) % 2 != 0) {
    davsim::runtime::refuse_aclnn(std::string(call.name) + " has an even size in dimension " +
                                  std::to_string(call.dim) + ", not the shape " + text(shape));
  }
  Shape halved = shape;
  halved.SetDim(dim, shape.GetDim(dim) / 2);
  require_kernel_float(required(call.out, "out"), "out");
  require_shape(*call.out, "out", halved);
  if (call.activation != nullptr) {
    require_kernel_float(*call.activation, "outGelu");
    require_shape(*call.activation, "outGelu", halved);
  }
  if (call.out->IsEmpty()) return;
  int64_t rows = 1;
  for (std::size_t i = 0; i < dim; ++i) rows *= shape.GetDim(i);
  const DataType type = call.x->GetDataType();
  Result out(work, *call.out, type);
  std::optional<Result> activation;
  if (call.activation != nullptr) activation.emplace(work, *call.activation, type);
  const GatedTiling tiling = tiling_of_gated(call, rows, call.out->Numel() / rows);
  work.add_kernel(
      {"davsim_gated",
       work.type(),
       cores_of(tiling.shares),
       {as(work, *call.x, type), &out.tensor(), activation ? &activation->tensor() : nullptr},
       bytes_of(tiling)});
  out.finish();
  if (activation) activation->finish();
}

Gate gelu(int64_t approximate) {
  if (approximate != 0 && approximate != 1) {
    davsim::runtime::refuse_aclnn("approximate is 0 or 1, not " + std::to_string(approximate));
  }
  return approximate == 0 ? Gate::kGelu : Gate::kGeluTanh;
}

}  // namespace

DAVSIM_FIRST_PHASE(SwiGlu, (const aclTensor* x, int64_t dim, const aclTensor* out), {
  add_gated(work, {x, "x", dim, Gate::kSwish, true, out});
})

DAVSIM_FIRST_PHASE(Glu, (const aclTensor* self, int64_t dim, const aclTensor* out), {
  add_gated(work, {self, "self", dim, Gate::kSigmoid, false, out});
})

DAVSIM_FIRST_PHASE(GeGlu,
                   (const aclTensor* self, int64_t dim, int64_t approximate, aclTensor* out,
                    aclTensor* outGelu),
                   {
                     add_gated(work, {self, "self", dim, gelu(approximate), false, out,
                                      &required(outGelu, "outGelu")});
                   })

DAVSIM_FIRST_PHASE(GeGluV3,
                   (const aclTensor* self, int64_t dim, int64_t approximate, bool activateLeft,
                    aclTensor* out, aclTensor* outGelu),
                   {
                     add_gated(work, {self, "self", dim, gelu(approximate), activateLeft, out,
                                      &required(outGelu, "outGelu")});
                   })
