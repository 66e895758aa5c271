// What the devices of a communicator do together: launches of kernels that communicate, and
// collective operations of the host.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/core/api_error.hpp"
#include "runtime/core/fault_code.hpp"
#include "runtime/core/simulator.hpp"
#include "session/fault_text.hpp"

namespace davsim::runtime {
namespace {

/// Structs that programs make of the addresses of windows have them at their beginning.
constexpr std::uint64_t kLookedAt = 4096;

}  // namespace

/// A launch communicates if an argument is a context or a window of a communicator, or memory at
/// whose beginning such an address lies.
std::string Simulator::communicator_of(Stream& stream, const Launch& launch) {
  sim::Communicators* const all = communicators();
  if (all == nullptr) return {};
  const auto name_at = [&](std::uint64_t address) -> std::string {
    const sim::Communicator* const found = all->at(address);
    return found == nullptr || found->dies.size() < 2 ? "" : found->name;
  };
  for (const std::uint64_t context : launch.contexts) {
    if (std::string name = name_at(context); !name.empty()) return name;
  }
  for (const std::uint64_t slot : launch.slots) {
    if (std::string name = name_at(slot); !name.empty()) return name;
  }
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
      if (std::string name = name_at(word); !name.empty()) return name;
    }
  }
  return {};
}

void Simulator::await_group(const Stream& stream) {
  std::unique_lock lock(groups_mutex_);
  group_changed_.wait(lock, [&] { return !stream.held; });
}

void Simulator::join(const std::string& communicator, GroupPart part) {
  if (captured(*part.stream) != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "work that several devices do together cannot be captured");
  }
  await_group(*part.stream);
  const auto device = static_cast<std::uint32_t>(part.stream->context->device);
  const std::size_t devices = communicators()->named(communicator)->dies.size();
  std::shared_ptr<GroupParts> all;
  {
    const std::lock_guard lock(groups_mutex_);
    GroupParts& parts = groups_[communicator];
    for (const auto& [other, first] : parts) {
      if (other != device && first.launch.has_value() == part.launch.has_value()) continue;
      throw ApiError(ACL_ERROR_INVALID_PARAM, "communicator '" + communicator + "': device " +
                                                  std::to_string(device) +
                                                  " is asked for another work while device " +
                                                  std::to_string(other) + " waits for the others");
    }
    part.stream->held = true;
    parts.emplace(device, std::move(part));
    if (parts.size() < devices) return;
    all = std::make_shared<GroupParts>(std::move(parts));
    groups_.erase(communicator);
  }
  push_group(communicator, all);
  const std::lock_guard lock(groups_mutex_);
  for (auto& [number, done] : *all) done.stream->held = false;
  group_changed_.notify_all();
}

void Simulator::push_group(const std::string& communicator, std::shared_ptr<GroupParts> parts) {
  std::vector<MomentPtr> behind, ends;
  for (auto& [device, part] : *parts) {
    const std::lock_guard lock(part.stream->mutex);
    behind.push_back(part.stream->end);
    ends.push_back(std::make_shared<Moment>());
    part.stream->end = ends.back();
  }
  const WorkQueue::Ticket ticket = queue_.push([this, communicator, parts, behind, ends] {
    const std::vector<Demand> demands = run_group(communicator, *parts);
    for (std::size_t i = 0; i < ends.size(); ++i) timeline_->add(behind, demands[i], ends[i]);
  });
  for (auto& [device, part] : *parts) {
    const std::lock_guard lock(part.stream->mutex);
    part.stream->last = ticket;
    if (part.launch) {
      memory_->used({ticket, part.stream->end}, part.launch->slots.data(),
                    part.launch->slots.size());
    } else {
      const std::uint64_t words[] = {part.operation.send, part.operation.recv};
      memory_->used({ticket, part.stream->end}, words, 2);
    }
  }
}

std::vector<Demand> Simulator::run_group(const std::string& communicator, GroupParts& parts) {
  std::vector<Demand> demands(parts.size());
  if (failure()) return demands;
  try {
    if (parts.begin()->second.launch) {
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
        demands[number++].duration = report.task_time_us();
      }
      return demands;
    }
    std::vector<isa::Collective> ranks;
    for (const std::uint32_t die : communicators()->named(communicator)->dies) {
      const GroupPart& part = parts.at(die);
      isa::Collective& rank = ranks.emplace_back(part.operation);
      rank.send_counts = part.counts[0].data();
      rank.send_offsets = part.counts[1].data();
      rank.recv_counts = part.counts[2].data();
      rank.recv_offsets = part.counts[3].data();
    }
    communicators()->run(communicator, ranks);
    const auto cycles = static_cast<double>(device_->finish_transfers());
    for (Demand& demand : demands) demand.duration = cycles / soc().frequency_mhz();
  } catch (const isa::Fault& fault) {
    fail(fault_code(fault.cls, isa::KernelType::kAivOnly), session::fault_text(fault));
  } catch (const std::exception& error) {
    fail(ACL_ERROR_RT_INTERNAL_ERROR, std::string("davsim: ") + error.what() + "\n");
  }
  return demands;
}

}  // namespace davsim::runtime
