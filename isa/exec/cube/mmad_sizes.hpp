// The sizes of the operands of an Mmad.
#pragma once

#include <cstddef>

#include "isa/instr/instr.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {

/// Sizes of the operands in fractals and bytes.
struct MmadSizes {
  MmadSizes(const MmadInstrParams& mmad, DType type)
      : m_fractals(ceil_div(mmad.m, kFractalRows)),
        n_fractals(ceil_div(mmad.n, kFractalRows)),
        k_fractals(ceil_div(mmad.k, c0_elements(type))),
        a_pitch(mmad.k_align16 ? ceil_align(k_fractals, 2) : k_fractals) {
    const std::size_t b_fractals = mmad.sparse ? ceil_div(k_fractals, 2) : k_fractals;
    b_bytes = b_fractals * n_fractals * kFractalBytes;
    c_bytes = m_fractals * n_fractals * kResultFractalBytes;
    // The last row of fractals is read up to the last fractal of k only.
    a_bytes = mmad.gemv ? ceil_div(mmad.k * dtype_bits(type), 8)
                        : ((m_fractals - 1) * a_pitch + k_fractals) * kFractalBytes;
  }

  std::size_t m_fractals, n_fractals, k_fractals;
  std::size_t a_pitch;  ///< fractals from one row of fractals of A to the next
  std::size_t a_bytes, b_bytes, c_bytes;
};

}  // namespace davsim::isa
