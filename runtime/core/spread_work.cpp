// What ranks of several processes do together. In collective operations of the host each process
// tells the others what its ranks do and send, and simulates the whole with that. Kernels and
// operators are led by one process (runtime/core/led_work.hpp).
#include <algorithm>
#include <memory>
#include <set>

#include "runtime/core/api_error.hpp"
#include "runtime/core/mirrored_rank.hpp"
#include "runtime/core/spread_operation.hpp"
#include "runtime/core/symmetric_heaps.hpp"

namespace davsim::runtime {

void Simulator::push_spread(const std::string& group, const std::shared_ptr<GroupParts>& parts,
                            const std::shared_ptr<Spread>& spread, std::uint64_t number) {
  Ends of = begin_group(*parts);
  const auto operation = std::make_shared<SpreadOperation>(
      SpreadOperation{group, parts, spread, {spread->key, number}, of.behind, of.ends});
  const GroupPart& first = parts->begin()->second;
  const bool led =
      first.launch.has_value() || first.call != nullptr || SymmetricHeaps::instance().are_of(group);
  const bool leads = led && spread->leader() == process_;
  std::map<std::uint32_t, pid_t> others = spread->other_ranks();
  if (led && !leads) others = {{0, spread->leader()}};
  PeerProcesses::instance().expect(operation->id, std::move(others));
  const auto tell = led ? &Simulator::tell_leader : &Simulator::tell_others;
  const auto run = leads ? &Simulator::lead : led ? &Simulator::follow : &Simulator::run_spread;
  queue_.push([this, operation, tell] { (this->*tell)(*operation); }, of.needs);
  of.needs.ready = [operation] {
    const auto& parts = *operation->parts;
    const auto given_up = [](const auto& part) { return part.second.stream->abandoned.load(); };
    return PeerProcesses::instance().is_settled(operation->id) ||
           std::any_of(parts.begin(), parts.end(), given_up);
  };
  end_group(*parts,
            queue_.push([this, operation, run] { (this->*run)(*operation); }, std::move(of.needs)));
}

void Simulator::tell_others(SpreadOperation& operation) {
  timeline_->join(operation.behind, operation.own_ready);
  const Microseconds ready = timeline_->at(*operation.own_ready);
  const Spread& spread = *operation.spread;
  const std::set<pid_t> processes = spread.other_processes();
  const std::vector<std::uint32_t>& dies = communicators()->named(operation.group)->dies;
  for (std::uint32_t rank = 0; rank < dies.size(); ++rank) {
    const auto part = operation.parts->find(dies[rank]);
    if (!spread.is_here(rank) || part == operation.parts->end()) continue;
    Contribution told;
    told.request = part->second.operation;
    told.ready = ready - spread.met_at;
    try {
      if (const auto failed = failure()) throw ApiError(failed->code, "its device has failed");
      told.sent = sent_bytes(told.request, rank, dies.size(), device_->memory(dies[rank]));
    } catch (const std::exception& error) {
      told.failure = error.what();
    }
    const std::string message = told.packed();
    for (const pid_t process : processes) {
      PeerProcesses::instance().tell(process, operation.id, rank, message);
    }
  }
}

void Simulator::run_spread(SpreadOperation& operation) {
  OtherRanks others;
  PeerProcesses::Settled settled = PeerProcesses::instance().take(operation.id);
  others.missing = settled.missing;
  Microseconds begin = 0;
  for (auto& [rank, message] : settled.messages) {
    const Contribution& told = others.contributions[rank] =
        Contribution::opened(std::move(message));
    begin = std::max(begin, told.ready);
  }
  const std::size_t there = others.contributions.size() + operation.parts->size();
  const bool given_up = others.missing.empty() && there < operation.spread->processes.size();
  std::vector<PartDone> done(operation.parts->size());
  if (!given_up) done = run_group(operation.group, *operation.parts, others);
  end_together(operation, begin, done);
}

/// All ranks begin when the last of them is ready: `begin`, since they met.
void Simulator::end_together(SpreadOperation& operation, Microseconds begin,
                             const std::vector<PartDone>& done) {
  const Microseconds ready = timeline_->at(*operation.own_ready);
  const auto all_ready = std::make_shared<Moment>();
  Demand waiting;
  waiting.die = operation.parts->begin()->first;
  waiting.duration = std::max(ready, operation.spread->met_at + begin) - ready;
  timeline_->add({operation.own_ready}, std::move(waiting), all_ready);
  std::size_t number = 0;
  for (const auto& [device, part] : *operation.parts) {
    end_part(part, {all_ready}, done[number], operation.ends[number]);
    ++number;
  }
}

void Simulator::run_collective(const std::string& communicator, const GroupParts& parts,
                               const OtherRanks& others, std::vector<PartDone>& done) {
  const auto refuse = [&](const std::string& what) {
    throw ApiError(ACL_ERROR_RT_FAILURE, "communicator '" + communicator + "': " + what);
  };
  if (!others.missing.empty()) refuse(others.missing);
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
  for (PartDone& part : done) part.duration = cycles / soc().frequency_mhz();
}

}  // namespace davsim::runtime
