#include "runtime/aclnn/executor.hpp"

#include <mutex>
#include <set>

#include "runtime/core/process.hpp"

namespace davsim::runtime {
namespace {

struct Living {
  std::mutex mutex;
  std::set<const aclOpExecutor*> executors;
};

Living& living() {
  static auto* all = new Living;  // static variables of the program may still use it
  return *all;
}

}  // namespace

Executor::Executor() {
  const std::lock_guard lock(living().mutex);
  living().executors.insert(this);
}

Executor::~Executor() {
  const std::lock_guard lock(living().mutex);
  living().executors.erase(this);
}

bool Executor::lives(const aclOpExecutor* executor) {
  const std::lock_guard lock(living().mutex);
  return living().executors.contains(executor);
}

void require_aclnn(const void* pointer, const char* name) {
  if (pointer != nullptr) return;
  throw ApiError(ACLNN_ERR_PARAM_NULLPTR, std::string(name) + " is a null pointer");
}

void run_executor(const std::string& type, void* workspace, std::uint64_t bytes,
                  aclOpExecutor* executor, aclrtStream stream) {
  require_aclnn(executor, "executor");
  if (!Executor::lives(executor)) {
    throw ApiError(ACLNN_ERR_INNER_CREATE_EXECUTOR,
                   "the executor comes from no first phase, or was used already; "
                   "aclSetAclOpExecutorRepeatable lets it serve more than once");
  }
  auto& mine = static_cast<Executor&>(*executor);
  if (!type.empty() && mine.type() != type) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "the executor is one of " + mine.type());
  }
  const auto on = Process::instance().stream(stream);
  require_device_sound(Simulator::instance());
  mine.launch(on, workspace, bytes);
  if (!mine.repeatable) delete executor;
}

}  // namespace davsim::runtime
