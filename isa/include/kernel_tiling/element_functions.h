// The functions of the high-level API that work element by element: FUNCTION(name, sources, work
// tensors of floats beside sources and destination). C++17, because sources of op_host include it.
#pragma once

#include <cstdint>

#define DAVSIM_ELEMENT_FUNCTIONS(FUNCTION) \
  FUNCTION(Ceil, 1, 0)                     \
  FUNCTION(Floor, 1, 0)                    \
  FUNCTION(Trunc, 1, 0)                    \
  FUNCTION(Round, 1, 0)                    \
  FUNCTION(Frac, 1, 1)                     \
  FUNCTION(Sign, 1, 1)                     \
  FUNCTION(Tanh, 1, 2)                     \
  FUNCTION(Sigmoid, 1, 2)                  \
  FUNCTION(Silu, 1, 1)                     \
  FUNCTION(Swish, 1, 1)                    \
  FUNCTION(Gelu, 1, 1)                     \
  FUNCTION(FasterGelu, 1, 1)               \
  FUNCTION(FasterGeluV2, 1, 2)             \
  FUNCTION(SwiGLU, 2, 1)                   \
  FUNCTION(GeGLU, 2, 1)                    \
  FUNCTION(ReGlu, 2, 1)                    \
  FUNCTION(Exp, 1, 3)                      \
  FUNCTION(Log2, 1, 0)                     \
  FUNCTION(Log10, 1, 0)                    \
  FUNCTION(Sin, 1, 4)                      \
  FUNCTION(Cos, 1, 4)                      \
  FUNCTION(Tan, 1, 5)                      \
  FUNCTION(Sinh, 1, 4)                     \
  FUNCTION(Cosh, 1, 2)                     \
  FUNCTION(Asin, 1, 6)                     \
  FUNCTION(Acos, 1, 6)                     \
  FUNCTION(Atan, 1, 6)                     \
  FUNCTION(Asinh, 1, 5)                    \
  FUNCTION(Acosh, 1, 3)                    \
  FUNCTION(Atanh, 1, 4)                    \
  FUNCTION(Erf, 1, 5)                      \
  FUNCTION(Erfc, 1, 4)                     \
  FUNCTION(Lgamma, 1, 6)                   \
  FUNCTION(Digamma, 1, 6)                  \
  FUNCTION(Fmod, 2, 1)                     \
  FUNCTION(Power, 2, 4)

namespace davsim {

enum class ElementFunction : std::uint8_t {
#define DAVSIM_ENUMERATOR(name, sources, work) k##name,
  DAVSIM_ELEMENT_FUNCTIONS(DAVSIM_ENUMERATOR)
#undef DAVSIM_ENUMERATOR
};

namespace sizes {

/// Tensors of floats that a function holds: half takes more, for its sources and its result. A
/// scalar in place of a source takes one for float.
constexpr std::uint32_t element_tensors(std::uint32_t sources, std::uint32_t work,
                                        std::uint32_t type_bytes) {
  return work + (type_bytes == 2 ? sources + 1 : 0);
}
/// Elements of the smallest piece: a DataBlock of half.
constexpr std::uint32_t kElementGrain = 16;
/// Work tensors of Power of integers, of Xor and of Axpy, in the type of the elements.
constexpr std::uint32_t kIntegerPowerTensors = 5, kXorTensors = 2, kAxpyTensors = 1;

}  // namespace sizes
}  // namespace davsim
