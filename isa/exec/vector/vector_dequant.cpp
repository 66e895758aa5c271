#include "isa/exec/vector/vector_dequant.hpp"

#include <cstring>
#include <string>

#include "isa/core/core_memory.hpp"
#include "isa/exec/cube/fixpipe_quant.hpp"
#include "isa/instr/fault.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse_sign(DType type, bool is_signed) {
  throw Fault(FaultClass::kParameter, std::string("VCONV_DEQ: signMode of SetDeqScale is ") +
                                          (is_signed ? "true, which gives int8, but dst is "
                                                     : "false, which gives uint8, but dst is ") +
                                          std::string(dtype_name(type)));
}

}  // namespace

void validate_dequant_table(const Instr& instr, const CoreMemory& memory) {
  if (instr.src1.space == Space::kNone) return;
  if (instr.src1.space != Space::kUb || instr.src1.addr % kBlockBytes != 0) {
    throw Fault(FaultClass::kAlignment, "VCONV_DEQ: the table of SetDeqScale is at byte " +
                                            std::to_string(instr.src1.addr) + " of " +
                                            std::string(space_name(instr.src1.space)) +
                                            ", allowed are multiples of 32 in UB");
  }
  memory.at(Space::kUb, instr.src1.addr, kDequantTableBytes);
}

DequantTable dequant_table(const Instr& instr, const CoreMemory& memory) {
  std::array<std::uint64_t, kDequantWords> words;
  if (instr.src1.space == Space::kNone) {
    words.fill(std::get<VectorParams>(instr.params).scalar);
  } else {
    std::memcpy(words.data(), memory.at(Space::kUb, instr.src1.addr, kDequantTableBytes),
                kDequantTableBytes);
  }
  DequantTable table;
  for (std::size_t i = 0; i < kDequantWords; ++i) {
    const QuantWord word(words[i]);
    if (word.is_signed != (instr.dst.type == DType::kI8)) {
      refuse_sign(instr.dst.type, word.is_signed);
    }
    table.scale[i] = word.scale;
    table.offset[i] = word.offset;
  }
  return table;
}

}  // namespace davsim::isa
