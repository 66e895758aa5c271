#include "runtime/core/led_work.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <set>

#include "runtime/core/api_error.hpp"
#include "runtime/core/spread_operation.hpp"

namespace davsim::runtime {
namespace {

void require_alike(bool alike, const std::string& one, const std::string& other) {
  if (alike) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM,
                 "the ranks run different kernels or operators: " + one + " and " + other);
}

/// What another process says that its device does, in the words of this process. `like` is what one
/// of its own devices does.
GroupPart part_of(const LedPart& told, const GroupPart& like, std::uint32_t device) {
  GroupPart part;
  part.stream = like.stream;
  if (like.launch) {
    require_alike(told.kernel == like.launch->kernel.name, like.launch->kernel.name,
                  told.kernel.empty() ? told.operator_name : told.kernel);
    part.launch = *like.launch;
    part.launch->blocks = told.blocks;
    part.launch->tiling_key = told.tiling_key;
    part.launch->slots = told.slots;
    part.launch->contexts = told.contexts;
    part.launch->die = device;
    return part;
  }
  require_alike(told.operator_name == like.call->name(), like.call->name(),
                told.operator_name.empty() ? told.kernel : told.operator_name);
  part.call = like.call->of_other(told.call);
  return part;
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
  timeline_->add(operation.behind, Demand{}, operation.own_ready);
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
      told.communicators = communicators_of(*launch, *communicators());
    } else {
      told.operator_name = part->second.call->name();
      told.call = part->second.call->packed();
    }
    told.allocations = device_->memory(dies[rank]).allocations();
    PeerProcesses::instance().tell(spread.leader(), operation.id, rank, told.packed());
  }
}

/// What the devices of all processes do. Throws what goes wrong.
void Simulator::run_led(const SpreadOperation& operation, const PeerProcesses::Settled& others,
                        LedResult& result, std::vector<PartDone>& own) {
  const auto refuse = [&](const std::string& what) {
    throw ApiError(ACL_ERROR_RT_FAILURE, "communicator '" + operation.group + "': " + what);
  };
  const Spread& spread = *operation.spread;
  const std::vector<std::uint32_t> dies = communicators()->named(operation.group)->dies;
  if (!others.missing.empty()) refuse(others.missing + " has ended");
  if (!spread.memories.apart.empty()) refuse(spread.memories.apart);
  GroupParts all = *operation.parts;
  std::list<memory::GlobalMemory::Visit> visits;
  Visitors visitors(*communicators());
  std::vector<sim::Communicator> theirs;
  for (const auto& [rank, message] : others.messages) {
    LedPart told = LedPart::opened(message);
    if (!told.failure.empty()) refuse("rank " + std::to_string(rank) + ": " + told.failure);
    result.begin = std::max(result.begin, told.ready);
    all[dies[rank]] = part_of(told, operation.parts->begin()->second, dies[rank]);
    visits.emplace_back(device_->memory(dies[rank]),
                        memory::GlobalMemory::Elsewhere{spread.memories.files[rank].descriptor(),
                                                        std::move(told.allocations)});
    theirs.insert(theirs.end(), told.communicators.begin(), told.communicators.end());
  }
  visitors.add(theirs);
  const std::vector<PartDone> done = run_group(operation.group, all);
  std::size_t number = 0;
  own.clear();
  for (const auto& [device, part] : all) {
    const auto rank = std::find(dies.begin(), dies.end(), device) - dies.begin();
    result.done[static_cast<std::size_t>(rank)] = done[number];
    if (operation.parts->contains(device)) own.push_back(done[number]);
    ++number;
  }
}

void Simulator::lead(SpreadOperation& operation) {
  const Spread& spread = *operation.spread;
  const Stream& first = *operation.parts->begin()->second.stream;
  const PeerProcesses::Settled others = PeerProcesses::instance().take(operation.id);
  LedResult result;
  result.begin = timeline_->at(*operation.own_ready) - spread.met_at;
  result.done.resize(spread.processes.size());
  std::vector<PartDone> own(operation.parts->size());
  const std::size_t there = others.messages.size() + operation.parts->size();
  if (others.missing.empty() && there < spread.processes.size()) {  // a stream was given up
    result.code = ACL_ERROR_RT_FAILURE;
    result.failure = "davsim: communicator '" + operation.group + "': rank 0 has given up\n";
  } else {
    attempt({first.context->device, first.id}, [&] { run_led(operation, others, result, own); });
  }
  if (const auto failed = failure()) {
    result.code = failed->code;
    result.failure = failed->text;
  }
  for (const pid_t process : spread.other_processes()) {
    PeerProcesses::instance().tell(process, operation.id, 0, result.packed());
  }
  end_together(operation, result.begin, own);
}

void Simulator::follow(SpreadOperation& operation) {
  const GroupPart& first = operation.parts->begin()->second;
  const LaunchPlace place{first.stream->context->device, first.stream->id};
  const PeerProcesses::Settled leader = PeerProcesses::instance().take(operation.id);
  const std::vector<std::uint32_t> dies = communicators()->named(operation.group)->dies;
  std::vector<PartDone> done(operation.parts->size());
  Microseconds begin = 0;
  mappings_.exchange();
  if (!leader.missing.empty()) {
    fail(ACL_ERROR_RT_FAILURE,
         "davsim: communicator '" + operation.group + "': " + leader.missing + " has ended\n",
         place);
  } else if (!leader.messages.empty()) {  // none: the operation was given up
    const LedResult result = LedResult::opened(leader.messages.at(0));
    begin = result.begin;
    std::size_t number = 0;
    for (const auto& [device, part] : *operation.parts) {
      const auto rank = std::find(dies.begin(), dies.end(), device) - dies.begin();
      done[number++] = result.done[static_cast<std::size_t>(rank)];
    }
    if (result.code != 0 && !failure()) fail(result.code, result.failure, place);
  }
  end_together(operation, begin, done);
}

}  // namespace davsim::runtime
