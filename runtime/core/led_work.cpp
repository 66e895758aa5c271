#include "runtime/core/led_work.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <set>

#include "runtime/core/api_error.hpp"
#include "runtime/core/slot_call.hpp"
#include "runtime/core/spread_operation.hpp"
#include "runtime/loaded_kernels.hpp"

namespace davsim::runtime {
namespace {

[[noreturn]] void refuse_unlike(const std::string& one, const std::string& other) {
  throw ApiError(ACL_ERROR_INVALID_PARAM,
                 "the ranks run different kernels or operators: " + one + " and " + other);
}

/// A launch of the kernel that this process has under the same name.
Launch launch_of(const LedPart& told, const GroupPart& like) {
  if (like.launch && told.kernel == like.launch->kernel.name) return *like.launch;
  Launch launch;
  try {
    launch.kernel = isa::find_kernel(told.kernel);
  } catch (const std::invalid_argument&) {
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP, "a rank of another process launches kernel '" +
                                                   told.kernel +
                                                   "', which the process of rank 0 does not have");
  }
  launch.call = launch.kernel.parameters.call;
  if (launch.call == nullptr) launch.call = parameters_of(told.kernel).call;
  const auto words = static_cast<std::uint32_t>(told.slots.size());
  if (launch.call == nullptr) launch.call = slot_call(words);
  return launch;
}

/// What another process says that its device does, in the words of this process. `like` is what one
/// of its own devices does.
GroupPart part_of(const LedPart& told, const GroupPart& like, std::uint32_t device) {
  GroupPart part;
  part.stream = like.stream;
  if (!told.kernel.empty()) {
    if (like.call != nullptr) refuse_unlike(like.call->name(), told.kernel);
    part.launch = launch_of(told, like);
    part.launch->blocks = told.blocks;
    part.launch->tiling_key = told.tiling_key;
    part.launch->slots = told.slots;
    part.launch->contexts = told.contexts;
    part.launch->symmetric_memory = told.symmetric_memory;
    part.launch->die = device;
  } else if (!told.operator_name.empty()) {
    const std::string own = like.call != nullptr ? like.call->name()
                            : like.launch        ? like.launch->kernel.name
                                                 : "a barrier";
    if (told.operator_name != own) refuse_unlike(own, told.operator_name);
    part.call = like.call->of_other(told.call);
  }
  return part;
}

/// A barrier of PEs, before which launches of others go.
bool is_barrier(const GroupPart& part) {
  return !part.launch && part.call == nullptr;
}

/// The communicators to whose contexts a launch has pointers.
std::vector<sim::Communicator> communicators_of(const Launch& launch,
                                                const sim::Communicators& all) {
  std::set<const sim::Communicator*> found;
  std::vector<std::uint64_t> addresses = launch.slots;
  addresses.insert(addresses.end(), launch.contexts.begin(), launch.contexts.end());
  for (const std::uint64_t address : addresses) {
    if (const sim::Communicator* const of = all.at(address)) found.insert(of);
  }
  std::vector<sim::Communicator> copies;
  for (const sim::Communicator* const of : found) copies.push_back(*of);
  return copies;
}

/// While it lives, kernels can use communicators that this process does not know.
class Visitors {
 public:
  explicit Visitors(sim::Communicators& all) : all_(all) {}
  ~Visitors() { all_.forget_visitors(); }
  Visitors(const Visitors&) = delete;
  Visitors& operator=(const Visitors&) = delete;
  void add(const std::vector<sim::Communicator>& of) {
    for (const sim::Communicator& one : of) {
      const sim::Communicator* const known = all_.at(one.contexts.front());
      if (known == nullptr || known->contexts != one.contexts) all_.add_visitor(one);
    }
  }

 private:
  sim::Communicators& all_;
};

}  // namespace

void Simulator::tell_leader(SpreadOperation& operation) {
  timeline_->join(operation.behind, operation.own_ready);
  tell_parts(operation);
}

void Simulator::tell_parts(const SpreadOperation& operation) {
  const Spread& spread = *operation.spread;
  if (spread.leader() == process_) return;
  mappings_.exchange();
  const std::vector<std::uint32_t>& dies = communicators()->named(operation.group)->dies;
  for (std::uint32_t rank = 0; rank < dies.size(); ++rank) {
    const auto part = operation.parts->find(dies[rank]);
    if (!spread.is_here(rank) || part == operation.parts->end()) continue;
    LedPart told;
    told.ready = timeline_->at(*operation.own_ready) - spread.met_at;
    if (failure()) told.failure = "its device has failed";
    if (const auto& launch = part->second.launch) {
      told.kernel = launch->kernel.name;
      told.blocks = launch->blocks;
      told.tiling_key = launch->tiling_key;
      told.slots = launch->slots;
      told.contexts = launch->contexts;
      told.symmetric_memory = launch->symmetric_memory;
      told.communicators = communicators_of(*launch, *communicators());
    } else if (const auto& call = part->second.call; call != nullptr) {
      told.operator_name = call->name();
      told.call = call->packed();
    }
    told.allocations = device_->memory(dies[rank]).allocations();
    PeerProcesses::instance().tell(spread.leader(), operation.id, rank, told.packed());
  }
}

/// What the devices of all processes do. Throws what goes wrong.
void Simulator::run_led(const SpreadOperation& operation, const PeerProcesses::Settled& others,
                        LedResult& result) {
  const auto refuse = [&](const std::string& what) {
    throw ApiError(ACL_ERROR_RT_FAILURE, "communicator '" + operation.group + "': " + what);
  };
  const Spread& spread = *operation.spread;
  const std::vector<std::uint32_t> dies = communicators()->named(operation.group)->dies;
  if (!others.missing.empty()) refuse(others.missing);
  if (!spread.memories.apart.empty()) refuse(spread.memories.apart);
  GroupParts all = *operation.parts;
  std::map<std::uint32_t, Microseconds> ready;  // since the ranks met, by device
  for (const auto& [device, part] : all) {
    ready[device] = timeline_->at(*operation.own_ready) - spread.met_at;
  }
  std::list<memory::GlobalMemory::Visit> visits;
  Visitors visitors(*communicators());
  std::vector<sim::Communicator> theirs;
  for (const auto& [rank, message] : others.messages) {
    LedPart told = LedPart::opened(message);
    if (!told.failure.empty()) refuse("rank " + std::to_string(rank) + ": " + told.failure);
    ready[dies[rank]] = told.ready;
    all[dies[rank]] = part_of(told, operation.parts->begin()->second, dies[rank]);
    visits.emplace_back(device_->memory(dies[rank]),
                        memory::GlobalMemory::Elsewhere{spread.memories.files[rank].descriptor(),
                                                        std::move(told.allocations)});
    theirs.insert(theirs.end(), told.communicators.begin(), told.communicators.end());
  }
  visitors.add(theirs);
  const bool barrier =
      std::all_of(all.begin(), all.end(), [](const auto& part) { return is_barrier(part.second); });
  GroupParts first = all;
  if (!barrier) std::erase_if(first, [](const auto& part) { return is_barrier(part.second); });
  result.begin = ready[first.begin()->first];
  for (const auto& [device, part] : first) result.begin = std::max(result.begin, ready[device]);
  const std::vector<PartDone> done = run_group(operation.group, first);
  for (PartDone& part : result.done) part.is_to_come = true;
  std::size_t number = 0;
  for (const auto& [device, part] : first) {
    const auto rank = std::find(dies.begin(), dies.end(), device) - dies.begin();
    result.done[static_cast<std::size_t>(rank)] = done[number++];
  }
}

/// What came of the parts of this process.
std::vector<PartDone> Simulator::own_of(const SpreadOperation& operation, const LedResult& result) {
  const std::vector<std::uint32_t>& dies = communicators()->named(operation.group)->dies;
  std::vector<PartDone> own;
  for (const auto& [device, part] : *operation.parts) {
    const auto rank = std::find(dies.begin(), dies.end(), device) - dies.begin();
    own.push_back(result.done[static_cast<std::size_t>(rank)]);
  }
  return own;
}

/// Goes on to the next operation with the same parts.
void Simulator::renumber(SpreadOperation& operation) {
  const std::lock_guard lock(groups_mutex_);
  operation.id.number = operation.spread->operations++;
}

LedResult Simulator::led(const SpreadOperation& operation, const PeerProcesses::Settled& others) {
  const Spread& spread = *operation.spread;
  const Stream& first = *operation.parts->begin()->second.stream;
  LedResult result;
  result.done.resize(spread.processes.size());
  const std::size_t there = others.messages.size() + operation.parts->size();
  if (others.missing.empty() && there < spread.processes.size()) {  // a stream was given up
    result.code = ACL_ERROR_RT_FAILURE;
    result.failure = "davsim: communicator '" + operation.group + "': rank 0 has given up\n";
  } else {
    attempt({first.context->device, first.id}, [&] { run_led(operation, others, result); });
  }
  if (const auto failed = failure()) {
    result.code = failed->code;
    result.failure = failed->text;
  }
  if (result.code != 0) result.done.assign(result.done.size(), {});  // nothing is to come
  for (const pid_t process : spread.other_processes()) {
    PeerProcesses::instance().tell(process, operation.id, 0, result.packed());
  }
  return result;
}

void Simulator::lead(SpreadOperation& operation) {
  LedResult result = led(operation, PeerProcesses::instance().take(operation.id));
  std::vector<PartDone> own = own_of(operation, result);
  while (own.front().is_to_come) {
    renumber(operation);
    result = led(operation, PeerProcesses::instance().settle(
                                operation.id, operation.spread->other_ranks(), group_limit_));
    own = own_of(operation, result);
  }
  end_together(operation, result.begin, own);
}

void Simulator::follow(SpreadOperation& operation) {
  const GroupPart& first = operation.parts->begin()->second;
  const LaunchPlace place{first.stream->context->device, first.stream->id};
  PeerProcesses::Settled leader = PeerProcesses::instance().take(operation.id);
  std::vector<PartDone> done(operation.parts->size());
  Microseconds begin = 0;
  mappings_.exchange();
  while (!leader.messages.empty()) {  // none: the operation was given up
    const LedResult result = LedResult::opened(leader.messages.at(0));
    begin = result.begin;
    done = own_of(operation, result);
    if (result.code != 0 && !failure()) fail(result.code, result.failure, place);
    if (!done.front().is_to_come) break;
    renumber(operation);
    tell_parts(operation);
    leader = PeerProcesses::instance().settle(operation.id, {{0, operation.spread->leader()}},
                                              group_limit_);
  }
  if (!leader.missing.empty()) {
    fail(ACL_ERROR_RT_FAILURE,
         "davsim: communicator '" + operation.group + "': " + leader.missing + "\n", place);
  }
  end_together(operation, begin, done);
}

}  // namespace davsim::runtime
