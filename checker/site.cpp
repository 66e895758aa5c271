#include "checker/site.hpp"

namespace davsim::checker {

std::uint16_t Sites::number(isa::Opcode op, isa::SourceLocation where) {
  const Key key{where.file_name(), where.line(), op};
  if (key == last_) return last_number_;
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) {
    last_ = key;
    return last_number_ = known->second;
  }
  if (sites_.size() == kMostSites) return 0;
  const auto number = static_cast<std::uint16_t>(sites_.size());
  sites_.push_back({op, where});
  numbers_.emplace(key, number);
  return number;
}

}  // namespace davsim::checker
