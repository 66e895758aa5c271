// The communicators of a system, and the servers that carry their collective operations out. A
// round of an operation begins when all ranks have committed it and the rounds before it are over.
// It takes the time of the copies that its algorithm makes over the fabric. Its results are
// computed from the inputs at its beginning and appear at its end.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "isa/core/collectives.hpp"
#include "sim/core/effect_thread.hpp"
#include "sim/system/collective_plan.hpp"
#include "sim/system/collective_values.hpp"
#include "sim/system/communicators.hpp"
#include "sim/system/die_memory.hpp"
#include "sim/system/fabric.hpp"
#include "sim/system/start_spread.hpp"
#include "sim/watch/run_watcher.hpp"

namespace davsim::sim {

class Collectives : public Communicators, public isa::CollectiveServer, public StartSpread {
 public:
  /// `fabric` is nullptr where there is no time. `product` is "A2" or "A3", whose contexts differ.
  /// Without `values` operations take their time and leave memory as it is.
  Collectives(const SystemConfig& system, std::string product, Fabric* fabric,
              DieMemories& memories, EffectThread& effects, bool values);
  ~Collectives() override;

  // Communicators
  const Communicator& create(std::string name, std::vector<std::uint32_t> dies,
                             std::uint64_t window_bytes) override;
  RankMemory reserve(const std::string& name, std::uint32_t die, std::uint32_t ranks,
                     std::uint64_t window_bytes) override;
  void give_back(std::uint32_t die, const RankMemory& reserved) override;
  const Communicator& create(std::string name, std::vector<std::uint32_t> dies,
                             std::uint64_t window_bytes, const std::vector<RankMemory>& memories,
                             const std::vector<bool>& here) override;
  void destroy(const std::string& name) override;
  void add_visitor(const Communicator& of) override;
  void forget_visitors() override;
  const Communicator* named(const std::string& name) const override;
  const Communicator* at(std::uint64_t address) const override;
  const SystemConfig& system() const override { return system_; }
  void run(const std::string& communicator, const std::vector<isa::Collective>& ranks) override;
  void keep_link_uses() override {
    if (fabric_ != nullptr) fabric_->keep_uses();
  }
  std::vector<LinkUse> link_uses() const override {
    return fabric_ == nullptr ? std::vector<LinkUse>{} : fabric_->uses();
  }

  // isa::CollectiveServer
  const isa::CommunicatorView* find(std::uint64_t context) override;
  void prepare(std::uint64_t context, std::uint32_t handle, const isa::Collective& operation,
               isa::SourceLocation where) override;
  void commit(std::uint64_t context, std::uint32_t handle, isa::SourceLocation where) override;

  /// Kernels on these dies count their operations from 0 again.
  void begin_launch(const std::vector<std::uint32_t>& dies);
  void abort();
  /// Tells `watcher` what the servers write; nullptr: nobody.
  void watch(RunWatcher* watcher) { watcher_ = watcher; }
  /// Whether an operation is being carried out.
  bool busy() const { return under_way_ > 0; }
  /// Of operations that wait for ranks: which, for reports of deadlocks.
  std::string explain_waits() const;

 private:
  /// An operation of a communicator, as far as its ranks have prepared it.
  struct Entry;
  /// An operation of another communicator.
  struct Earlier {
    const Entry* of = nullptr;
    std::uint64_t number = 0;
  };
  struct Operation {
    std::vector<RankCollective> ranks;
    std::vector<Earlier> after;  ///< begins when these are over
    std::vector<bool> prepared;
    std::vector<std::uint32_t> committed;
    std::vector<std::uint32_t> handles;  ///< of each rank; kNoHandle: no kernel waits for it
    std::uint32_t begun = 0, over = 0;
    memory::Cycle ended = 0;  ///< its last round
  };
  /// What a rank's handle stands for.
  struct Handle {
    std::uint64_t number = 0;  ///< of the operation
    bool one_sided = false;    ///< BatchWrite needs no other rank
    RankCollective writes;
    std::uint32_t over = 0;
  };
  struct Entry {
    Communicator communicator;
    std::vector<isa::CommunicatorView> views;
    bool visitor = false;
    std::deque<Operation> operations;           ///< of this launch
    std::vector<std::vector<Handle>> handles;   ///< by rank
    std::vector<std::uint64_t> counted;         ///< of each rank: operations that it has prepared
    std::vector<std::vector<Earlier>> earlier;  ///< of each rank: what its next operation is behind
    std::uint64_t current = 0;                  ///< the operation whose turn it is
    bool running = false;
    bool from_host = false;      ///< its operation is run(), for which all ranks have all inputs
    memory::Cycle last_end = 0;  ///< of its last round
    std::uint64_t number = 0;    ///< among the communicators that the device has had
    CollectiveResult result;     ///< of the round that is carried out
  };
  static constexpr std::uint32_t kNoHandle = ~std::uint32_t{0};
  /// What begins in a cycle comes behind what is told in it.
  static constexpr std::uint64_t kCollectiveBeginnings = std::uint64_t{1} << 61;

  /// An allocation of a rank's memory.
  struct MemoryPart {
    const char* name;
    std::uint64_t* start;
    std::uint64_t bytes;
    bool shared;  ///< other dies reach it
  };
  std::vector<MemoryPart> memory_parts(RankMemory& of, std::uint32_t ranks,
                                       std::uint64_t window_bytes) const;
  /// Takes each part by take(memory, part, name).
  template <class Take>
  RankMemory take(const std::string& name, std::uint32_t die, std::uint32_t ranks,
                  std::uint64_t window_bytes, Take take);
  void check(const std::string& name, const std::vector<std::uint32_t>& dies,
             std::uint64_t window_bytes) const;
  const Communicator& add(std::string name, std::vector<std::uint32_t> dies,
                          std::uint64_t window_bytes, std::vector<RankMemory> memories);
  void write_contexts(const Communicator& of) const;
  const Communicator& keep(std::unique_ptr<Entry> entry);
  Entry& entry_of(std::uint64_t context, std::uint32_t& rank);
  static void forget_operations(Entry& entry);
  void await_group(Entry& entry, std::uint32_t rank, const isa::Collective& message,
                   isa::SourceLocation where);
  RankCollective checked(const Entry& entry, std::uint32_t rank, const isa::Collective& operation,
                         isa::SourceLocation where) const;
  void add_to_operation(Entry& entry, std::uint64_t number, std::uint32_t rank,
                        std::uint32_t handle, RankCollective request, isa::SourceLocation where);
  std::vector<BatchItem> batch_items(const RankCollective& request,
                                     isa::SourceLocation where) const;
  void write_batch(Entry& entry, std::uint32_t rank, std::uint32_t handle,
                   isa::SourceLocation where);
  /// A rank's BatchWrite of these items, committed at `at`. Where dies are dealt to processes, each
  /// of them begins it.
  struct Batch {
    std::uint32_t rank = 0, handle = 0;
    memory::Cycle at = 0;
    std::vector<BatchItem> items;
    CollectiveResult result;
  };
  void begin_batch(Entry& entry, Batch batch);
  void tell_batch(const Entry& entry, const Batch& batch);
  /// A rank has committed a round of an operation at `at`.
  void committed(Entry& entry, std::uint64_t number, std::uint32_t rank, memory::Cycle at);
  /// Lets the next round begin if all ranks have committed it, the last of them not after `at`.
  void try_begin(Entry& entry, memory::Cycle at);
  void begin_round(Entry& entry);
  void step(Entry& entry, const std::shared_ptr<CollectivePlan>& plan, std::size_t number);
  /// Makes the copies of a step, and calls `then` when all of them are over, `delay` cycles later.
  void make_copies(const std::vector<PlannedCopy>& planned, memory::Cycle delay,
                   std::function<void()> then);
  void end_round(Entry& entry);
  /// Writes a result, and tells the watcher.
  void write(const CollectiveResult& result);
  void tell_over(Entry& entry, std::uint32_t rank, std::uint32_t handle, std::uint64_t rounds);

  SystemConfig system_;
  std::string product_;
  Fabric* fabric_;
  DieMemories& memories_;
  EffectThread& effects_;
  bool values_;
  // Where dies are dealt to several processes (collectives_ranks.cpp).
  bool is_dealt() const { return fabric_ != nullptr && fabric_->is_dealt(); }
  void tell_commit(Entry& entry, std::uint64_t number, std::uint32_t rank, std::uint32_t handle);
  void tell_inputs(const Entry& entry, std::uint32_t round);
  struct News;
  void told_commit(Entry& entry, const News& news, const std::string& more);
  void told_batch(Entry& entry, const News& news, const std::string& more);
  void told(const std::string& bytes);

  /// They come and go while nothing is simulated, but threads of a host program may look at them.
  std::vector<std::unique_ptr<Entry>> entries_;
  mutable std::mutex entries_mutex_;  ///< whoever changes them, and named() and at()
  RunWatcher* watcher_ = nullptr;
  std::uint64_t created_ = 0;
  std::uint32_t under_way_ = 0;
};

}  // namespace davsim::sim
