#include "runtime/aclnn/system_call.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "runtime/aclnn/executor.hpp"
#include "runtime/aclnn/installed_operators.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/process.hpp"

namespace davsim::runtime {
namespace {

/// Lies beside this library.
constexpr const char* kLibrary = "libdavsim_system_operators.so";

const SystemOperators& load_system_operators() {
  Dl_info info{};
  std::filesystem::path file = kLibrary;
  std::error_code failed;
  if (dladdr(reinterpret_cast<const void*>(&prepare_system_call), &info) != 0) {
    const auto own = std::filesystem::canonical(info.dli_fname, failed);
    if (!failed) file = own.parent_path() / kLibrary;
  }
  show_simulator();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, kSystemOperators);
  if (found == nullptr) {
    const char* const why = dlerror();
    throw ApiError(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND,
                   "the library of operators cannot be loaded: " +
                       std::string(why == nullptr ? file.string() : why));
  }
  return *reinterpret_cast<SystemOperatorsFunction>(found)();
}

const SystemOperators& system_operators() {
  static const SystemOperators& all = load_system_operators();
  return all;
}

class SystemExecutor final : public Executor {
 public:
  SystemExecutor(std::string name, std::string group, std::uint32_t device, std::uint32_t devices,
                 std::shared_ptr<GroupCall> call)
      : name_(std::move(name)),
        group_(std::move(group)),
        device_(device),
        devices_(devices),
        call_(std::move(call)) {}

  const std::string& type() const override { return name_; }
  void launch(const std::shared_ptr<Stream>& stream, void*, std::uint64_t) override {
    const auto device = static_cast<std::uint32_t>(stream->context->device);
    if (device != device_) {
      throw ApiError(ACLNN_ERR_PARAM_INVALID,
                     "the first phase was called for device " + std::to_string(device_) +
                         ", the stream is one of device " + std::to_string(device));
    }
    GroupPart part;
    part.stream = stream;
    part.call = call_;
    if (HostCommunicators::instance().spread_of(group_) != nullptr) {
      return Simulator::instance().join(group_, std::move(part));
    }
    Simulator::instance().join(group_, devices_, std::move(part));
  }

 private:
  std::string name_, group_;
  std::uint32_t device_, devices_;
  std::shared_ptr<GroupCall> call_;
};

/// Which of how many parts a device has.
struct PartOf {
  std::uint32_t rank = 0, ranks = 0;
};

/// The parts are those of the communicator's ranks, or all pairs of devices of which it has one
/// half; these follow one another.
PartOf part_of(const SystemArguments& arguments, std::uint32_t device) {
  const CommunicatorRank* const rank = HostCommunicators::instance().named(arguments.group, device);
  if (rank == nullptr) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID, "group '" + arguments.group +
                                                "' is no communicator with a rank on device " +
                                                std::to_string(device));
  }
  const auto ranks = static_cast<std::uint32_t>(rank->devices.size());
  if (arguments.groups_of == 1) return {rank->rank, ranks};
  if (rank->spread != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "communicator '" + arguments.group +
                       "' has ranks in several processes: an operator with a second group needs "
                       "all of them in one, each with a thread of its own");
  }
  for (std::uint32_t i = 0; i < ranks; ++i) {
    if (rank->devices[i] == 2 * i + device % 2) continue;
    throw ApiError(ACLNN_ERR_PARAM_INVALID,
                   "with a second group rank r of the first one is device r * 2 or r * 2 + 1; "
                   "rank " +
                       std::to_string(i) + " of '" + arguments.group + "' is device " +
                       std::to_string(rank->devices[i]));
  }
  return {device, 2 * ranks};
}

void prepare(const SystemArguments& arguments, std::uint64_t* workspace_size,
             aclOpExecutor** executor) {
  require_aclnn(workspace_size, "workspaceSize");
  require_aclnn(executor, "executor");
  const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
  Simulator& simulator = Simulator::instance();
  const PartOf part = part_of(arguments, device);
  // Values on the device decide nothing yet, but some rules look at them.
  auto call = system_operators().part(arguments, part.rank, part.ranks, simulator.soc());
  // Several communicators carry a call out together that has pairs of devices.
  const std::string group = arguments.groups_of == 1
                                ? arguments.group
                                : arguments.name + " on " + std::to_string(part.ranks) + " devices";
  *workspace_size = 0;
  *executor = new SystemExecutor(arguments.name, group, device, part.ranks, std::move(call));
}

}  // namespace

std::vector<SystemOutput> outputs_of_system_call(const SystemArguments& arguments) {
  const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
  const PartOf part = part_of(arguments, device);
  return system_operators().outputs(arguments, part.rank, part.ranks, Simulator::instance().soc());
}

void queue_system_call(const SystemArguments& arguments, aclrtStream stream) {
  std::uint64_t workspace = 0;
  aclOpExecutor* executor = nullptr;
  prepare(arguments, &workspace, &executor);
  run_executor(arguments.name, nullptr, workspace, executor, stream);
}

aclnnStatus prepare_system_call(const std::string& function, const SystemArguments& arguments,
                                std::uint64_t* workspace_size, aclOpExecutor** executor) {
  return phase(function + "GetWorkspaceSize",
               [&] { prepare(arguments, workspace_size, executor); });
}

aclnnStatus run_system_call(const std::string& function, const std::string& name, void* workspace,
                            std::uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
  return phase(function, [&] { run_executor(name, workspace, bytes, executor, stream); });
}

}  // namespace davsim::runtime
