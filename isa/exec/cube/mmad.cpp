// Mmad: C[m, n] = A[m, k] x B[k, n] + start on fractals.
//
// A becomes a row-major float panel, B one panel of 16 columns after the other, and the product
// goes straight into L0C, where a column of fractals is a dense [rows][16]. Rows of C from m on
// keep what they held; columns from n to the end of their fractal see a B of 0. int8 products are
// summed exactly in float as long as k is at most 1024 (128 * 128 * 1024 = 2^24) and added up in
// int32, as are those of int4. A sparse B is spread over all k rows before it is multiplied, with 0
// where it has nothing: the sums are the same as if A had been narrowed to what B's indices select.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "isa/exec/accesses.hpp"
#include "isa/exec/cube/mmad_gemm.hpp"
#include "isa/exec/cube/mmad_panels.hpp"
#include "isa/exec/cube/mmad_sizes.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

constexpr std::size_t kColumns = kFractalRows;  // of one fractal of C
constexpr std::size_t kExactDepth = 1024;
constexpr std::int64_t kMaxExtent = 4095;

const MmadInstrParams& mmad_of(const Instr& instr) {
  return std::get<MmadInstrParams>(instr.params);
}

/// Panels of the instruction that is being carried out; kept, because allocating costs more.
std::vector<float>& scratch(std::size_t which, std::size_t floats) {
  static thread_local std::vector<float> panels[4];
  std::vector<float>& panel = panels[which];
  if (panel.size() < floats) panel.resize(floats);
  return panel;
}

bool is_integer(DType type) {
  return type == DType::kI8 || type == DType::kI4;
}

void require_types(const Instr& instr) {
  const DType a = instr.src0.type, b = instr.src1.type, c = instr.dst.type;
  const bool floats =
      c == DType::kF32 && (a == DType::kF16 || a == DType::kBF16 || a == DType::kF32);
  const bool integers = c == DType::kI32 && is_integer(a);
  if (mmad_of(instr).sparse && a != DType::kI8) refuse_operand("MmadWithSparse takes int8 only");
  if (a == b && (floats || integers)) return;
  refuse_operand(
      "Mmad takes float16, bfloat16 or float32 into float32 and int8 or int4 into int32, not " +
      std::string(dtype_name(a)) + " x " + std::string(dtype_name(b)) + " into " +
      std::string(dtype_name(c)));
}

void decode_mmad(DecodedInstr& instr, const CoreMemory& memory) {
  const MmadInstrParams& mmad = mmad_of(instr);
  require_space("dst", instr.dst, Space::kL0C);
  require_space("fm", instr.src0, Space::kL0A);
  require_space("filter", instr.src1, Space::kL0B);
  require_types(instr);
  require_within("m", mmad.m, 1, kMaxExtent);
  require_within("n", mmad.n, 1, kMaxExtent);
  require_within("k", mmad.k, 1, kMaxExtent);
  require_aligned("dst address", instr.dst.addr, kResultFractalBytes);
  require_aligned("fm address", instr.src0.addr, kFractalBytes);
  require_aligned("filter address", instr.src1.addr, kFractalBytes);
  if (mmad.bias_from_bt) require_aligned("bias address", mmad.bias_addr, 64);
  require_inside(instr, memory);
}

Hf32 hf32_of(const MmadInstrParams& mmad) {
  if (!mmad.hf32) return Hf32::kOff;
  return mmad.hf32_nearest_away ? Hf32::kNearestAway : Hf32::kNearestEven;
}

/// Every row of a column of fractals becomes the bias of its 16 columns, 0 beyond n.
void start_from_bias(std::byte* c, const std::byte* bias, std::size_t m, std::size_t columns) {
  std::byte row[kColumns * 4] = {};
  std::memcpy(row, bias, columns * 4);
  for (std::size_t i = 0; i < m; ++i) std::memcpy(c + i * sizeof row, row, sizeof row);
}

/// c = exact sums held in floats, added to what c holds if `accumulate`; int32 saturates.
void take_sums(std::int32_t* c, const float* sums, std::size_t count, bool accumulate) {
  if (!accumulate) {
    for (std::size_t i = 0; i < count; ++i) c[i] = static_cast<std::int32_t>(sums[i]);
    return;
  }
  // Without branches, so that the compiler can use the host's vector unit.
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t a = c[i];
    const auto b = static_cast<std::int32_t>(sums[i]);
    const auto sum =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    const std::int32_t overflow = ((a ^ sum) & (b ^ sum)) >> 31;  // all ones or 0
    const std::int32_t limit = (a >> 31) ^ std::numeric_limits<std::int32_t>::max();
    c[i] = (sum & ~overflow) | (limit & overflow);
  }
}

/// One column of fractals of an integer product; `a` holds slices of at most 1024 of k, one behind
/// the other.
void multiply_integers(std::int32_t* c, const float* a, const float* b, std::size_t m,
                       std::size_t k, bool accumulate) {
  float* sums = scratch(2, m * kColumns).data();
  for (std::size_t start = 0; start < k; start += kExactDepth) {
    const std::size_t depth = std::min(kExactDepth, k - start);
    multiply_panel(sums, a + m * start, b + start * kColumns, m, depth, false);
    take_sums(c, sums, m * kColumns, accumulate || start > 0);
  }
}

/// A of an integer product: slices of at most 1024 of k as [m][depth] panels, one behind the other.
void unpack_slices(float* panel, const Instr& instr, const std::byte* l0a, const MmadSizes& shape) {
  const MmadInstrParams& mmad = mmad_of(instr);
  const std::size_t c0 = c0_elements(instr.src0.type);
  for (std::size_t start = 0; start < mmad.k; start += kExactDepth) {
    const std::size_t depth = std::min(kExactDepth, mmad.k - start);
    float* slice = panel + mmad.m * start;
    if (mmad.gemv) {
      unpack_row(slice, l0a + start * dtype_bits(instr.src0.type) / 8, instr.src0.type, depth,
                 Hf32::kOff);
    } else {
      unpack_a(slice, l0a + start / c0 * kFractalBytes, instr.src0.type, mmad.m, depth,
               shape.a_pitch, Hf32::kOff);
    }
  }
}

/// The row of A's four that index `which` of a pair selects; `first` is what the first one
/// selected. The second counts from the row behind, and never falls before the first.
std::size_t selected_row(std::size_t which, std::size_t index, std::size_t first) {
  return which == 0 ? index : std::max(first, index + 1);
}

/// A column block of a sparse B as a panel [k][16]; see load_sparse.cpp for the indices.
void unpack_sparse_b(float* panel, const std::byte* l0b, const std::byte* indices,
                     const MmadInstrParams& mmad, const MmadSizes& shape, std::size_t block) {
  constexpr std::size_t kC0 = 32, kIndexBytes = kFractalBytes / 4;
  const std::size_t groups = ceil_div(mmad.k, 4);
  float* dense = scratch(3, ceil_align(2 * groups, kC0) * kColumns).data();
  unpack_b(dense, l0b, DType::kI8, block, mmad.n, 2 * groups, shape.n_fractals, Hf32::kOff);
  std::fill_n(panel, std::size_t{mmad.k} * kColumns, 0.0f);
  const std::size_t columns = std::min<std::size_t>(kColumns, mmad.n - block * kColumns);
  for (std::size_t row = 0; row < 2 * groups; row += 2) {
    const std::byte* fractal = indices + (row / kC0 * shape.n_fractals + block) * kIndexBytes;
    for (std::size_t column = 0; column < columns; ++column) {
      auto pair =
          std::to_integer<unsigned>(fractal[column * (kC0 / 4) + row % kC0 / 4]) >> (row % 4 * 2);
      std::size_t at = 0;
      for (std::size_t which = 0; which < 2; ++which, pair >>= 2) {
        if ((pair & 3u) == 3u) {
          refuse_operand("the sparse index of row " + std::to_string(row + which) + ", column " +
                         std::to_string(block * kColumns + column) + " is 3, allowed are 0 to 2");
        }
        at = selected_row(which, pair & 3u, at);
        const std::size_t to = row * 2 + at;
        if (to < mmad.k) panel[to * kColumns + column] += dense[(row + which) * kColumns + column];
      }
    }
  }
}

/// Infinities become the largest number, NaN becomes 0.
void saturate(float* values, std::size_t count) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < count; ++i) {
    const float bounded = std::min(std::max(values[i], -kLargest), kLargest);
    values[i] = values[i] == values[i] ? bounded : 0.0f;
  }
}

void execute_mmad(const DecodedInstr& instr, const CoreMemory& memory) {
  const MmadInstrParams& mmad = mmad_of(instr);
  const DType type = instr.src0.type;
  const MmadSizes shape(mmad, type);
  const std::byte* l0a = host_of(memory, instr.src0);
  const std::byte* l0b = host_of(memory, instr.src1);
  std::byte* l0c = host_of(memory, instr.dst);
  const std::byte* bias = mmad.bias_from_bt ? memory.host(Space::kBt, mmad.bias_addr) : nullptr;
  const std::byte* indices =
      mmad.sparse ? memory.host(Space::kSparseIndex, instr.src1.addr / 4) : nullptr;

  float* a = scratch(0, std::size_t{mmad.m} * mmad.k).data();
  float* b = scratch(1, ceil_align(mmad.k, c0_elements(type)) * kColumns).data();
  if (is_integer(type)) {
    unpack_slices(a, instr, l0a, shape);
  } else if (mmad.gemv) {
    unpack_row(a, l0a, type, mmad.k, hf32_of(mmad));
  } else {
    unpack_a(a, l0a, type, mmad.m, mmad.k, shape.a_pitch, hf32_of(mmad));
  }
  const bool accumulate = !mmad.init_zero || mmad.bias_from_bt;
  for (std::size_t block = 0; block < shape.n_fractals; ++block) {
    std::byte* c = l0c + block * shape.m_fractals * kResultFractalBytes;
    const std::size_t columns = std::min<std::size_t>(kColumns, mmad.n - block * kColumns);
    if (bias != nullptr) start_from_bias(c, bias + block * kColumns * 4, mmad.m, columns);
    if (mmad.sparse) {
      unpack_sparse_b(b, l0b, indices, mmad, shape, block);
    } else {
      unpack_b(b, l0b, type, block, mmad.n, mmad.k, shape.n_fractals, hf32_of(mmad));
    }
    if (is_integer(type)) {
      multiply_integers(reinterpret_cast<std::int32_t*>(c), a, b, mmad.m, mmad.k, accumulate);
    } else {
      multiply_panel(reinterpret_cast<float*>(c), a, b, mmad.m, mmad.k, accumulate);
      if (mmad.floats_saturate) saturate(reinterpret_cast<float*>(c), mmad.m * kColumns);
    }
  }
}

}  // namespace

void add_cube_rows(ExecTable& table) {
  table.set(Opcode::kMmad, {decode_mmad, execute_mmad});
}

}  // namespace davsim::isa
