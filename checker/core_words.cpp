// Words in global memory through which cores wait for each other: IBSet and IBWait, SyncAll with a
// workspace, blocks that take turns. No other synchronisation orders the accesses to these words.
// They order the other accesses.
#include "checker/core_checker.hpp"
#include "isa/exec/accesses.hpp"

namespace davsim::checker {
namespace {

/// Marks the cells of an access as written and changes nothing else.
struct Writing {
  void change(Cell& cell, const Shadow::Run&) { cell.written = true; }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

/// The first byte that no access has written, and the number of such bytes.
struct Unwritten {
  std::uint64_t from = 0, bytes = 0;
  void change(const Cell&, const Shadow::Run&) {}
  void unset(std::uint64_t begin, std::uint64_t end, std::uint16_t) {
    if (bytes == 0) from = begin;
    bytes += end - begin;
  }
};

}  // namespace

/// A word carries the clock of its writer from the start of the write.
void CoreChecker::write_word(const isa::Instr& instr) {
  const isa::GmFootprint print = isa::gm_footprint(instr);
  if (!print.write) return;
  run_.words[print.addr].join_from(order_.published(isa::Pipe::S));
  Writing writing;
  visit_words(print.addr, print.bytes(), writing);
}

/// The reader polls. At the end of the last poll it merges the clocks of the words into its own.
void CoreChecker::read_word(const isa::DecodedInstr& instr) {
  const isa::GmFootprint print = isa::gm_footprint(instr);
  if (print.write) return;
  Unwritten unwritten;
  if (const GlobalShadow::Region* region = visit_words(print.addr, print.bytes(), unwritten);
      region != nullptr && unwritten.bytes > 0) {
    uninitialised(current_of(instr),
                  {isa::Space::kGm, region->start + unwritten.from, unwritten.bytes, &instr.src0});
  }
  learn_words(print.addr, print.bytes());
}

/// Merges the clocks of the words in [addr, addr + bytes) into the scalar unit's.
void CoreChecker::learn_words(std::uint64_t addr, std::uint64_t bytes) {
  const auto end = run_.words.lower_bound(addr + bytes);
  for (auto word = run_.words.lower_bound(addr); word != end; ++word) {
    order_.learn(isa::Pipe::S, word->second);
  }
}

/// Calls `visitor` for the cells of words in one allocation. Returns nullptr if they are in
/// several.
template <class Visitor>
const GlobalShadow::Region* CoreChecker::visit_words(std::uint64_t addr, std::uint64_t bytes,
                                                     Visitor& visitor) {
  GlobalShadow::Region* region = run_.global.find(addr);
  if (region == nullptr || bytes > region->bytes - (addr - region->start)) return nullptr;
  region->shadow.update({++run_.accesses, isa::Access::kWholeBlocks}, addr - region->start, bytes,
                        visitor);
  return region;
}

}  // namespace davsim::checker
