// The checker of one core: compares every access with the shadow of the memory that it touches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/buffer_table.hpp"
#include "checker/core_order.hpp"
#include "checker/cut_tensors.hpp"
#include "checker/global_table.hpp"
#include "checker/numbers.hpp"
#include "checker/run_state.hpp"
#include "checker/scalar_cache.hpp"
#include "checker/shadow.hpp"
#include "isa/core/core_watcher.hpp"
#include "isa/exec/accesses.hpp"

namespace davsim::checker {

class CoreChecker : public isa::CoreWatcher {
 public:
  CoreChecker(RunState& run, std::uint32_t core, const isa::CoreMemory& memory);

  // isa::CoreWatcher
  std::uint16_t buffer_made(const isa::LocalBuffer& buffer) override;
  std::uint16_t global_made(const isa::GlobalBuffer& tensor) override;
  void buffer_passed(std::uint16_t buffer, isa::BufferOwner to, isa::SourceLocation where) override;
  void buffers_forgotten(bool reset, isa::SourceLocation where) override;
  void words_follow(bool begins) override {
    words_follow_ = begins;
    if (!begins) order_.meet_others();
  }
  void word_at(std::uint64_t address) override { run_.words[address]; }
  void stores_pass_the_cache(bool begins) override { stores_pass_the_cache_ = begins; }
  void misused(isa::Misuse kind, std::string_view rule, isa::SourceLocation where) override;
  std::string origin(const isa::Operand& operand) const override;
  void dispatched(const isa::Instr& instr) override;
  void issued(const isa::DecodedInstr& instr) override;
  void ended(const isa::DecodedInstr& instr) override;
  void drained(isa::SourceLocation where) override;
  void scalar_loaded(const isa::Operand& from, std::uint64_t bytes,
                     isa::SourceLocation where) override;
  void scalar_stored(const isa::Operand& to, std::uint64_t bytes,
                     isa::SourceLocation where) override;
  void cache_cleaned(std::uint64_t addr, std::uint64_t bytes, isa::SourceLocation where) override;

  void begin_block(bool in_order);
  /// The end of the kernel writes back the data cache.
  void end_block();
  /// What the blocks of the previous launch left to be written back is in memory.
  void forget_stores() { cache_.forget_left(); }
  /// Reports sets of cross-core flags that raised no flag, after all cores that could have joined
  /// have ended.
  void report_lost_sets();
  CoreOrder& order() { return order_; }
  const ScalarCache& cache() const { return cache_; }
  /// Bytes of host memory that the shadows of the core's buffers take.
  std::uint64_t shadow_bytes() const;
  /// The bytes of the core's buffers that the block has touched.
  std::uint64_t touched_bytes() const;

 private:
  /// The access that is being checked.
  struct Current {
    Mark mark;
    isa::Pipe pipe = isa::Pipe::S;
    const Clock* clock = nullptr;
    isa::SourceLocation where;
    isa::Opcode op = isa::Opcode::kScalarOp;
    const isa::DecodedInstr* instr = nullptr;  ///< null: of the scalar unit
  };

  /// A 512-byte block of L0C and its unit flag: the clock that the last release passes on.
  struct Block {
    std::shared_ptr<const Clock> from_cube, from_fixpipe;
  };
  template <class Visit>
  void for_each_block(Visit visit);
  void take_blocks(const isa::Instr& instr);
  void hand_blocks_over(const isa::Instr& instr);

  void issue_sync(const isa::Instr& instr);
  Current current_of(const isa::DecodedInstr& instr);
  Current scalar_current(isa::Opcode op, std::uint32_t place, isa::SourceLocation where);

  // core_words.cpp: words in global memory by which cores wait for each other
  void write_word(const isa::Instr& instr);
  void read_word(const isa::DecodedInstr& instr);
  void learn_words(std::uint64_t addr, std::uint64_t bytes);
  template <class Visitor>
  const GlobalShadow::Region* visit_words(std::uint64_t addr, std::uint64_t bytes,
                                          Visitor& visitor);

  // core_accesses.cpp: compares an access with the shadow
  struct Bytes {
    isa::Space space;
    std::uint64_t addr, bytes;
    const isa::Operand* operand;
  };
  /// Bytes of an access that share a cell.
  struct Touched {
    const isa::Access& access;
    std::uint64_t base;  ///< address of the shadow's first byte
    const Shadow::Run& run;
  };
  struct Reader;
  struct Writer;
  static Bytes bytes_of(const Touched& touched);
  std::optional<isa::Access> all_reserved(const isa::Access& access) const;
  /// Whether the access stays inside its tensor.
  bool check_access(const Current& current, const isa::Access& made);
  template <class Visitor>
  void touch(const isa::Access& access, Visitor visitor);
  void read(const Current& current, const Touched& touched, Cell& cell);
  void write(const Current& current, const Touched& touched, Cell& cell);
  void check_adders(const Current& current, const Touched& touched, const Mark& write);
  // core_unset.cpp: results that are computed from bytes that nobody wrote
  /// What an instruction reads through an operand without a value.
  struct Unset {
    const isa::Operand* operand;
    std::uint64_t from, to;
    std::uint16_t site;  ///< as Cell::made_of_unwritten
    std::uint64_t bytes() const { return to - from; }
  };
  static bool passes_on(const Current& current, const isa::Access& access);
  std::uint16_t first_site(const Current& current);
  void mark_unset_results(const Current& current);
  void note_user(const Cell& cell);
  void uses_unset(const Current& current, std::uint16_t site);
  // core_looks.cpp: reads by which a core may wait for another one in a loop of the kernel's own
  void note_look(const Current& current);
  void poll(const Current& current, const Bytes& bytes, const Mark& write);
  void look_too_early(const Current& current, const Bytes& bytes, const Mark& write);
  void look_at(const isa::Operand& from, std::uint64_t bytes);
  void look_behind(std::uint64_t line, isa::SourceLocation where);
  std::uint64_t read_bytes(const Current& current) const;
  bool ordered(const Current& current, isa::Space space, const Mark& old) const;

  bool covered_by_mistake(const isa::Access& access, const Cell& cell) const;
  /// The on-chip buffer of an operand; nullptr without one.
  const BufferTable::Buffer* buffer_of(const isa::Operand& operand) const {
    return operand.space == isa::Space::kGm ? nullptr : buffers_.find(operand.buffer);
  }
  bool check_room(const Current& current, const isa::Access& access);
  /// A place that an access must stay in: a buffer, a tensor in global memory or an allocation. Its
  /// end is 0 if nothing is known of it.
  struct Room {
    std::uint64_t start = 0, end = 0;
    std::string name;
  };
  Room room_of(const isa::Operand& operand) const;
  void check_cuts(const Current& current);
  void check_owned(const isa::Operand& operand, isa::Opcode op, isa::Pipe pipe,
                   const isa::SourceLocation& where) {
    const BufferTable::Buffer* buffer = buffer_of(operand);
    if (buffer == nullptr || !(buffer->released() || buffer->freed())) return;
    used_after_loss(*buffer, op, pipe, where);
  }
  void used_after_loss(const BufferTable::Buffer& buffer, isa::Opcode op, isa::Pipe pipe,
                       isa::SourceLocation where);
  void check_stale_copy(const Current& current, const Touched& touched, const Cell& cell);
  void check_store_left(const Current& current, const Touched& touched, const Cell& cell);
  bool still_in_cache(const Bytes& bytes, const Mark& write) const;
  std::optional<Stamp> left_by_end(const Bytes& bytes, const Mark& write) const;
  Clock known_behind_store(const Current& current, std::uint64_t addr) const;
  static const char kStillInCache[];
  void check_line_shared(const Current& current, const isa::Operand& to);
  bool store_is_undone(const Current& current, const Mark& old, std::uint64_t line) const;

  // core_findings.cpp: makes the findings
  /// An access that is wrong by itself, and one that is wrong after another.
  static Occurrence at(const Current& current, Class cls);
  Occurrence behind(const Mark& old, const Current& current, Class cls) const;
  Finding finding_at(const Current& current, const Bytes& bytes, bool writes,
                     std::string message) const;
  Place place_of_mark(const Mark& mark, bool writes) const;
  void race(const Current& current, const Bytes& bytes, bool writes, const Mark& old,
            bool old_writes);
  Way way_between_cores(const Mark& old, const Current& current) const;
  void uninitialised(const Current& current, const Bytes& bytes);
  Finding unwritten_read(const Current& current, const Bytes& bytes) const;
  void overrun(const Current& current, const Bytes& bytes, bool writes, const Room& room);
  void overlap(const Current& current, const Bytes& bytes, const Mark& old, std::uint16_t other);
  void cut_overlap(const Current& current, const isa::Access& access, const Mark& taken);
  void check_results(const Current& current);
  void check_operands(const Current& current, const isa::DecodedInstr& instr);
  void stale(const Current& current, const Bytes& bytes, bool writes, const Mark& old,
             std::string message);
  /// The source line of the call that ended the use of the tensor.
  struct Loss {
    const char* call = "";
    isa::SourceLocation where;
  };
  void misuse(isa::Opcode op, isa::Pipe pipe, const Loss& loss, isa::SourceLocation where,
              Class cls, std::string message);
  void made_numbers(const isa::Instr& instr, const NumberEvent& event);
  std::string missing_edge(const Place& first, const Place& second) const;

  RunState& run_;
  std::uint32_t core_;
  const isa::CoreMemory& memory_;
  CoreOrder order_;
  BufferTable buffers_;
  GlobalTable globals_;
  ScalarCache cache_;
  CutTensors cuts_;
  std::array<Shadow, isa::kSpaceCount> local_;
  std::vector<Block> blocks_;
  isa::AccessList accesses_;
  std::vector<Unset> unset_;        ///< of the instruction that is being checked
  std::vector<Unset> in_row_;       ///< of the row that is being read
  std::uint64_t loaded_bytes_ = 0;  ///< by the last load of the scalar unit
  Numbers numbers_;
  /// Few bytes of global memory in UB, which the scalar unit may look at.
  struct Look {
    std::uint64_t begin = 0, end = 0, gm = 0;
    Mark mark;
    bool of_another = false;  ///< it found a write of another core
    bool looked_at = false;
  };
  static constexpr std::size_t kFewLooks = 16;
  std::vector<Look> looks_;  ///< the last ones
  Look dropped_;             ///< the line that was dropped from the data cache last
  Look loaded_;              ///< the last load of global memory by the scalar unit
  bool words_follow_ = false;
  bool stores_pass_the_cache_ = false;
  bool beside_others_ = false;  ///< else the cores run their blocks one after the other
  Stamp begun_ = 0;             ///< the last access before the block
};

}  // namespace davsim::checker
