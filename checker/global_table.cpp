#include "checker/global_table.hpp"

#include "observe/cycle_classes.hpp"

namespace davsim::checker {

std::uint16_t GlobalTable::add(const isa::GlobalBuffer& tensor) {
  if (tensors_.size() >= UINT16_MAX) return 0;
  const auto [known, added] =
      numbers_.try_emplace(tensor, static_cast<std::uint16_t>(tensors_.size() + 1));
  if (added) tensors_.push_back(tensor);
  return known->second;
}

const isa::GlobalBuffer* GlobalTable::find(const isa::Operand& operand) const {
  if (operand.space != isa::Space::kGm || operand.buffer == 0) return nullptr;
  return operand.buffer > tensors_.size() ? nullptr : &tensors_[operand.buffer - 1];
}

void GlobalTable::clear() {
  tensors_.clear();
  numbers_.clear();
}

std::string name_of(const isa::GlobalBuffer& tensor) {
  return "GlobalTensor of " + observe::short_line(tensor.where);
}

}  // namespace davsim::checker
