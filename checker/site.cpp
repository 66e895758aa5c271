#include "checker/site.hpp"

#include "isa/instr/lasting_location.hpp"

namespace davsim::checker {

std::uint16_t Sites::number(isa::Opcode op, isa::SourceLocation where) {
  const Key key{where.file_name(), where.line(), op};
  Known& recent = recent_[Hash{}(key) >> (64 - kRecentBits)];
  if (key == recent.key) return recent.number;
  if (sites_.size() == kMostSites && !numbers_.contains(key)) return 0;
  const auto [known, added] = numbers_.try_emplace(key, static_cast<std::uint16_t>(sites_.size()));
  if (added) sites_.push_back({op, isa::lasting(where)});
  recent = {key, known->second};
  return known->second;
}

}  // namespace davsim::checker
