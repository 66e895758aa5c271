// The classes of instructions that a kernel executes on the scalar unit between its calls. The
// compiler plugin counts them; the scalar unit turns them into cycles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::isa {

enum class ScalarClass : std::uint8_t {
  kArithmetic,   ///< one cycle: additions, shifts, comparisons, moves
  kMultiply,     ///< a product of two values that are not constants
  kDivide,       ///< quotient or remainder of whole numbers
  kFloat,        ///< addition, product or conversion of floating-point numbers
  kFloatDivide,  ///< quotient or root of floating-point numbers
  kLoad,         ///< load from the stack or from global memory
  kStore,        ///< store to the stack or to global memory
  kBranch,       ///< conditional branch
  kCall,         ///< call of a function that was not inlined, with its return
  // What a load or store through a pointer into global memory takes beyond kLoad or kStore, as
  // which it counts too. Counted while the kernel runs (global_pointer.hpp).
  kGlobalLoad,
  kGlobalStore,
};
inline constexpr std::size_t kScalarClasses = 11;

/// Words of `davsim_scalar_work`, into which compiled kernels count: the place in the code, then
/// the instructions by class.
inline constexpr std::size_t kScalarWords = kScalarClasses + 1;
/// The place is a number of the call in the high bits. The low bits are the bytes of the kernel's
/// own code since the call before.
inline constexpr unsigned kCodeBytesBits = 16;

}  // namespace davsim::isa
