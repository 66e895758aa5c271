// What the first phases of all basic functions have in common.
#pragma once

#include <memory>
#include <string>

#include "runtime/aclnn/executor.hpp"
#include "runtime/op_api/work_list.hpp"

namespace davsim::basic {

using op_api::WorkList;

/// Runs `body`, which says what the second phase of `function` does. Codes and texts as those of
/// runtime::phase().
template <class Body>
aclnnStatus first_phase(const char* function, std::uint64_t* workspace_size,
                        aclOpExecutor** executor, const Body& body) {
  return runtime::phase(std::string(function) + "GetWorkspaceSize", [&] {
    runtime::require_aclnn(workspace_size, "workspaceSize");
    runtime::require_aclnn(executor, "executor");
    auto work = std::make_unique<WorkList>(function);
    body(*work);
    *workspace_size = work->lay_out();
    *executor = work.release();
  });
}

/// The second phase of any of them.
aclnnStatus second_phase(const char* function, void* workspace, std::uint64_t workspace_size,
                         aclOpExecutor* executor, aclrtStream stream);

}  // namespace davsim::basic

#define DAVSIM_PARAMETERS(...) __VA_ARGS__
/// Defines the first phase of aclnn<Name>: DAVSIM_FIRST_PHASE(Abs, (const aclTensor* self, ...),
/// { add(work, ...); }). `work` is the WorkList that the body fills.
#define DAVSIM_FIRST_PHASE(Name, parameters, ...)                                                  \
  aclnnStatus aclnn##Name##GetWorkspaceSize(DAVSIM_PARAMETERS parameters, uint64_t* workspaceSize, \
                                            aclOpExecutor** executor) {                            \
    return davsim::basic::first_phase("aclnn" #Name, workspaceSize, executor,                      \
                                      [&](davsim::basic::WorkList& work) { __VA_ARGS__ });         \
  }
