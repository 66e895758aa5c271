#include "sim/core/short_copies.hpp"

#include "observe/cycle_classes.hpp"

namespace davsim::sim {

void ShortCopies::took(std::uint64_t bytes, std::uint64_t moved, isa::SourceLocation where,
                       isa::CoreWatcher* watcher) {
  if (!first_) first_ = {bytes, moved, where};
  if (watcher == nullptr) return;
  watcher->misused(isa::Misuse::kLength,
                   "DataCopy moves " + std::to_string(moved) + " of the " + std::to_string(bytes) +
                       " bytes that it is asked for, which are no whole DataBlocks of 32 bytes: "
                       "DataCopyPad moves any length",
                   where);
}

std::string ShortCopies::first() const {
  if (!first_) return {};
  return "copies " + std::to_string(first_->moved) + " of " + std::to_string(first_->bytes) +
         " bytes at " + observe::short_line(first_->where) +
         ", because DataCopy moves whole DataBlocks of 32 bytes";
}

}  // namespace davsim::sim
