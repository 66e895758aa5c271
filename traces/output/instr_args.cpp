#include "traces/output/instr_args.hpp"

#include <array>
#include <string_view>
#include <variant>

#include "isa/exec/accesses.hpp"

namespace davsim::traces {
namespace {

using isa::Instr;

void write_operand(JsonText& out, const auto& name, const isa::Operand& operand,
                   std::uint64_t gm_base) {
  if (operand.space == isa::Space::kNone) return;
  const bool global = operand.space == isa::Space::kGm;
  out.member(name);
  out.put('"');
  out.raw(isa::space_name(operand.space));
  out.put('+');
  out.hex(global ? operand.addr - gm_base : operand.addr);
  out.put('"');
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

void array_member(JsonText& out, const auto& name, const auto& values, std::size_t count) {
  out.member(name);
  for (std::size_t i = 0; i < count; ++i) {
    out.put(i == 0 ? '[' : ',');
    out.integer(values[i]);
  }
  out.put(']');
}

/// Block and repeat stride, in DataBlocks.
void stride(JsonText& out, const auto& name, const isa::Operand& operand, isa::BlockStride stride) {
  if (operand.space != isa::Space::kNone) out.list_member(name, stride.block, stride.repeat);
}

void atomic(JsonText& out, isa::AtomicOp atomic) {
  if (atomic != isa::AtomicOp::kNone) out.member("atomic", atomic_name(atomic));
}

void unit_flag(JsonText& out, isa::UnitFlag flag) {
  if (flag != isa::UnitFlag::kOff) out.member("unit_flag", static_cast<unsigned>(flag));
}

// --- what each kind of parameters shows
// ----------------------------------------------------------------------------------------------

JsonText fields(JsonText out, const Instr&, std::monostate) {
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::VectorParams& p) {
  if (p.mask_mode == isa::MaskMode::kCounter) {
    out.member("count", p.mask[0]);
  } else {
    out.member("repeat", p.repeats);
    out.member("mask");
    out.raw("[\"");
    out.hex(p.mask[0]);
    out.raw("\",\"");
    out.hex(p.mask[1]);
    out.raw("\"]");
  }
  stride(out, "dst_stride", instr.dst, p.dst);
  stride(out, "src0_stride", instr.src0, p.src0);
  stride(out, "src1_stride", instr.src1, p.src1);
  if (instr.op == isa::Opcode::kCast) out.member("round", round_name(p.round));
  if (p.scalar != 0) out.hex_member("scalar", p.scalar);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::TransposeParams& p) {
  out.member("repeat", p.repeats);
  array_member(out, "dst_blocks", p.dst, p.dst.size());
  array_member(out, "src_blocks", p.src, p.src.size());
  out.member("dst_step", p.dst_step);
  out.member("src_step", p.src_step);
  if (p.dst_upper) out.member("dst_half", "upper");
  if (p.src_upper) out.member("src_half", "upper");
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::SortParams& p) {
  out.member("repeat", p.repeats);
  if (p.queues == 0) return out;
  array_member(out, "queues", p.queue_addr, p.queues);
  array_member(out, "lengths", p.lengths, p.queues);
  if (p.stop_when_empty) out.member("stops_when_empty", true);
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::MoveParams& p) {
  out.member("bytes", isa::moved_bytes(instr));
  out.member("bursts", p.bursts);
  out.member("burst_bytes", p.burst_bytes);
  out.member("src_pitch", p.src_pitch);
  out.member("dst_pitch", p.dst_pitch);
  if (p.left_pad != 0) out.member("left_pad", p.left_pad);
  if (p.right_pad != 0) out.member("right_pad", p.right_pad);
  if (p.pad) out.hex_member("pad_value", p.pad_value);
  atomic(out, p.atomic);
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::Nd2NzMoveParams& p) {
  out.member("bytes", isa::moved_bytes(instr));
  out.member("matrices", p.matrices);
  out.member("rows", p.rows);
  out.member("cols", p.cols);
  out.member("src_row_stride", p.src_row_stride);
  out.member("src_matrix_stride", p.src_matrix_stride);
  out.member("dst_c0_stride", p.dst_c0_stride);
  out.member("dst_row_stride", p.dst_row_stride);
  out.member("dst_matrix_stride", p.dst_matrix_stride);
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::Load2dParams& p) {
  out.member("bytes", isa::moved_bytes(instr));
  out.member("start", p.start);
  out.member("repeat", p.repeats);
  out.member("src_stride", p.src_stride);
  out.member("dst_gap", p.dst_gap);
  if (p.transpose) out.member("transpose", true);
  if (p.decrease) out.member("decrease", true);
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::Load3dParams& p) {
  out.member("bytes", isa::moved_bytes(instr));
  if (p.repeats != 1) out.member("repeat", p.repeats);
  out.member("m", p.m_extension);
  out.member("k", p.k_extension);
  out.member("m_start", p.m_start);
  out.member("k_start", p.k_start);
  out.member("l1_h", p.l1_h);
  out.member("l1_w", p.l1_w);
  out.member("channels", p.channels);
  out.list_member("filter", p.filter_h, p.filter_w);
  out.list_member("stride", p.stride_h, p.stride_w);
  out.list_member("dilation", p.dilation_h, p.dilation_w);
  out.list_member("pad", p.pad[0], p.pad[1], p.pad[2], p.pad[3]);
  if (p.transpose) out.member("transpose", true);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::MmadInstrParams& p) {
  out.member("m", p.m);
  out.member("n", p.n);
  out.member("k", p.k);
  out.member("init_zero", p.init_zero);
  if (p.bias_from_bt) out.hex_member("bias", p.bias_addr);
  if (p.hf32) out.member("hf32", true);
  if (p.gemv) out.member("gemv", true);
  if (p.sparse) out.member("sparse", true);
  unit_flag(out, p.unit_flag);
  return out;
}

JsonText fields(JsonText out, const Instr& instr, const isa::FixpipeInstrParams& p) {
  out.member("bytes", isa::moved_bytes(instr));
  out.member("m", p.m);
  out.member("n", p.n);
  out.member("src_stride", p.src_stride);
  out.member("dst_stride", p.dst_stride);
  out.member("nz2nd", p.nz2nd);
  if (p.nz2nd) out.member("nd_num", p.nd_num);
  out.member("quant_mode", static_cast<unsigned>(p.quant));
  if (p.relu) out.member("relu", true);
  unit_flag(out, p.unit_flag);
  atomic(out, p.atomic);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::FlagParams& p) {
  out.member("set_pipe", isa::pipe_name(p.set_pipe));
  out.member("wait_pipe", isa::pipe_name(p.wait_pipe));
  if (p.inserted) {
    out.member("inserted", true);
  } else {
    out.member("event_id", p.id);
  }
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::BarrierParams& p) {
  if (p.inserted) out.member("inserted", true);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::CrossCoreFlagParams& p) {
  out.member("mode", p.mode);
  out.member("flag_id", p.id);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::ScalarParams& p) {
  out.member("instructions", p.instructions);
  return out;
}

JsonText fields(JsonText out, const Instr&, const isa::PreloadParams& p) {
  out.member("bytes", p.bytes);
  return out;
}

}  // namespace

JsonText write_operands(JsonText out, const Instr& instr, std::uint64_t gm_base) {
  write_operand(out, "dst", instr.dst, gm_base);
  write_operand(out, "src0", instr.src0, gm_base);
  write_operand(out, "src1", instr.src1, gm_base);
  if (instr.dst.type != isa::DType::kNone) out.member("type", isa::dtype_name(instr.dst.type));
  if (instr.src0.type != isa::DType::kNone && instr.src0.type != instr.dst.type) {
    out.member("src_type", isa::dtype_name(instr.src0.type));
  }
  return out;
}

JsonText write_params(JsonText out, const Instr& instr) {
  return std::visit([&](const auto& params) { return fields(out, instr, params); }, instr.params);
}

}  // namespace davsim::traces
