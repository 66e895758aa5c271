// What the devices of a communicator do together: launches of kernels that communicate, and
// collective operations of the host.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "runtime/core/api_error.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/fault_code.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/symmetric_heaps.hpp"
#include "runtime/core/timeout.hpp"
#include "session/fault_text.hpp"

namespace davsim::runtime {
namespace {

/// Structs that programs make of the addresses of windows have them at their beginning.
constexpr std::uint64_t kLookedAt = 4096;

/// Work of another kind, or another operator, is no part of the same work.
bool alike(const GroupPart& one, const GroupPart& other) {
  if (one.launch.has_value() != other.launch.has_value()) return false;
  if ((one.call != nullptr) != (other.call != nullptr)) return false;
  return one.call == nullptr || one.call->name() == other.call->name();
}

std::vector<std::uint64_t> addresses_of(const GroupPart& part) {
  if (part.launch) return part.launch->slots;
  if (part.call != nullptr) return part.call->addresses();
  return {part.operation.what.send, part.operation.what.recv};
}

}  // namespace

/// Kernels number the communicators of their launch: contexts among the arguments in their order,
/// where no operator gives them numbers.
void Simulator::number_contexts(Launch& launch) {
  sim::Communicators* const all = communicators();
  if (all == nullptr || launch.contexts[0] != 0) return;
  std::size_t number = 0;
  for (const std::uint64_t slot : launch.slots) {
    const sim::Communicator* const found = all->at(slot);
    if (found == nullptr || number == launch.contexts.size()) continue;
    const auto& contexts = found->contexts;
    if (std::find(contexts.begin(), contexts.end(), slot) == contexts.end()) continue;
    launch.contexts[number++] = slot;
  }
}

/// Kernels that use SHMEM begin on all PEs together. Else a launch communicates if an argument is a
/// context or a window of a communicator, or memory at whose beginning such an address lies, but
/// for the own symmetric heap. Of several communicators it is the one with the most devices, which
/// begin together.
std::string Simulator::communicator_of(Stream& stream, const Launch& launch) {
  sim::Communicators* const all = communicators();
  if (devices() == 1) return {};
  const SymmetricHeaps& heaps = SymmetricHeaps::instance();
  if (const auto heap = heaps.of(launch.die); heap && launch.kernel.traits.symmetric_memory) {
    return heap->pes > 1 ? heap->communicator : "";
  }
  const sim::Communicator* largest = nullptr;
  const auto look_at = [&](std::uint64_t address) {
    const sim::Communicator* const found = all->at(address);
    if (found == nullptr || found->dies.size() < 2) return;
    if (heaps.are_of(found->name) && memory_->die_at(address) == launch.die) return;
    if (largest == nullptr || found->dies.size() > largest->dies.size()) largest = found;
  };
  for (const std::uint64_t context : launch.contexts) look_at(context);
  for (const std::uint64_t slot : launch.slots) look_at(slot);
  if (largest != nullptr) return largest->name;
  await_group(stream);
  WorkQueue::Ticket last = 0;
  {
    const std::lock_guard lock(stream.mutex);
    last = stream.last;
  }
  queue_.wait(last);  // what is copied to the arguments is there then
  for (const std::uint64_t slot : launch.slots) {
    const auto* const start = reinterpret_cast<const std::byte*>(slot);
    const auto block = memory_->block_containing(start);
    if (!block || !block->device) continue;
    const std::uint64_t bytes = std::min(kLookedAt, block->room - (slot - block->start));
    for (std::uint64_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, start + at, sizeof word);
      look_at(word);
    }
  }
  return largest == nullptr ? "" : largest->name;
}

/// Waits until `waits` is true of no stream that is held. Who waits long is told for whom.
template <class Waits>
bool Simulator::await_groups(Limit limit, Waits waits) {
  const auto start = std::chrono::steady_clock::now();
  std::string whom;
  const auto over = [&] {
    for (const auto& [stream, held] : held_) {
      if (!waits(*stream, held)) continue;
      whom = "device " + std::to_string(held.device) +
             " waits for the other devices of communicator '" + held.group + "'";
      return false;
    }
    return true;
  };
  std::unique_lock lock(groups_mutex_);
  const auto ends_within = [&](std::chrono::milliseconds span) {
    return group_changed_.wait_until(lock, start + std::min(span, limit.value_or(span)), over);
  };
  const std::chrono::seconds soon = std::min(kQuietWait, group_limit_);
  if (ends_within(soon)) return true;
  if (limit && *limit <= soon) return false;
  std::fprintf(stderr,
               "davsim: %s; a thread that serves several of them asks for the same work on all "
               "before it waits or queues more\n",
               whom.c_str());
  if (ends_within(group_limit_)) return true;
  if (limit && *limit <= group_limit_) return false;
  throw waited_too_long(whom, group_limit_);
}

bool Simulator::await_group(const Stream& stream, Limit limit) {
  return await_groups(limit, [&](const Stream& held, const Held&) { return &held == &stream; });
}

bool Simulator::synchronise_device(std::uint32_t device, Limit limit) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_own = [&](const Stream&, const Held& held) { return held.device == device; };
  if (!await_groups(limit, is_own)) return false;
  return synchronise_through(queue_.last(), left_of(limit, start));
}

bool Simulator::is_held(const Stream& stream) {
  const std::lock_guard lock(groups_mutex_);
  return held_.contains(&stream);
}

void Simulator::leave_group(const Stream& stream) {
  const std::lock_guard lock(groups_mutex_);
  const auto held = held_.find(&stream);
  if (held == held_.end()) return;
  const auto parts = groups_.find(held->second.group);
  if (parts == groups_.end() || !parts->second.contains(held->second.device)) return;
  if (parts->second.at(held->second.device).stream.get() != &stream) return;  // it is on its way
  parts->second.erase(held->second.device);
  if (parts->second.empty()) groups_.erase(parts);
  held_.erase(held);
  group_changed_.notify_all();
}

void Simulator::join(const std::string& communicator, GroupPart part) {
  const auto spread = HostCommunicators::instance().spread_of(communicator);
  const std::size_t devices =
      spread != nullptr ? spread->own : communicators()->named(communicator)->dies.size();
  join(communicator, devices, std::move(part), spread);
}

void Simulator::join(const std::string& group, std::size_t devices, GroupPart part,
                     const std::shared_ptr<Spread>& spread) {
  if (captured(*part.stream) != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "work that several devices do together cannot be captured");
  }
  await_group(*part.stream);
  const auto device = static_cast<std::uint32_t>(part.stream->context->device);
  std::shared_ptr<GroupParts> all;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(groups_mutex_);
    GroupParts& parts = groups_[group];
    for (const auto& [other, first] : parts) {
      if (other != device && alike(first, part)) continue;
      throw ApiError(ACL_ERROR_INVALID_PARAM, "communicator '" + group + "': device " +
                                                  std::to_string(device) +
                                                  " is asked for another work while device " +
                                                  std::to_string(other) + " waits for the others");
    }
    held_[part.stream.get()] = {device, group};
    part.waited = host_waited_until();
    parts.emplace(device, std::move(part));
    if (parts.size() < devices) return;
    all = std::make_shared<GroupParts>(std::move(parts));
    groups_.erase(group);
    if (spread != nullptr) number = spread->operations++;
  }
  if (spread != nullptr) {
    push_spread(group, all, spread, number);
  } else {
    push_group(group, all);
  }
  const std::lock_guard lock(groups_mutex_);
  for (auto& [number, done] : *all) held_.erase(done.stream.get());
  group_changed_.notify_all();
}

Simulator::Ends Simulator::begin_group(GroupParts& parts) {
  Ends of;
  for (auto& [device, part] : parts) {
    const std::lock_guard lock(part.stream->mutex);
    of.behind.push_back(part.stream->end);
    of.behind.push_back(part.waited);
    of.ends.push_back(std::make_shared<Moment>());
    part.stream->end = of.ends.back();
    if (part.launch || part.call != nullptr) log_.queued();
    of.needs.lanes.push_back(part.stream.get());
  }
  return of;
}

void Simulator::end_group(GroupParts& parts, WorkQueue::Ticket ticket) {
  for (auto& [device, part] : parts) {
    const std::lock_guard lock(part.stream->mutex);
    part.stream->last = ticket;
    const std::vector<std::uint64_t> addresses = addresses_of(part);
    memory_->used({ticket, part.stream->end}, addresses.data(), addresses.size());
  }
}

void Simulator::push_group(const std::string& group, const std::shared_ptr<GroupParts>& parts) {
  Ends of = begin_group(*parts);
  const WorkQueue::Ticket ticket = queue_.push(
      [this, group, parts, behind = of.behind, ends = of.ends] {
        const std::vector<PartDone> done = run_group(group, *parts);
        std::size_t number = 0;
        for (const auto& [device, part] : *parts) {
          end_part(part, behind, done[number], ends[number]);
          ++number;
        }
      },
      std::move(of.needs));
  end_group(*parts, ticket);
}

void Simulator::end_part(const GroupPart& part, const std::vector<MomentPtr>& behind,
                         const PartDone& done, const MomentPtr& end) {
  Demand demand;
  demand.duration = done.duration;
  demand.die = static_cast<std::uint32_t>(part.stream->context->device);
  timeline_->add(behind, std::move(demand), end);
  if (done.launch) log_.add({part.stream->context->device, part.stream->id}, *done.launch, end);
}

std::vector<PartDone> Simulator::run_group(const std::string& group, GroupParts& parts,
                                           const OtherRanks& others) {
  std::vector<PartDone> done(parts.size());
  if (failure()) return done;
  ++tasks_;
  const GroupPart& first = parts.begin()->second;
  attempt({first.stream->context->device, first.stream->id}, [&] {
    if (first.launch) {
      run_launches(parts, done);
    } else if (first.call != nullptr) {
      run_calls(group, parts, done);
    } else {
      run_collective(group, parts, others, done);
    }
  });
  return done;
}

void Simulator::attempt(const LaunchPlace& place, const std::function<void()>& f) {
  try {
    f();
  } catch (const isa::Fault& fault) {
    fail(fault_code(fault.cls, isa::KernelType::kAivOnly), session::fault_text(fault), place);
  } catch (const ApiError& error) {
    fail(error.code, std::string("davsim: ") + error.what() + "\n", place);
  } catch (const std::exception& error) {
    fail(ACL_ERROR_RT_INTERNAL_ERROR, std::string("davsim: ") + error.what() + "\n", place);
  }
}

void Simulator::run_launches(GroupParts& parts, std::vector<PartDone>& done) {
  tools_->host_wrote(memory_->take_host_writes());
  std::vector<sim::DieLaunch> launches;
  for (const auto& [device, part] : parts) {
    const Launch& launch = *part.launch;
    launches.push_back({device, &launch.kernel, launch.blocks, launch.tiling_key,
                        half(launch, launch.kernel.aic), half(launch, launch.kernel.aiv)});
  }
  std::size_t number = 0;
  mappings_.exchange();
  const auto reports = device_->launch(std::move(launches));
  mappings_.exchange();
  for (const observe::LaunchReport& report : reports) {
    tools_->launched(report);
    done[number++] = {report.task_time_us(), LaunchLog::launch_of(report)};
  }
}

void Simulator::run_calls(const std::string& group, GroupParts& parts,
                          std::vector<PartDone>& done) {
  tools_->host_wrote(memory_->take_host_writes());
  // A group of all devices that several communicators make up has no name among them.
  std::vector<std::uint32_t> dies;
  if (const sim::Communicator* const of = communicators()->named(group)) {
    dies = of->dies;
  } else {
    for (const auto& [device, part] : parts) dies.push_back(device);
  }
  std::vector<GroupCall*> calls;
  for (const std::uint32_t die : dies) calls.push_back(parts.at(die).call.get());
  mappings_.exchange();
  const auto reports = calls.front()->run(calls, dies, *device_);
  mappings_.exchange();
  for (const observe::LaunchReport& report : reports) tools_->launched(report);
  const auto longest = std::max_element(
      reports.begin(), reports.end(),
      [](const auto& one, const auto& other) { return one.cycles < other.cycles; });
  std::size_t number = 0;
  for (const auto& [device, part] : parts) {
    const auto rank = std::find(dies.begin(), dies.end(), device) - dies.begin();
    // Ranks that an operator leaves out have no reports, and wait for the others.
    const bool by_rank = reports.size() == dies.size();
    const auto report = by_rank ? reports.begin() + rank : longest;
    done.at(number++) = {report->task_time_us(), LaunchLog::launch_of(*report)};
  }
}

}  // namespace davsim::runtime
