#include "checker/numbers.hpp"

#include <cmath>

#include "checker/number_at.hpp"
#include "checker/saturation.hpp"
#include "isa/instr/opcode_facts.hpp"

namespace davsim::checker {
namespace {

using isa::Access;
using isa::DType;

bool adds_atomically(const isa::Instr& instr) {
  const auto* move = std::get_if<isa::MoveParams>(&instr.params);
  return move != nullptr && move->atomic == isa::AtomicOp::kAdd;
}

/// Whether an instruction computes numbers. Moves and fills do not.
bool computes(const isa::Instr& instr) {
  return isa::facts(instr.op).numbers != isa::Numbers::kExact || adds_atomically(instr);
}

std::uint64_t nonfinite(const isa::CoreMemory& memory, const Access& access, DType type) {
  std::uint64_t count = 0;
  for_each_number(memory, access, type, [&](double value) { count += !std::isfinite(value); });
  return count;
}

}  // namespace

void Numbers::issued(const isa::DecodedInstr& instr, const isa::AccessList& accesses) {
  if (!computes(instr)) return;
  Pending pending;
  for (const Access& access : accesses) {
    // An atomic addition also reads its destination.
    const bool reads = !access.writes() || adds_atomically(instr);
    if (!reads || access.operand == nullptr || !pending.finite) continue;
    if (is_float(access.operand->type)) {
      pending.finite = nonfinite(memory_, access, access.operand->type) == 0;
    }
  }
  pending.saturated = saturated(instr, memory_, accesses);
  pending_[static_cast<std::size_t>(instr.pipe)].push_back(pending);
}

NumberEvent Numbers::ended(const isa::DecodedInstr& instr, isa::AccessList& accesses) {
  auto& queue = pending_[static_cast<std::size_t>(instr.pipe)];
  if (!computes(instr) || queue.empty()) return {};
  const Pending pending = queue.front();
  queue.pop_front();
  NumberEvent event{0, pending.saturated};
  if (!pending.finite || !is_float(instr.dst.type)) return event;
  isa::list_accesses(instr, memory_, accesses);
  for (const Access& access : accesses) {
    if (!access.writes() || access.operand == nullptr) continue;
    event.nonfinite += nonfinite(memory_, access, access.operand->type);
  }
  return event;
}

}  // namespace davsim::checker
