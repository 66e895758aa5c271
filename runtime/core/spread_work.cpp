// Collective operations of the host, and how ranks of several processes carry them out: each
// process tells the others what its ranks do and send, and simulates the whole operation with that.
#include <algorithm>
#include <memory>
#include <set>

#include "runtime/core/api_error.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/mirrored_rank.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

struct Simulator::SpreadOperation {
  std::string group;
  std::shared_ptr<GroupParts> parts;  ///< of this process
  std::shared_ptr<Spread> spread;
  OperationId id;
  std::vector<MomentPtr> behind, ends;
  MomentPtr own_ready = std::make_shared<Moment>();  ///< the parts of this process are
};

void Simulator::push_spread(const std::string& group, const std::shared_ptr<GroupParts>& parts,
                            const std::shared_ptr<Spread>& spread, std::uint64_t number) {
  Ends of = begin_group(*parts);
  const auto operation = std::make_shared<SpreadOperation>(
      SpreadOperation{group, parts, spread, {spread->key, number}, of.behind, of.ends});
  std::map<std::uint32_t, pid_t> others;
  for (std::uint32_t rank = 0; rank < spread->processes.size(); ++rank) {
    if (spread->processes[rank] != process_) others[rank] = spread->processes[rank];
  }
  PeerProcesses::instance().expect(operation->id, std::move(others));
  queue_.push([this, operation] { tell_others(*operation); }, of.needs);
  of.needs.ready = [operation] {
    const auto& parts = *operation->parts;
    const auto given_up = [](const auto& part) { return part.second.stream->abandoned.load(); };
    return PeerProcesses::instance().is_settled(operation->id) ||
           std::any_of(parts.begin(), parts.end(), given_up);
  };
  end_group(*parts,
            queue_.push([this, operation] { run_spread(*operation); }, std::move(of.needs)));
}

void Simulator::tell_others(SpreadOperation& operation) {
  timeline_->add(operation.behind, Demand{}, operation.own_ready);
  const Microseconds ready = timeline_->at(*operation.own_ready);
  const Spread& spread = *operation.spread;
  std::set<pid_t> processes(spread.processes.begin(), spread.processes.end());
  processes.erase(process_);
  const std::vector<std::uint32_t>& dies = communicators()->named(operation.group)->dies;
  for (std::uint32_t rank = 0; rank < dies.size(); ++rank) {
    const auto part = operation.parts->find(dies[rank]);
    if (spread.processes[rank] != process_ || part == operation.parts->end()) continue;
    Contribution told;
    told.request = part->second.operation;
    told.ready = ready - spread.met_at;
    try {
      if (const auto failed = failure()) throw ApiError(failed->code, "its device has failed");
      told.sent = sent_bytes(told.request, rank, dies.size(), device_->memory(dies[rank]));
    } catch (const std::exception& error) {
      told.failure = error.what();
    }
    for (const pid_t process : processes) {
      PeerProcesses::instance().tell(process, operation.id, rank, told);
    }
  }
}

/// All ranks begin when the last of them is ready.
void Simulator::run_spread(SpreadOperation& operation) {
  const OtherRanks others = PeerProcesses::instance().take(operation.id);
  const std::size_t there = others.contributions.size() + operation.parts->size();
  const bool given_up = others.missing.empty() && there < operation.spread->processes.size();
  std::vector<Demand> demands(operation.parts->size());
  if (!given_up) demands = run_group(operation.group, *operation.parts, others);
  const Microseconds ready = timeline_->at(*operation.own_ready);
  Microseconds begin = ready;
  for (const auto& [rank, told] : others.contributions) {
    begin = std::max(begin, operation.spread->met_at + told.ready);
  }
  const auto all_ready = std::make_shared<Moment>();
  Demand waiting;
  waiting.duration = begin - ready;
  timeline_->add({operation.own_ready}, std::move(waiting), all_ready);
  for (std::size_t i = 0; i < operation.ends.size(); ++i) {
    timeline_->add({all_ready}, demands[i], operation.ends[i]);
  }
}

void Simulator::run_collective(const std::string& communicator, const GroupParts& parts,
                               const OtherRanks& others, std::vector<Demand>& demands) {
  const auto refuse = [&](const std::string& what) {
    throw ApiError(ACL_ERROR_RT_FAILURE, "communicator '" + communicator + "': " + what);
  };
  if (!others.missing.empty()) refuse(others.missing + " has ended");
  std::vector<isa::Collective> ranks;
  std::vector<std::unique_ptr<MirroredRank>> mirrored;
  const std::vector<std::uint32_t>& dies = communicators()->named(communicator)->dies;
  for (std::uint32_t number = 0; number < dies.size(); ++number) {
    const auto part = parts.find(dies[number]);
    if (part == parts.end()) {
      const Contribution& told = others.contributions.at(number);
      if (!told.failure.empty()) refuse("rank " + std::to_string(number) + ": " + told.failure);
      mirrored.push_back(
          std::make_unique<MirroredRank>(told, number, dies.size(), device_->memory(dies[number])));
      ranks.push_back(mirrored.back()->operation());
      continue;
    }
    ranks.push_back(part->second.operation.pointing());
  }
  communicators()->run(communicator, ranks);
  const auto cycles = static_cast<double>(device_->finish_transfers());
  for (Demand& demand : demands) demand.duration = cycles / soc().frequency_mhz();
}

}  // namespace davsim::runtime
