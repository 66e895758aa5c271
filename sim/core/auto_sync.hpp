// The synchronisation that the vendor's compiler inserts into a kernel (option --cce-auto-sync):
// between the scalar unit and the vector pipe, MTE2 and MTE3, and within the vector pipe, wherever
// accesses to UB depend on each other. Everything else stays the kernel's own to order.
//
// The compiler looks at the kernel's text; here the addresses of the run decide. Nothing is
// inserted where the kernel's own flags and barriers order two accesses already.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::sim {

class AutoSync {
 public:
  /// `memory`: the buffers of the core, whose UB is watched; it must outlive this.
  explicit AutoSync(const isa::CoreMemory& memory) : memory_(memory) {}

  /// An access to UB that neither the compiler nor the kernel orders behind an earlier one, of
  /// which it depends.
  struct Unordered {
    isa::Pipe earlier, later;
    std::uint64_t addr;  ///< the first such DataBlock
    isa::SourceLocation where;
  };

  /// A launch begins.
  void begin_launch() { unordered_.reset(); }
  /// A block begins: nothing is under way.
  void begin_block();
  /// The first of the launch, if there was one. Only what certainly touches the same bytes counts.
  const std::optional<Unordered>& unordered() const { return unordered_; }

  /// Takes the next instruction of the kernel. Returns the instructions that have to come before
  /// it, in their order. They are valid until the next call.
  const std::vector<isa::Instr>& before(const isa::DecodedInstr& instr);
  /// The same for a load or store of the scalar unit.
  const std::vector<isa::Instr>& before_scalar(const isa::Operand& operand, std::uint64_t bytes,
                                               bool writes, isa::SourceLocation where);

 private:
  /// Who accesses UB.
  enum Agent : std::uint8_t { kScalar, kVector, kMte2, kMte3, kAgents };
  /// The number of an access in the order of its agent; 0 is none.
  using Number = std::uint32_t;
  using Numbers = std::array<Number, kAgents>;
  static constexpr std::uint64_t kBlockBytes = isa::kBlockBytes;  ///< watched together

  /// The last accesses to a DataBlock of UB.
  struct Block {
    Agent writer = kScalar;
    Number written = 0;
    Numbers read{};
    // Whether these accesses certainly touched all of the DataBlock.
    bool whole_written = false;
    std::array<bool, kAgents> whole_read{};
  };
  /// A flag that is set, with what its setter knew.
  struct FlagSet {
    isa::FlagParams flag;
    Numbers known;
  };

  static Agent agent_of(isa::Pipe pipe);
  static isa::Pipe pipe_of(Agent agent);
  /// Whether the compiler orders accesses of these two.
  static bool covers(Agent earlier, Agent later);

  void note_order(const isa::DecodedInstr& instr);
  void merge(Numbers& into, const Numbers& from);
  /// Puts into `needed_` whose earlier accesses an access of `agent` has to wait for.
  /// `exact`: all bytes of the runs are touched.
  template <class ForEachRun>
  void look_at(Agent agent, bool writes, bool exact, ForEachRun for_each_run);
  /// Makes an access of `agent` the last one to its bytes.
  template <class ForEachRun>
  void note(Agent agent, bool writes, bool exact, ForEachRun for_each_run);
  /// `same_bytes`: the two certainly touch all of the DataBlock at `addr`.
  void depends_on(Agent earlier, Number number, Agent later, bool same_bytes, std::uint64_t addr);
  /// Puts the instructions for what `needed_` has into `inserted_`.
  void insert(Agent later, isa::SourceLocation where);

  const isa::CoreMemory& memory_;
  std::vector<Block> blocks_;
  std::array<Number, kAgents> last_{};    ///< the number of each agent's last access
  std::array<Numbers, kAgents> known_{};  ///< of each agent: which accesses have ended
  std::vector<FlagSet> flags_;            ///< in the order of the sets
  std::uint8_t needed_ = 0;  ///< agents that the next access has to wait for, a bit for each
  isa::AccessList accesses_;
  std::vector<isa::Instr> inserted_;
  std::optional<Unordered> unordered_;
};

}  // namespace davsim::sim
