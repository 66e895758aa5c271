// The texts of the findings of a core.
#include <algorithm>

#include "checker/core_checker.hpp"
#include "checker/operand_overlap.hpp"
#include "observe/cycle_classes.hpp"

namespace davsim::checker {

using isa::Opcode;
using isa::Pipe;
using isa::Space;

namespace {

std::string pipe_text(Pipe pipe) {
  return std::string(isa::pipe_name(pipe));
}

std::string mnemonic(Opcode op) {
  return std::string(isa::info(op).mnemonic);
}

/// "between lines 41 and 47", or "in line 41" if both lines are the same. With file names if the
/// lines are in different files.
std::string between(const isa::SourceLocation& a, const isa::SourceLocation& b) {
  if (std::string_view(a.file_name()) == b.file_name()) {
    if (a.line() == b.line()) return " in line " + std::to_string(a.line());
    return " between lines " + std::to_string(a.line()) + " and " + std::to_string(b.line());
  }
  return " between " + observe::short_line(a) + " and " + observe::short_line(b);
}

}  // namespace

Place CoreChecker::place_of_mark(const Mark& mark, bool writes) const {
  const Site& site = run_.sites[mark.site];
  return {run_.core_names[core_of(mark.agent)], pipe_text(pipe_of(mark.agent)), mnemonic(site.op),
          writes ? "writes" : "reads", site.where};
}

Occurrence CoreChecker::at(const Current& current, Class cls) {
  Occurrence made;
  made.cls = cls;
  made.stamp = current.mark.stamp;
  made.second = current.where;
  made.second_pipe = current.pipe;
  return made;
}

Occurrence CoreChecker::behind(const Mark& old, const Current& current, Class cls) const {
  Occurrence made = at(current, cls);
  made.first = run_.sites[old.site].where;
  made.first_pipe = pipe_of(old.agent);
  return made;
}

std::string CoreChecker::origin(const isa::Operand& operand) const {
  Room room;
  std::int64_t from_start = 0;
  if (operand.space == Space::kGm) {
    room = room_of(operand);
    from_start = static_cast<std::int64_t>(operand.addr - room.start);
  } else if (const BufferTable::Buffer* buffer = buffer_of(operand)) {
    room = {buffer->made.addr, buffer->end(), "the " + buffer->name()};
    // Offsets of tensors are whole numbers of 32 bits, in which a negative one is a large one.
    from_start = static_cast<std::int32_t>(operand.addr - buffer->made.addr);
  }
  if (room.end == 0) return {};
  if (from_start < 0) {
    return std::to_string(-from_start) + " bytes before the start of " + room.name;
  }
  const auto bytes = static_cast<std::int64_t>(room.end - room.start);
  if (from_start < bytes) return {};
  return std::to_string(from_start - bytes) + " bytes behind the end of " + room.name;
}

Finding CoreChecker::finding_at(const Current& current, const Bytes& bytes, bool writes,
                                std::string message) const {
  Finding finding;
  finding.message = std::move(message);
  finding.kernel = run_.kernel;
  finding.space = isa::space_name(bytes.space);
  finding.addr = bytes.addr;
  finding.bytes = bytes.bytes;
  if (bytes.space == Space::kGm) {
    if (const GlobalShadow::Region* region = run_.global.find(bytes.addr)) {
      finding.addr -= region->start;
      finding.tensor = "allocation '" + region->name + "'";
    }
  } else if (bytes.operand != nullptr) {
    const BufferTable::Buffer* buffer = buffer_of(*bytes.operand);
    if (buffer != nullptr) finding.tensor = buffer->name();
  }
  finding.second = {run_.core_names[core_], pipe_text(current.pipe), mnemonic(current.op),
                    writes ? "writes" : "reads", current.where};
  return finding;
}

std::string CoreChecker::missing_edge(const Place& first, const Place& second) const {
  if (first.core != second.core) {
    return "nothing orders " + first.pipe + " of " + first.core + " and " + second.pipe + " of " +
           second.core + between(first.where, second.where) +
           ": a flag between the cores, SyncAll, or IBSet and IBWait would";
  }
  if (first.pipe == second.pipe) {
    return "no PipeBarrier<PIPE_" + first.pipe + ">" + between(first.where, second.where);
  }
  return "no flag from " + first.pipe + " to " + second.pipe + between(first.where, second.where);
}

/// An occurrence between two cores that came by the same lines, as if one core had made both
/// accesses: what orders them there is between their steps, and in the same stretch. Without an end
/// if the two cannot be compared.
Way CoreChecker::way_between_cores(const Mark& old, const Current& current) const {
  const CoreOrder& other = run_.cores[core_of(old.agent)]->order_;
  const auto pair =
      Course::pair_of(order_.course(), order_.position(place_of(current.mark.agent)),
                      other.course(), other.position_of(place_of(old.agent), old.stamp));
  if (!beside_others_ || !pair) return {};
  const auto [first, second] = std::minmax(pair->own, pair->other);
  return {pair->stretch, {old.stamp, first}, {current.mark.stamp, second}};
}

/// The access that came first in the run may be the one that is too early. The missing edge starts
/// at the access that is first in the kernel.
void CoreChecker::race(const Current& current, const Bytes& bytes, bool writes, const Mark& old,
                       bool old_writes) {
  const bool own = core_of(old.agent) == core_, earlier_block = own && old.stamp <= begun_;
  Occurrence made;
  made.stamp = current.mark.stamp;
  made.first = run_.sites[old.site].where;
  made.second = current.where;
  made.first_pipe = pipe_of(old.agent);
  made.second_pipe = current.pipe;
  made.shared = !own ? Shared::kNothing : earlier_block ? Shared::kCore : Shared::kBlock;
  bool swapped = false;
  if (made.shared == Shared::kNothing) {
    made.way = way_between_cores(old, current);
    if (bytes.space == isa::Space::kGm) made.moved = writes ? bytes.bytes : read_bytes(current);
  }
  if (made.shared == Shared::kBlock) {
    made.way = {core_,
                {old.stamp, order_.position_of(place_of(old.agent), old.stamp), old_writes},
                {made.stamp, order_.position(place_of(current.mark.agent)), writes}};
    swapped = made.way.first.position > made.way.second.position;
  }
  if (swapped) {
    std::swap(made.first, made.second);
    std::swap(made.first_pipe, made.second_pipe);
    std::swap(made.way.first, made.way.second);
  }
  run_.findings.add(made, [&] {
    Finding finding = finding_at(current, bytes, writes, "");
    finding.first = place_of_mark(old, old_writes);
    if (swapped) std::swap(finding.first, finding.second);
    finding.message = earlier_block ? "nothing orders two blocks" +
                                          between(finding.first.where, finding.second.where) +
                                          ": they came one after the other because one core "
                                          "happened to run both"
                                    : missing_edge(finding.first, finding.second);
    return finding;
  });
}

void CoreChecker::uninitialised(const Current& current, const Bytes& bytes) {
  run_.findings.add(at(current, Class::kUninitialised),
                    [&] { return unwritten_read(current, bytes); });
}

Finding CoreChecker::unwritten_read(const Current& current, const Bytes& bytes) const {
  const bool atomic = (current.mark.traits & kAtomicBits) != 0;
  return finding_at(current, bytes, atomic,
                    (atomic ? "SetAtomic is on for this store: it adds to " : "reads ") +
                        std::to_string(bytes.bytes) + " bytes that nobody wrote");
}

/// Reports the read at `site`, whose results the current access uses.
void CoreChecker::uses_unset(const Current& current, std::uint16_t site) {
  UnwrittenRead& read = run_.unwritten_reads.at(site);
  read.occurrence.stamp = current.mark.stamp;
  run_.findings.add(read.occurrence, [&] {
    Finding finding = read.finding;
    finding.message += "; " + mnemonic(current.op) + " at " + observe::short_line(current.where) +
                       " uses what comes of them";
    return finding;
  });
}

void CoreChecker::overrun(const Current& current, const Bytes& bytes, bool writes,
                          const Room& room) {
  run_.findings.add(at(current, Class::kOverrun), [&] {
    const std::uint64_t past = bytes.addr + bytes.bytes;
    const std::string how =
        past > room.end ? std::to_string(past - room.end) + " bytes beyond the end of "
                        : std::to_string(room.start - bytes.addr) + " bytes before the start of ";
    return finding_at(current, bytes, writes, (writes ? "writes " : "reads ") + how + room.name);
  });
}

void CoreChecker::cut_overlap(const Current& current, const isa::Access& access,
                              const Mark& taken) {
  run_.findings.add(behind(taken, current, Class::kOverlap), [&] {
    const Bytes bytes{access.space, access.low(), access.high() - access.low(), access.operand};
    Finding finding = finding_at(
        current, bytes, false,
        "a part of what was written here was overwritten through another tensor, cut from the "
        "same buffer by offset, before it was read: the two overlap, or one is overrun");
    finding.first = place_of_mark(taken, true);
    return finding;
  });
}

void CoreChecker::overlap(const Current& current, const Bytes& bytes, const Mark& old,
                          std::uint16_t other) {
  const BufferTable::Buffer* covering = buffers_.find(other);
  if (covering == nullptr) return;
  run_.findings.add(behind(old, current, Class::kOverlap), [&] {
    Finding finding =
        finding_at(current, bytes, false,
                   covering->reserved()
                       ? "what was written here is lost: it lies in the " + covering->name()
                       : "what was written here was overwritten through the " + covering->name() +
                             ", which lies on the same bytes, before it was read");
    finding.first = place_of_mark(old, true);
    return finding;
  });
}

/// If an instruction writes a place twice, its first write is lost, unless it adds.
void CoreChecker::check_results(const Current& current) {
  if ((current.mark.traits & kAtomicBits) != 0) return;
  for (const isa::Access& access : accesses_) {
    if (!access.writes() || !meets_itself(access)) continue;
    run_.findings.add(at(current, Class::kOverlap), [&] {
      const Bytes bytes{access.space, access.low(), access.high() - access.low(), access.operand};
      return finding_at(current, bytes, true,
                        "its runs of " + std::to_string(access.bytes) +
                            " bytes lie on each other in part: a stride is too short");
    });
    return;
  }
}

void CoreChecker::check_operands(const Current& current, const isa::DecodedInstr& instr) {
  std::string wrong = operand_overlap(instr, accesses_);
  if (wrong.empty()) return;
  run_.findings.add(at(current, Class::kOverlap), [&] {
    for (const isa::Access& access : accesses_) {
      if (!access.writes() || access.space != isa::Space::kUb) continue;
      const Bytes bytes{access.space, access.low(), access.high() - access.low(), access.operand};
      return finding_at(current, bytes, true, std::move(wrong));
    }
    return finding_at(current, {}, true, std::move(wrong));
  });
}

void CoreChecker::stale(const Current& current, const Bytes& bytes, bool writes, const Mark& old,
                        std::string message) {
  run_.findings.add(behind(old, current, Class::kStale), [&] {
    Finding finding = finding_at(current, bytes, writes, std::move(message));
    finding.first = place_of_mark(old, true);
    return finding;
  });
}

void CoreChecker::made_numbers(const isa::Instr& instr, const NumberEvent& event) {
  const auto add = [&](const std::string& message) {
    misuse(instr.op, instr.pipe, {}, instr.where, Class::kNumber, message);
  };
  if (event.nonfinite > 0) {
    add("makes " + std::to_string(event.nonfinite) + " NaN or infinities from finite numbers");
  } else {
    add(std::to_string(event.saturated) + " numbers are beyond what " +
        std::string(isa::dtype_name(instr.dst.type)) + " holds");
  }
}

void CoreChecker::misuse(Opcode op, Pipe pipe, const Loss& loss, isa::SourceLocation where,
                         Class cls, std::string message) {
  // Each call is one occurrence.
  Occurrence made;
  made.cls = cls;
  made.stamp = ++run_.last;
  made.first = loss.where;
  made.second = where;
  made.second_pipe = pipe;
  run_.findings.add(made, [&] {
    Finding finding;
    finding.message = std::move(message);
    finding.kernel = run_.kernel;
    const std::string instruction = op == Opcode::kScalarOp ? "" : mnemonic(op);
    finding.second = {run_.core_names[core_], pipe_text(pipe), instruction, "", where};
    if (loss.where.line() != 0) {
      finding.first = {run_.core_names[core_], "", loss.call, "", loss.where};
    }
    return finding;
  });
}

}  // namespace davsim::checker
