// The entry points of the generated functions of operators.
#include "runtime/aclnn/operator_call.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "davsim/operator_call.h"
#include "runtime/aclnn/installed_operators.hpp"
#include "runtime/aclnn/operator_executor.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/op_host/library.hpp"
#include "runtime/op_host/platform.hpp"

using namespace davsim;
using namespace davsim::runtime;

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return ".";
  std::error_code failed;
  const fs::path file = fs::canonical(info.dli_fname, failed);
  return failed ? fs::path(".") : file.parent_path();
}

void load(const DavsimOperator& which) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (is_registered(which.type)) return;
  const fs::path folder = folder_of(which.caller);
  std::string places;
  const fs::path library = which.library;
  // A static library names its kernels with a path, from where they may have gone.
  for (const fs::path& file :
       {folder / library, folder / library.filename(), folder / ".." / library.filename(),
        folder / "../../op_impl/ai_core/davsim" / library.filename()}) {
    places += (places.empty() ? "" : ", ") + file.lexically_normal().string();
    if (!fs::exists(file)) continue;
    show_simulator();
    try {
      op_host::load_library(file.string());
    } catch (const std::invalid_argument& error) {
      throw ApiError(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND, error.what());
    }
    if (is_registered(which.type)) return;
  }
  throw ApiError(
      ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND,
      "the library of operator " + std::string(which.type) + " is none of these files: " + places);
}

/// Operators whose generated functions are in the process.
struct Known {
  std::mutex mutex;
  std::map<std::string, const DavsimOperator*> operators;
};

Known& known() {
  static auto* all = new Known;  // static objects of libraries come and go around it
  return *all;
}

void prepare(const DavsimOperator& which, const DavsimArgument* arguments, std::size_t count,
             std::uint64_t* workspace_size, aclOpExecutor** executor) {
  require_aclnn(workspace_size, "workspaceSize");
  require_aclnn(executor, "executor");
  load(which);
  Simulator& simulator = Simulator::instance();
  op_host::Definition definition =
      op_host::definition_of(which.type, op_host::compute_unit_of(simulator.soc()));
  auto made = std::make_unique<OperatorExecutor>(
      simulator, bind_call(std::move(definition), arguments, count));
  *workspace_size = made->workspace_bytes();
  *executor = made.release();
}

}  // namespace

void davsim::runtime::load_operator(const std::string& type) {
  const DavsimOperator* which = nullptr;
  {
    const std::lock_guard lock(known().mutex);
    const auto found = known().operators.find(type);
    if (found != known().operators.end()) which = found->second;
  }
  if (which != nullptr) return load(*which);
  if (is_registered(type.c_str())) return;
  throw ApiError(ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                 "no library of the process has an operator " + type);
}

int davsim_operator_known(const DavsimOperator* which) {
  const std::lock_guard lock(known().mutex);
  known().operators[which->type] = which;
  return 0;
}

aclnnStatus davsim_operator_prepare(const DavsimOperator* which, const DavsimArgument* arguments,
                                    size_t count, uint64_t* workspace_size,
                                    aclOpExecutor** executor) {
  return phase(std::string(which->function) + "GetWorkspaceSize",
               [&] { prepare(*which, arguments, count, workspace_size, executor); });
}

aclnnStatus davsim_operator_run(const DavsimOperator* which, void* workspace,
                                uint64_t workspace_size, aclOpExecutor* executor,
                                aclrtStream stream) {
  return phase(which->function,
               [&] { run_executor(which->type, workspace, workspace_size, executor, stream); });
}
