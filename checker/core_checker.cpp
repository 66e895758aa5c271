#include "checker/core_checker.hpp"

#include <algorithm>

#include "isa/core/library_workspace.hpp"
#include "isa/exec/accesses.hpp"

namespace davsim::checker {

using isa::Access;
using isa::Opcode;
using isa::Pipe;
using isa::Space;

namespace {

/// The blocks of L0C of an instruction with the unit flag.
constexpr std::uint64_t kBlockBytes = 512;
/// By its documentation, an Mmad with a result of this many fractals needs no barrier before the
/// next Mmad.
constexpr std::uint32_t kLongFractals = 10;

std::uint16_t atomic_trait(isa::AtomicOp op) {
  switch (op) {
    case isa::AtomicOp::kNone:
      return kPlain;
    case isa::AtomicOp::kAdd:
      return kAtomicAdd;
    case isa::AtomicOp::kMax:
      return kAtomicMax;
    case isa::AtomicOp::kMin:
      return kAtomicMin;
  }
  return kPlain;
}

std::uint16_t traits_of(const isa::Instr& instr) {
  if (const auto* move = std::get_if<isa::MoveParams>(&instr.params)) {
    return atomic_trait(move->atomic);
  }
  if (const auto* fixpipe = std::get_if<isa::FixpipeInstrParams>(&instr.params)) {
    return atomic_trait(fixpipe->atomic);
  }
  if (const auto* mmad = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    const std::uint32_t fractals = (mmad->m + 15u) / 16 * ((mmad->n + 15u) / 16);
    return fractals >= kLongFractals ? kLongMmad : kPlain;
  }
  return kPlain;
}

isa::UnitFlag unit_flag_of(const isa::Instr& instr) {
  if (const auto* mmad = std::get_if<isa::MmadInstrParams>(&instr.params)) return mmad->unit_flag;
  const auto* fixpipe = std::get_if<isa::FixpipeInstrParams>(&instr.params);
  return fixpipe == nullptr ? isa::UnitFlag::kOff : fixpipe->unit_flag;
}

bool touches_gm(const isa::Instr& instr) {
  return instr.dst.space == Space::kGm || instr.src0.space == Space::kGm;
}

}  // namespace

CoreChecker::CoreChecker(RunState& run, std::uint32_t core, const isa::CoreMemory& memory)
    : run_(run), core_(core), memory_(memory), order_(core), numbers_(memory) {
  for (std::size_t space = 0; space < isa::kSpaceCount; ++space) {
    const auto id = static_cast<Space>(space);
    // Registers count as written from the start.
    if (id != Space::kGm) local_[space] = Shadow(memory.size(id), id == Space::kSpr);
  }
  blocks_.resize(memory.size(Space::kL0C) / kBlockBytes);
}

void CoreChecker::end_block() {
  const Stamp stamp = ++run_.last;
  order_.accessed(static_cast<std::uint32_t>(Pipe::S), stamp, {});
  cache_.end_block(stamp);
}

void CoreChecker::begin_block(bool in_order) {
  begun_ = run_.last;
  beside_others_ = in_order;
  report_lost_sets();
  order_.begin_block(in_order);
  buffers_.clear();
  globals_.clear();
  cuts_.clear();
  cache_.clean(0, 0);
  for (Shadow& shadow : local_) shadow.clear();
  words_follow_ = stores_pass_the_cache_ = false;
  looks_.clear();
  std::fill(blocks_.begin(), blocks_.end(), Block{});
  numbers_.clear();
}

void CoreChecker::report_lost_sets() {
  order_.for_each_lost([&](const isa::CrossCoreFlagParams& flag, isa::SourceLocation where) {
    misuse(Opcode::kCrossCoreSetFlag, Pipe::S, {}, where, Class::kFlag,
           "the set of cross-core flag " + std::to_string(flag.id) + " of mode " +
               std::to_string(flag.mode) + " never raised it: other cores did not set it as often");
  });
}

// --- buffers -------------------------------------------------------------------------------------

std::uint16_t CoreChecker::buffer_made(const isa::LocalBuffer& buffer) {
  return buffers_.add(buffer);
}

std::uint16_t CoreChecker::global_made(const isa::GlobalBuffer& tensor) {
  return globals_.add(tensor);
}

void CoreChecker::buffer_passed(std::uint16_t buffer, isa::BufferOwner to,
                                isa::SourceLocation where) {
  buffers_.pass(buffer, to, where);
}

void CoreChecker::buffers_forgotten(bool reset, isa::SourceLocation where) {
  buffers_.forget_owners([&](const BufferTable::Buffer& buffer) {
    misuse(Opcode::kScalarOp, Pipe::S, {}, buffer.passed, Class::kQueue,
           "the tensor of the " + buffer.name() +
               " is never freed: FreeTensor must follow before the TPipe ends or is reset");
  });
  if (reset) buffers_.reset(where);
}

void CoreChecker::misused(isa::Misuse kind, std::string_view rule, isa::SourceLocation where) {
  const Class cls = kind == isa::Misuse::kTensor ? Class::kQueue : Class::kFault;
  misuse(Opcode::kScalarOp, Pipe::S, {}, where, cls, std::string(rule));
}

/// Reports a tensor that has been returned to its queue or released by the TPipe.
void CoreChecker::used_after_loss(const BufferTable::Buffer& buffer, Opcode op, Pipe pipe,
                                  isa::SourceLocation where) {
  const bool reset = buffer.released();
  const Loss loss = reset ? Loss{"Reset", buffer.reset} : Loss{"FreeTensor", buffer.passed};
  misuse(op, pipe, loss, where, Class::kQueue,
         "the tensor of the " + buffer.name() + " is used after " +
             (reset ? "the TPipe's " : "its ") + loss.call + " in line " +
             std::to_string(loss.where.line()));
}

// --- order ---------------------------------------------------------------------------------------

void CoreChecker::dispatched(const isa::Instr& instr) {
  order_.dispatch(instr.pipe, instr.where);
  if (instr.op == Opcode::kCrossCoreWaitFlag) order_.meet_others();
  for (const isa::Operand* operand : {&instr.dst, &instr.src0, &instr.src1}) {
    check_owned(*operand, instr.op, instr.pipe, instr.where);
  }
}

void CoreChecker::drained(isa::SourceLocation) {
  order_.drained();
}

void CoreChecker::issue_sync(const isa::Instr& instr) {
  switch (instr.op) {
    case Opcode::kSetFlag:
      return order_.set_flag(std::get<isa::FlagParams>(instr.params));
    case Opcode::kWaitFlag:
      return order_.wait_flag(std::get<isa::FlagParams>(instr.params));
    case Opcode::kPipeBarrier:
      return order_.barrier(instr.pipe);
    case Opcode::kCrossCoreSetFlag:
      return order_.set_cross(std::get<isa::CrossCoreFlagParams>(instr.params), instr.pipe,
                              instr.where);
    case Opcode::kCrossCoreWaitFlag:
      return order_.wait_cross(std::get<isa::CrossCoreFlagParams>(instr.params).id, instr.pipe);
    default:
      return;
  }
}

void CoreChecker::issued(const isa::DecodedInstr& instr) {
  if (instr.pipe != Pipe::S) order_.start(instr.pipe);
  const isa::Unit unit = instr.opcode_info().unit;
  if (unit == isa::Unit::Sync) return issue_sync(instr);
  if (unit == isa::Unit::Scalar) return;
  if (words_follow_ && touches_gm(instr)) return write_word(instr);
  isa::list_accesses(instr, memory_, accesses_);
  const isa::UnitFlag unit_flag = unit_flag_of(instr);
  if (unit_flag != isa::UnitFlag::kOff) take_blocks(instr);
  const Current current = current_of(instr);
  if (unit == isa::Unit::Fixpipe || unit == isa::Unit::Dma) check_results(current);
  bool inside = true;
  if (unit == isa::Unit::Dma) note_look(current);
  for (const Access& access : accesses_) inside = check_access(current, access) && inside;
  if (!unset_.empty()) mark_unset_results(current);
  if (inside) check_cuts(current);
  if (inside && unit == isa::Unit::Vector) check_operands(current, instr);
  if (unit_flag == isa::UnitFlag::kToggle) hand_blocks_over(instr);
  if (run_.numbers) numbers_.issued(instr, accesses_);
}

void CoreChecker::ended(const isa::DecodedInstr& instr) {
  if (words_follow_ && touches_gm(instr)) return read_word(instr);
  if (!run_.numbers) return;
  const NumberEvent event = numbers_.ended(instr, accesses_);
  if (event.nonfinite + event.saturated > 0) made_numbers(instr, event);
}

template <class Visit>
void CoreChecker::for_each_block(Visit visit) {
  for (const Access& access : accesses_) {
    if (access.space != Space::kL0C) continue;
    const std::uint64_t end = access.at(access.groups - 1, access.rows - 1) + access.bytes;
    for (std::uint64_t block = access.addr / kBlockBytes;
         block < blocks_.size() && block * kBlockBytes < end; ++block) {
      visit(blocks_[block]);
    }
  }
}

/// With the unit flag, an instruction waits until the other pipe has released its blocks.
void CoreChecker::take_blocks(const isa::Instr& instr) {
  const bool from_cube = instr.pipe == Pipe::FIX;
  const Clock* last = nullptr;
  for_each_block([&](Block& block) {
    const auto& clock = from_cube ? block.from_cube : block.from_fixpipe;
    if (clock != nullptr && clock.get() != last) order_.learn(instr.pipe, *clock);
    last = clock.get();
  });
}

void CoreChecker::hand_blocks_over(const isa::Instr& instr) {
  const auto clock = std::make_shared<const Clock>(order_.published(instr.pipe));
  for_each_block([&](Block& block) {
    (instr.pipe == Pipe::M ? block.from_cube : block.from_fixpipe) = clock;
  });
}

CoreChecker::Current CoreChecker::current_of(const isa::DecodedInstr& instr) {
  Current current;
  current.instr = &instr;
  current.pipe = instr.pipe;
  current.clock = &order_.clock(instr.pipe);
  current.where = instr.where;
  current.op = instr.op;
  const auto place = static_cast<std::uint32_t>(instr.pipe);
  current.mark.stamp = ++run_.last;
  current.mark.agent = agent_of(core_, place) & 0x7fffu;
  current.mark.traits = traits_of(instr) & 0x7u;
  current.mark.site = run_.sites.number(instr.op, instr.where) & 0x3fffu;
  order_.accessed(place, current.mark.stamp, current.where);
  return current;
}

CoreChecker::Current CoreChecker::scalar_current(Opcode op, std::uint32_t place,
                                                 isa::SourceLocation where) {
  Current current;
  current.clock = &order_.clock(Pipe::S);
  current.where = where;
  current.op = op;
  current.mark.stamp = ++run_.last;
  current.mark.agent = agent_of(core_, place) & 0x7fffu;
  current.mark.site = run_.sites.number(op, where) & 0x3fffu;
  order_.accessed(place, current.mark.stamp, current.where);
  return current;
}

// --- the scalar unit -----------------------------------------------------------------------------

void CoreChecker::scalar_loaded(const isa::Operand& from, std::uint64_t bytes,
                                isa::SourceLocation where) {
  const bool word = from.space == Space::kGm && (isa::library_workspace().has_word(from.addr) ||
                                                 run_.words.contains(from.addr));
  if (word) return learn_words(from.addr, bytes);
  if (words_follow_) return;
  check_owned(from, Opcode::kScalarLoad, Pipe::S, where);
  Access access;
  access.space = from.space;
  access.operand = &from;
  access.addr = from.addr;
  access.bytes = bytes;
  const Current current = scalar_current(Opcode::kScalarLoad, kScalarLoads, where);
  loaded_bytes_ = bytes;
  if (from.space == Space::kGm) {
    cache_.fetched(from.addr, current.mark.stamp);
    loaded_.gm = from.addr / ScalarCache::kLine * ScalarCache::kLine;
    loaded_.begin = from.addr;
    loaded_.end = from.addr + bytes;
    loaded_.mark = current.mark;
  }
  if (from.space == Space::kUb && !looks_.empty()) look_at(from, bytes);
  check_access(current, access);
}

void CoreChecker::scalar_stored(const isa::Operand& to, std::uint64_t bytes,
                                isa::SourceLocation where) {
  const bool word = to.space == Space::kGm &&
                    (isa::library_workspace().has_word(to.addr) || run_.words.contains(to.addr));
  if (word) return run_.words[to.addr].join_from(order_.published(Pipe::S));
  if (words_follow_) return;
  check_owned(to, Opcode::kScalarStore, Pipe::S, where);
  Access access;
  access.space = to.space;
  access.kind = Access::Kind::kWrite;
  access.operand = &to;
  access.addr = to.addr;
  access.bytes = bytes;
  const Current current =
      scalar_current(Opcode::kScalarStore, static_cast<std::uint32_t>(Pipe::S), where);
  check_access(current, access);
  if (to.space != Space::kGm) return;
  check_line_shared(current, to);
  if (!stores_pass_the_cache_) cache_.store(to.addr, bytes, current.mark.stamp);
}

void CoreChecker::cache_cleaned(std::uint64_t addr, std::uint64_t bytes,
                                isa::SourceLocation where) {
  cache_.clean(addr, bytes);
  if (bytes != 0) look_behind(addr / ScalarCache::kLine * ScalarCache::kLine, where);
}

std::uint64_t CoreChecker::touched_bytes() const {
  std::uint64_t bytes = 0;
  for (const Shadow& shadow : local_) bytes += shadow.touched_bytes();
  return bytes;
}

std::uint64_t CoreChecker::shadow_bytes() const {
  std::uint64_t bytes = 0;
  for (const Shadow& shadow : local_) bytes += shadow.host_bytes();
  return bytes;
}

}  // namespace davsim::checker
