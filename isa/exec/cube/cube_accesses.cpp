// What bytes the loads from L1, Mmad and Fixpipe touch.
#include "isa/exec/cube/fixpipe_quant.hpp"
#include "isa/exec/cube/mmad_sizes.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint64_t kL0cRowBytes = 64;
using Kind = Access::Kind;

/// One run of whole fractals, of which some bytes may mean nothing.
Access fractals_of(const Operand& operand, std::uint64_t bytes) {
  Access access = runs_of(operand, Kind::kReadAround, 1, bytes, 0);
  access.unit = kFractalBytes;
  return access;
}

void list_load_sparse(const Instr& instr, const Load2dParams& load, AccessList& list) {
  const std::uint64_t bytes = std::uint64_t{load.repeats} * kFractalBytes;
  const std::uint64_t start = std::uint64_t{load.start} * kFractalBytes;
  Access from = fractals_of(instr.src0, bytes);
  from.addr += start;
  list.add(from);
  Access index = fractals_of(instr.src1, bytes / 4);
  index.addr += start / 4;
  index.unit = kFractalBytes / 4;
  list.add(index);
  list.add(runs_of(instr.dst, Kind::kWrite, 1, bytes, 0));
  list.add(unnamed(Space::kSparseIndex, Kind::kWrite, instr.dst.addr / 4, bytes / 4));
}

}  // namespace

void list_load_2d(const Instr& instr, const Load2dParams& load, AccessList& list) {
  if (facts(instr.op).src1 == Form::kSparseIndices) return list_load_sparse(instr, load, list);
  const bool squares = facts(instr.op).src0 == Form::kSquares;
  const std::uint64_t fractals = squares ? fractals_per_square(instr.src0.type) : 1;
  const std::uint64_t bytes = fractals * kFractalBytes;
  const auto pitch = static_cast<std::int64_t>(load.src_stride * bytes);
  Access from =
      runs_of(instr.src0, Kind::kReadAround, load.repeats, bytes, load.decrease ? -pitch : pitch);
  from.addr += load.start * bytes;
  from.unit = bytes;
  list.add(from);
  Access to = runs_of(instr.dst, Kind::kWrite, fractals, kFractalBytes,
                      (load.dst_frac_gap + 1) * std::int64_t{kFractalBytes});
  to.groups = load.repeats;
  to.group_pitch = (load.dst_gap + 1) * std::int64_t{kFractalBytes};
  list.add(to);
}

void list_mmad(const Instr& instr, const MmadInstrParams& mmad, AccessList& list) {
  const MmadSizes sizes(mmad, instr.src0.type);
  list.add(fractals_of(instr.src0, sizes.a_bytes));
  list.add(fractals_of(instr.src1, sizes.b_bytes));
  if (mmad.sparse) {
    list.add(unnamed(Space::kSparseIndex, Kind::kRead, instr.src1.addr / 4, sizes.b_bytes / 4));
  }
  if (mmad.bias_from_bt) {
    list.add(unnamed(Space::kBt, Kind::kRead, mmad.bias_addr, std::uint64_t{mmad.n} * 4));
  }
  Access columns = runs_of(instr.dst, Kind::kRead, sizes.n_fractals, mmad.m * kL0cRowBytes,
                           static_cast<std::int64_t>(sizes.m_fractals * kResultFractalBytes));
  if (!mmad.init_zero && !mmad.bias_from_bt) list.add(columns);
  columns.kind = Kind::kWrite;
  list.add(columns);
}

/// Columns of fractals of L0C: m rows of each, which follow each other.
Access source_of(const Instr& instr, const FixpipeInstrParams& fixpipe) {
  Access from = runs_of(instr.src0, Kind::kRead, ceil_div(fixpipe.n, 16), fixpipe.m * kL0cRowBytes,
                        static_cast<std::int64_t>(fixpipe.src_stride * kL0cRowBytes));
  from.groups = fixpipe.nz2nd ? fixpipe.nd_num : 1;
  from.group_pitch = static_cast<std::int64_t>(fixpipe.src_nd_stride) * kResultFractalBytes;
  return from;
}

/// Row-major: a run a row of C. Fractals: a run a column of fractals, whose rows follow each other.
Access destination_of(const Instr& instr, const FixpipeInstrParams& fixpipe) {
  const std::uint64_t element = dtype_bytes(instr.dst.type);
  if (!fixpipe.nz2nd) {
    const std::uint64_t c0 = fixpipe_c0(instr.dst.type, fixpipe.channel_split);
    return runs_of(instr.dst, Kind::kWrite, ceil_div(fixpipe.n, c0), fixpipe.m * c0 * element,
                   static_cast<std::int64_t>(fixpipe.dst_stride) * kBlockBytes);
  }
  Access to = runs_of(instr.dst, Kind::kWrite, fixpipe.m, fixpipe.n * element,
                      static_cast<std::int64_t>(fixpipe.dst_stride * element));
  to.groups = fixpipe.nd_num;
  to.group_pitch = static_cast<std::int64_t>(fixpipe.dst_nd_stride * element);
  return to;
}

void list_fixpipe(const Instr& instr, const FixpipeInstrParams& fixpipe, AccessList& list) {
  list.add(source_of(instr, fixpipe));
  if (takes_words_per_column(fixpipe.quant)) {
    list.add(unnamed(Space::kFb, Kind::kRead, fixpipe.quant_fb_addr, fixpipe.n * std::uint64_t{8}));
  }
  list.add(destination_of(instr, fixpipe));
}

}  // namespace davsim::isa
