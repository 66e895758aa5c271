// Softmax: functions/rows.txt.
#include "runtime/basic_operators/softmax.hpp"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "runtime/basic_operators/device/softmax_tiling.h"
#include "runtime/basic_operators/launch.hpp"

using namespace davsim::basic;
using davsim_basic::SoftmaxTiling;

namespace {

aclnnStatus softmax(const char* function, bool logarithm, const aclTensor* self, int64_t dim,
                    aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor) {
  return first_phase(function, workspace_size, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(self, "self"), {dim}, "dim");
    for (const auto& [tensor, name] : {std::pair{self, "self"}, {&required(out, "out"), "out"}}) {
      require_type(*tensor, name, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    }
    require_shape(*out, "out", self->GetViewShape());
    add_softmax(work, *self, view, logarithm, *out);
  });
}

}  // namespace

aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return softmax("aclnnSoftmax", false, self, dim, out, workspaceSize, executor);
}

aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out,
                                            uint64_t* workspaceSize, aclOpExecutor** executor) {
  return softmax("aclnnLogSoftmax", true, self, dim, out, workspaceSize, executor);
}

aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                 const aclTensor* output, int64_t dim,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return first_phase("aclnnSoftmaxBackward", workspaceSize, executor, [&](WorkList& work) {
    const RowView view = rows_along(required(gradOutput, "gradOutput"), {dim}, "dim");
    require_kernel_float(*gradOutput, "gradOutput");
    const DataType type = gradOutput->GetDataType();
    require_type(required(output, "output"), "output", {type});
    require_kernel_float(required(out, "out"), "out");
    require_shape(*output, "output", gradOutput->GetViewShape());
    require_shape(*out, "out", gradOutput->GetViewShape());
    if (out->IsEmpty()) return;
    RowResult result(work, *out, view, type);
    SoftmaxTiling tiling{};
    tiling.shares = row_shares(view.rows(), view.length(),
                               row_tile(softmax_bytes_in_ub({type, type, type}, 3)));
    tiling.in = tiling.out = *element_of(type);
    work.add_kernel({"davsim_softmax_backward",
                     work.type(),
                     cores_of(tiling.shares),
                     {as_rows(work, *gradOutput, view, type), as_rows(work, *output, view, type),
                      &result.tensor()},
                     bytes_of(tiling)});
    result.finish();
  });
}
