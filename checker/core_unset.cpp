// Results that are computed from bytes that nobody wrote. An instruction that works lane by lane or
// row by row, or only moves elements, may run over the end of what a kernel has loaded: that is a
// mistake only if something uses these results. So the results are marked with the site of the
// read, and the read is reported when they are stored in global memory, loaded by the scalar unit,
// or read by an instruction whose other results depend on them.
#include <algorithm>

#include "checker/core_checker.hpp"
#include "isa/exec/carried_bytes.hpp"
#include "isa/exec/vector/lane_flow.hpp"

namespace davsim::checker {

using isa::Access;
using isa::Space;

namespace {

/// Marks what was written without a value.
struct Unsetting {
  std::uint16_t site;
  void change(Cell& cell, const Shadow::Run&) const { cell.made_of_unwritten = site; }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

}  // namespace

/// Whether each result of the current instruction depends on its own part of the access alone. A
/// site without a number cannot be a mark.
bool CoreChecker::passes_on(const Current& current, const Access& access) {
  return current.instr != nullptr && current.mark.site != 0 &&
         (isa::flows_by_lanes(*current.instr, access.operand) ||
          isa::carries(*current.instr, access.operand));
}

/// Of a line that reads bytes that nobody wrote, other results are used: it is no idle line.
void CoreChecker::note_user(const Cell& cell) {
  if (!cell.set()) return;
  const auto read = run_.unwritten_reads.find(cell.write.site);
  if (read != run_.unwritten_reads.end()) read->second.has_users = true;
}

/// The site that has read first what the instruction reads without a value: that of its other
/// operand, if there is one, which has come by the end of the same tile before.
std::uint16_t CoreChecker::first_site(const Current& current) {
  const auto earlier = std::find_if(unset_.begin(), unset_.end(),
                                    [](const Unset& unset) { return unset.site != 0; });
  if (earlier != unset_.end()) return earlier->site;
  const Unset& unset = unset_.front();
  const Space space = unset.operand == nullptr ? current.instr->src0.space : unset.operand->space;
  run_.unwritten_reads.try_emplace(
      current.mark.site,
      UnwrittenRead{at(current, Class::kUninitialised),
                    unwritten_read(current, {space, unset.from, unset.bytes(), unset.operand})});
  return current.mark.site;
}

void CoreChecker::mark_unset_results(const Current& current) {
  const isa::DecodedInstr& instr = *current.instr;
  Unsetting unsetting{first_site(current)};
  const Shadow::Part part{++run_.accesses, Access::kWholeBlocks};
  const auto mark = [&](Space space, std::uint64_t addr, std::uint64_t bytes) {
    local_[static_cast<std::size_t>(space)].update(part, addr, bytes, unsetting);
  };
  while (!unset_.empty()) {
    const isa::Operand* const operand = unset_.back().operand;
    isa::ByteRanges ranges;
    std::erase_if(unset_, [&](const Unset& unset) {
      if (unset.operand == operand) ranges.emplace_back(unset.from, unset.to);
      return unset.operand == operand;
    });
    if (isa::carries(instr, operand)) {
      isa::for_each_carried(
          instr, memory_, operand, ranges,
          [&](std::uint64_t addr, std::uint64_t bytes) { mark(instr.dst.space, addr, bytes); });
      continue;
    }
    for (const auto& [from, to] : ranges) {
      isa::for_each_result_of(instr, {operand, from, to}, mark);
    }
  }
}

}  // namespace davsim::checker
