#include "traces/instr_args.hpp"

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "isa/numeric/layout.hpp"

namespace davsim::traces {
namespace {

using isa::Instr;

void write_operand(JsonOutput& out, std::string_view name, const isa::Operand& operand,
                   std::uint64_t gm_base) {
  if (operand.space == isa::Space::kNone) return;
  const bool global = operand.space == isa::Space::kGm;
  out.member(name);
  out.raw("\"");
  out.raw(isa::space_name(operand.space));
  out.raw("+");
  out.hex(global ? operand.addr - gm_base : operand.addr);
  out.raw("\"");
}

std::string_view round_name(isa::RoundMode round) {
  constexpr std::array<std::string_view, 7> kNames = {"none",  "rint",  "floor", "ceil",
                                                      "round", "trunc", "odd"};
  return kNames[static_cast<std::size_t>(round)];
}

std::string_view atomic_name(isa::AtomicOp atomic) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "add", "max", "min"};
  return kNames[static_cast<std::size_t>(atomic)];
}

/// Bytes of `count` elements; int4 is packed.
std::uint64_t bytes_of(std::uint64_t count, isa::DType type) {
  return count * isa::dtype_bits(type) / 8;
}

class ParamsWriter {
 public:
  ParamsWriter(JsonOutput& out, const Instr& instr) : out_(out), instr_(instr) {}

  void operator()(std::monostate) const {}

  void operator()(const isa::VectorParams& p) const {
    if (p.mask_mode == isa::MaskMode::kCounter) {
      out_.member("count", p.mask[0]);
    } else {
      out_.member("repeat", p.repeats);
      out_.member("mask");
      out_.raw("[\"");
      out_.hex(p.mask[0]);
      out_.raw("\",\"");
      out_.hex(p.mask[1]);
      out_.raw("\"]");
    }
    stride("dst_stride", instr_.dst, p.dst);
    stride("src0_stride", instr_.src0, p.src0);
    stride("src1_stride", instr_.src1, p.src1);
    if (instr_.op == isa::Opcode::kCast) out_.member("round", round_name(p.round));
    if (p.scalar != 0) hex("scalar", p.scalar);
  }

  void operator()(const isa::TransposeParams& p) const {
    out_.member("repeat", p.repeats);
    array("dst_blocks", p.dst, p.dst.size());
    array("src_blocks", p.src, p.src.size());
    out_.member("dst_step", p.dst_step);
    out_.member("src_step", p.src_step);
    if (p.dst_upper) out_.member("dst_half", "upper");
    if (p.src_upper) out_.member("src_half", "upper");
  }

  void operator()(const isa::SortParams& p) const {
    out_.member("repeat", p.repeats);
    if (p.queues == 0) return;
    array("queues", p.queue_addr, p.queues);
    array("lengths", p.lengths, p.queues);
    if (p.stop_when_empty) out_.member("stops_when_empty", true);
  }

  void operator()(const isa::MoveParams& p) const {
    out_.member("bytes", std::uint64_t{p.bursts} * p.burst_bytes);
    out_.member("bursts", p.bursts);
    out_.member("burst_bytes", p.burst_bytes);
    out_.member("src_pitch", p.src_pitch);
    out_.member("dst_pitch", p.dst_pitch);
    if (p.left_pad != 0) out_.member("left_pad", p.left_pad);
    if (p.right_pad != 0) out_.member("right_pad", p.right_pad);
    if (p.pad) hex("pad_value", p.pad_value);
    atomic(p.atomic);
  }

  void operator()(const isa::Nd2NzMoveParams& p) const {
    out_.member("bytes", bytes_of(std::uint64_t{p.matrices} * p.rows * p.cols, instr_.dst.type));
    out_.member("matrices", p.matrices);
    out_.member("rows", p.rows);
    out_.member("cols", p.cols);
    out_.member("src_row_stride", p.src_row_stride);
    out_.member("src_matrix_stride", p.src_matrix_stride);
    out_.member("dst_c0_stride", p.dst_c0_stride);
    out_.member("dst_row_stride", p.dst_row_stride);
    out_.member("dst_matrix_stride", p.dst_matrix_stride);
  }

  void operator()(const isa::Load2dParams& p) const {
    const std::uint64_t fractals = p.transpose ? isa::fractals_per_square(instr_.dst.type) : 1;
    out_.member("bytes", p.repeats * fractals * 512);
    out_.member("start", p.start);
    out_.member("repeat", p.repeats);
    out_.member("src_stride", p.src_stride);
    out_.member("dst_gap", p.dst_gap);
    if (p.transpose) out_.member("transpose", true);
    if (p.decrease) out_.member("decrease", true);
  }

  void operator()(const isa::Load3dParams& p) const {
    const std::uint64_t elements = std::uint64_t{p.m_extension} * p.k_extension * p.repeats;
    out_.member("bytes", bytes_of(elements, instr_.dst.type));
    if (p.repeats != 1) out_.member("repeat", p.repeats);
    out_.member("m", p.m_extension);
    out_.member("k", p.k_extension);
    out_.member("m_start", p.m_start);
    out_.member("k_start", p.k_start);
    out_.member("l1_h", p.l1_h);
    out_.member("l1_w", p.l1_w);
    out_.member("channels", p.channels);
    list("filter", p.filter_h, p.filter_w);
    list("stride", p.stride_h, p.stride_w);
    list("dilation", p.dilation_h, p.dilation_w);
    list("pad", p.pad[0], p.pad[1], p.pad[2], p.pad[3]);
    if (p.transpose) out_.member("transpose", true);
  }

  void operator()(const isa::MmadInstrParams& p) const {
    out_.member("m", p.m);
    out_.member("n", p.n);
    out_.member("k", p.k);
    out_.member("init_zero", p.init_zero);
    if (p.bias_from_bt) hex("bias", p.bias_addr);
    if (p.hf32) out_.member("hf32", true);
    if (p.gemv) out_.member("gemv", true);
    if (p.sparse) out_.member("sparse", true);
    unit_flag(p.unit_flag);
  }

  void operator()(const isa::FixpipeInstrParams& p) const {
    const std::uint64_t matrices = p.nz2nd ? p.nd_num : 1;
    out_.member("bytes", bytes_of(matrices * p.m * p.n, instr_.dst.type));
    out_.member("m", p.m);
    out_.member("n", p.n);
    out_.member("src_stride", p.src_stride);
    out_.member("dst_stride", p.dst_stride);
    out_.member("nz2nd", p.nz2nd);
    if (p.nz2nd) out_.member("nd_num", p.nd_num);
    out_.member("quant_mode", static_cast<unsigned>(p.quant));
    if (p.relu) out_.member("relu", true);
    unit_flag(p.unit_flag);
    atomic(p.atomic);
  }

  void operator()(const isa::FlagParams& p) const {
    out_.member("set_pipe", isa::pipe_name(p.set_pipe));
    out_.member("wait_pipe", isa::pipe_name(p.wait_pipe));
    out_.member("event_id", p.id);
  }

  void operator()(const isa::CrossCoreFlagParams& p) const {
    out_.member("mode", p.mode);
    out_.member("flag_id", p.id);
  }

  void operator()(const isa::ScalarParams& p) const { out_.member("instructions", p.instructions); }

 private:
  void hex(std::string_view name, std::uint64_t value) const {
    out_.member(name);
    out_.raw("\"");
    out_.hex(value);
    out_.raw("\"");
  }

  void list(std::string_view name, auto first, auto... rest) const {
    out_.member(name);
    out_.raw("[");
    out_.integer(first);
    ((out_.raw(","), out_.integer(rest)), ...);
    out_.raw("]");
  }

  void array(std::string_view name, const auto& values, std::size_t count) const {
    out_.member(name);
    for (std::size_t i = 0; i < count; ++i) {
      out_.raw(i == 0 ? "[" : ",");
      out_.integer(values[i]);
    }
    out_.raw("]");
  }

  /// Block and repeat stride, in DataBlocks.
  void stride(std::string_view name, const isa::Operand& operand, isa::BlockStride stride) const {
    if (operand.space != isa::Space::kNone) list(name, stride.block, stride.repeat);
  }

  void atomic(isa::AtomicOp atomic) const {
    if (atomic != isa::AtomicOp::kNone) out_.member("atomic", atomic_name(atomic));
  }

  void unit_flag(isa::UnitFlag flag) const {
    if (flag != isa::UnitFlag::kOff) out_.member("unit_flag", static_cast<unsigned>(flag));
  }

  JsonOutput& out_;
  const Instr& instr_;
};

}  // namespace

void write_operands(JsonOutput& out, const Instr& instr, std::uint64_t gm_base) {
  write_operand(out, "dst", instr.dst, gm_base);
  write_operand(out, "src0", instr.src0, gm_base);
  write_operand(out, "src1", instr.src1, gm_base);
  if (instr.dst.type != isa::DType::kNone) out.member("type", isa::dtype_name(instr.dst.type));
  if (instr.src0.type != isa::DType::kNone && instr.src0.type != instr.dst.type) {
    out.member("src_type", isa::dtype_name(instr.src0.type));
  }
}

void write_params(JsonOutput& out, const Instr& instr) {
  std::visit(ParamsWriter(out, instr), instr.params);
}

void write_code(JsonOutput& out, const isa::SourceLocation& where) {
  if (where.line() == 0) return;
  // Piece by piece: a string of its own an event would cost as much as the rest of it.
  out.member("code");
  out.raw("\"");
  out.lasting_part(where.file_name());
  out.raw(":");
  out.integer(where.line());
  out.raw("\"");
}

}  // namespace davsim::traces
