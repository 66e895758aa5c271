// The amount that an instruction moves or computes, for counters and for the units that time it.
#pragma once

#include <cstdint>

#include "isa/instr/decoded_instr.hpp"
#include "observe/counters.hpp"

namespace davsim::sim {

struct InstrWork {
  bool on_path = false;
  observe::Path path = observe::Path::kGmToUb;
  std::uint64_t bytes = 0;  ///< moved along `path`
  std::uint64_t macs = 0;   ///< of an Mmad, padding to fractals included
  std::uint64_t lanes = 0;  ///< computed by the vector unit
};

InstrWork work_of(const isa::DecodedInstr& instr);

/// K elements of a fractal: 32 bytes of a row (fp32 as well as HF32: 8).
std::uint32_t fractal_k(isa::DType type);

}  // namespace davsim::sim
