#include "sim/core/scalar_cost.hpp"

#include <algorithm>
#include <cstdint>

namespace davsim::sim {
namespace {

using isa::ScalarClass;
using isa::ScalarForm;

/// The bytes of an instruction of the scalar unit.
constexpr double kInstructionBytes = 4;
constexpr std::uint64_t kCodeBytesMask = (std::uint64_t{1} << isa::kCodeBytesBits) - 1;

/// Whether a move needs what DataCopyPad packs: rows that are no whole DataBlocks, or padding.
bool is_padded(const isa::MoveParams& move) {
  return move.pad || move.left_pad != 0 || move.right_pad != 0 ||
         move.burst_bytes % isa::kBlockBytes != 0;
}

ScalarForm form_of(const isa::Instr& instr) {
  if (const auto* vector = std::get_if<isa::VectorParams>(&instr.params)) {
    return vector->mask_mode == isa::MaskMode::kCounter ? ScalarForm::kVectorCount
                                                        : ScalarForm::kVector;
  }
  if (const auto* move = std::get_if<isa::MoveParams>(&instr.params)) {
    if (instr.opcode_info().unit == isa::Unit::Vector) return ScalarForm::kVector;
    return is_padded(*move) ? ScalarForm::kMovePad : ScalarForm::kMove;
  }
  switch (instr.opcode_info().unit) {
    case isa::Unit::Vector:
      return ScalarForm::kVector;
    case isa::Unit::Cube:
      return ScalarForm::kMmad;
    case isa::Unit::Load:
      return ScalarForm::kLoad;
    case isa::Unit::Dma:
      return ScalarForm::kFractalMove;
    case isa::Unit::Fixpipe:
      return ScalarForm::kFixpipe;
    case isa::Unit::Sync:
      return ScalarForm::kSync;
    case isa::Unit::Scalar:
      break;
  }
  return ScalarForm::kRegister;
}

/// As std::round() of a number that is not negative. std::round() is a call of the library, because
/// not every host has an instruction for it.
double rounded(double number) {
  return static_cast<double>(static_cast<std::uint64_t>(number + 0.5));
}

bool needs_loads(const isa::ScalarWork& work) {
  const auto count = [&](ScalarClass which) { return work.own[static_cast<std::size_t>(which)]; };
  return count(ScalarClass::kBranch) != 0 || count(ScalarClass::kFloat) != 0 ||
         count(ScalarClass::kFloatDivide) != 0 || count(ScalarClass::kMultiply) != 0 ||
         count(ScalarClass::kDivide) != 0 || count(ScalarClass::kStore) != 0;
}

bool branches(const isa::ScalarWork& work) {
  return work.own[static_cast<std::size_t>(ScalarClass::kBranch)] != 0 ||
         work.own[static_cast<std::size_t>(ScalarClass::kCall)] != 0;
}

}  // namespace

void ScalarCosts::begin_block(bool takes_time) {
  isa::take_scalar_work();  // host code may have counted
  place_ = 0;
  takes_time_ = takes_time;
  counts_ = false;
  entered_ = false;
  rest_ = 0;
}

Cycle ScalarCosts::whole(double cycles) {
  const double exact = rest_ + cycles * timing_.work;
  if (exact < 0) {  // constants of loads may be below those of the data cache, or above
    rest_ = exact;
    return 0;
  }
  const auto spent = static_cast<Cycle>(exact);
  rest_ = exact - static_cast<double>(spent);
  return spent;
}

ScalarCost ScalarCosts::cost(ScalarForm form) {
  const isa::ScalarWork work = isa::take_scalar_work();
  if (work.place != 0 && takes_time_) place_ = work.place;
  ScalarCost result;
  if (place_ == 0 || timing_.work == 0) return result;
  double cycles = 0, bookkeeping = 0, code = 0, lines = 0;
  const auto book = [&](const ScalarCallTiming& call, double times) {
    bookkeeping += times * call.instructions;
    code += times * call.instructions * call.code;
    lines += times * call.stack_lines;
  };
  if (work.counted) {
    for (std::size_t i = 0; i < work.own.size(); ++i) cycles += work.own[i] * timing_.own[i];
    result.uses_loads = needs_loads(work);
    result.jumps = branches(work);
  }
  if (work.called) {
    for (std::size_t i = 0; i < work.calls.size(); ++i) book(timing_.calls[i], work.calls[i]);
  }
  if (!entered_) {
    entered_ = true;
    book(timing_.entry, 1);
  }
  const double call = timing_.forms[static_cast<std::size_t>(form)];
  result.before = whole(cycles + bookkeeping * timing_.instruction + lines * timing_.stack_line);
  result.call = whole(call * timing_.instruction);
  result.place = place_;
  const double own_bytes = work.place != 0 ? static_cast<double>(work.place & kCodeBytesMask) : 0;
  result.code_bytes =
      static_cast<std::uint32_t>(own_bytes + kInstructionBytes * rounded(1 + call + code));
  return result;
}

Cycle ScalarCosts::own_work() {
  counts_ = true;
  double cycles = 0;
  const auto own = isa::take_own_work();
  for (std::size_t i = 0; i < own.size(); ++i) {
    cycles += static_cast<double>(own[i]) * timing_.own[i];
  }
  return whole(cycles);
}

ScalarCost ScalarCosts::next(const isa::Instr& instr) {
  return cost(form_of(instr));
}

ScalarCost ScalarCosts::next(ScalarForm form) {
  return cost(form);
}

ScalarCost ScalarCosts::next_region() {
  ScalarCost result = cost(ScalarForm::kRegion);
  result.is_region = true;
  return result;
}

}  // namespace davsim::sim
