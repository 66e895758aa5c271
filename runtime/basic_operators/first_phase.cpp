#include "runtime/basic_operators/first_phase.hpp"

namespace davsim::basic {

aclnnStatus second_phase(const char* function, void* workspace, std::uint64_t workspace_size,
                         aclOpExecutor* executor, aclrtStream stream) {
  return runtime::phase(function, [&] {
    // Programs give executors to the second phases of other functions, which run them as well.
    runtime::run_executor({}, workspace, workspace_size, executor, stream);
  });
}

}  // namespace davsim::basic
