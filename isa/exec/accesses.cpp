#include "isa/exec/accesses.hpp"

#include "isa/exec/list_accesses.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

void list_params(const Instr&, std::monostate, AccessList&) {}
void list_params(const Instr&, const VectorParams&, AccessList&) {}  // see list_vector()
void list_params(const Instr& instr, const TransposeParams& params, AccessList& list) {
  list_transpose(instr, params, list);
}
void list_params(const Instr& instr, const SortParams& params, AccessList& list) {
  list_sort(instr, params, list);
}
void list_params(const Instr& instr, const MoveParams& move, AccessList& list) {
  Access source = source_of(instr, move);
  if (instr.dst.space == Space::kBt) {
    // The bias table takes whole units. What lies behind a bias of another length is not used.
    constexpr std::uint64_t kBiasUnit = 64;
    source.kind = Access::Kind::kReadAround;
    source.unit = kBiasUnit;
  }
  list.add(source);
  list.add(destination_of(instr, move));
}
void list_params(const Instr& instr, const Nd2NzMoveParams& move, AccessList& list) {
  list.add(source_of(instr, move));
  list_destination(instr, move, list);
}
void list_params(const Instr& instr, const Load2dParams& load, AccessList& list) {
  list_load_2d(instr, load, list);
}
void list_params(const Instr& instr, const Load3dParams& load, AccessList& list) {
  list_load_3d(instr, load, list);
}
void list_params(const Instr& instr, const MmadInstrParams& mmad, AccessList& list) {
  list_mmad(instr, mmad, list);
}
void list_params(const Instr& instr, const FixpipeInstrParams& fixpipe, AccessList& list) {
  list_fixpipe(instr, fixpipe, list);
}
void list_params(const Instr&, const FlagParams&, AccessList&) {}
void list_params(const Instr&, const BarrierParams&, AccessList&) {}
void list_params(const Instr&, const CrossCoreFlagParams&, AccessList&) {}
void list_params(const Instr&, const ScalarParams&, AccessList&) {}
void list_params(const Instr&, const PreloadParams&, AccessList&) {}

/// A list for questions that are answered at once.
AccessList& scratch() {
  static thread_local AccessList list;
  list.clear();
  return list;
}

/// The access of a move or of Fixpipe to global memory; empty if there is none.
Access gm_access(const Instr& instr) {
  if (const auto* move = std::get_if<MoveParams>(&instr.params)) {
    if (instr.dst.space == Space::kGm) return destination_of(instr, *move);
    if (instr.src0.space == Space::kGm) return source_of(instr, *move);
  } else if (const auto* nd2nz = std::get_if<Nd2NzMoveParams>(&instr.params)) {
    return source_of(instr, *nd2nz);
  } else if (const auto* fixpipe = std::get_if<FixpipeInstrParams>(&instr.params)) {
    if (instr.dst.space == Space::kGm) return destination_of(instr, *fixpipe);
  }
  return {};
}

/// L2 is where atomic operations happen.
bool is_atomic(const Instr& instr) {
  if (const auto* move = std::get_if<MoveParams>(&instr.params)) {
    return move->atomic != AtomicOp::kNone;
  }
  const auto* fix = std::get_if<FixpipeInstrParams>(&instr.params);
  return fix != nullptr && fix->atomic != AtomicOp::kNone;
}

/// Rows far apart may lie in several allocations; then each is looked up by itself.
void require_inside_gm(const Access& access, const CoreMemory& memory) {
  for (std::uint64_t group = 0; group < access.distinct_groups(); ++group) {
    const std::uint64_t last = access.distinct_rows() - 1;
    const std::uint64_t low = std::min(access.at(group, 0), access.at(group, last));
    const std::uint64_t high = std::max(access.at(group, 0), access.at(group, last)) + access.bytes;
    if (memory.contains(Space::kGm, low, high - low)) continue;
    for (std::uint64_t row = 0; row <= last; ++row) {
      memory.at(Space::kGm, access.at(group, row), access.bytes);
    }
  }
}

}  // namespace

void list_unit_accesses(const Instr& instr, AccessList& list) {
  std::visit([&](const auto& params) { list_params(instr, params, list); }, instr.params);
}

void list_accesses(const DecodedInstr& instr, const CoreMemory& memory, AccessList& list) {
  list.clear();
  if (std::holds_alternative<VectorParams>(instr.params)) {
    return list_vector(instr, &memory, memory.size(Space::kUb), list);
  }
  list_unit_accesses(instr, list);
}

void list_possible_accesses(const DecodedInstr& instr, std::uint64_t ub_bytes, AccessList& list) {
  list.clear();
  if (std::holds_alternative<VectorParams>(instr.params)) {
    return list_vector(instr, nullptr, ub_bytes, list);
  }
  list_unit_accesses(instr, list);
}

bool accesses_depend_on_contents(const Instr& instr) {
  const OpcodeFacts& row = facts(instr.op);
  return row.src1 == Form::kGathered || row.src1 == Form::kLanesOrBits || row.dst == Form::kKept;
}

Access runs_of(const Operand& operand, Access::Kind kind, std::uint64_t count, std::uint64_t bytes,
               std::int64_t pitch) {
  Access access;
  access.space = operand.space;
  access.kind = kind;
  access.operand = &operand;
  access.addr = operand.addr;
  access.bytes = bytes;
  access.rows = count;
  access.pitch = pitch;
  return access;
}

Access unnamed(Space space, Access::Kind kind, std::uint64_t addr, std::uint64_t bytes) {
  Access access;
  access.space = space;
  access.kind = kind;
  access.addr = addr;
  access.bytes = bytes;
  return access;
}

std::uint64_t moved_bytes(const Instr& instr) {
  const Unit unit = instr.opcode_info().unit;
  const bool move = std::holds_alternative<MoveParams>(instr.params);
  if (!move && unit != Unit::Dma && unit != Unit::Load && unit != Unit::Fixpipe) return 0;
  if (const Access gm = gm_access(instr); !gm.empty()) return gm.moved();
  AccessList& list = scratch();
  list_unit_accesses(instr, list);
  std::uint64_t bytes = 0;
  for (const Access& access : list) bytes += access.writes() ? access.moved() : 0;
  return bytes;
}

std::pair<std::uint64_t, std::uint64_t> accumulator_extent(const Instr& instr) {
  AccessList& list = scratch();
  list_unit_accesses(instr, list);
  for (const Access& access : list) {
    if (access.space != Space::kL0C) continue;
    return {access.low(), ceil_align(access.high() - access.low(), kResultFractalBytes)};
  }
  return {0, 0};
}

void require_inside(const Instr& instr, const CoreMemory& memory) {
  AccessList& list = scratch();
  list_unit_accesses(instr, list);
  for (const Access& access : list) {
    if (access.space == Space::kGm) {
      require_inside_gm(access, memory);
    } else {
      memory.at(access.space, access.low(), access.high() - access.low());
    }
  }
}

std::pair<std::uint64_t, std::uint64_t> GmFootprint::range() const {
  if (bytes() == 0) return {0, 0};
  const std::int64_t runs = (std::int64_t{rows} - 1) * row_pitch;
  const std::int64_t all = (std::int64_t{matrices} - 1) * matrix_pitch;
  const std::int64_t before = std::min<std::int64_t>(runs, 0) + std::min<std::int64_t>(all, 0);
  const std::int64_t after = std::max<std::int64_t>(runs, 0) + std::max<std::int64_t>(all, 0);
  return {addr + static_cast<std::uint64_t>(before),
          addr + static_cast<std::uint64_t>(after) + row_bytes};
}

GmFootprint gm_footprint(const Instr& instr) {
  const Access access = gm_access(instr);
  GmFootprint print;
  print.addr = access.addr;
  print.rows = access.empty() ? 0 : static_cast<std::uint32_t>(access.rows);
  print.row_bytes = static_cast<std::uint32_t>(access.bytes);
  print.row_pitch = access.pitch;
  print.matrices = static_cast<std::uint32_t>(access.groups);
  print.matrix_pitch = access.group_pitch;
  print.write = access.writes();
  const unsigned hint = print.write ? instr.dst.no_allocate >> 1 : instr.src0.no_allocate;
  print.no_allocate = (hint & 1u) != 0 && !is_atomic(instr);
  return print;
}

}  // namespace davsim::isa
