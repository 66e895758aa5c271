// What a kernel has executed on the scalar unit since its last call of the kernel API. Kernels that
// the plugin of isa/plugin compiled count their own code, and the kernel API notes the calls whose
// bookkeeping issues no instruction of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/core/scalar_class.hpp"
#include "isa/instr/source_location.hpp"

/// The place in the code, and the instructions of the kernel's own code by class. Compiled kernels
/// add to it before each call that may reach the kernel API. All kernels run in one thread of the
/// host; while a core waits, its counts are put away (kept_scalar_work.hpp).
extern "C" std::uint64_t davsim_scalar_work[davsim::isa::kScalarWords];

/// Compiled kernels call it behind a loop without calls of the kernel API.
extern "C" void davsim_scalar_region(const char* file, std::uint32_t line);

namespace davsim::isa {

/// Calls of the kernel API with bookkeeping of the scalar unit.
enum class ScalarCall : std::uint8_t {
  kTPipe,       ///< constructor of TPipe
  kTPipeEnd,    ///< its end
  kBufferEnd,   ///< its end, for each buffer
  kInitBuffer,  ///< InitBuffer of a queue
  kBuffer,      ///< InitBuffer, for each buffer
  kAllocTensor,
  kEnQue,
  kDeQue,
  kFreeTensor,
  kMatmulStep,          ///< of a Matmul object: a base block of k
  kMatmulStepMdl,       ///< the same with doMultiDataLoad
  kMatmulStepConstant,  ///< and a tiling that is known when the kernel is compiled
  kTopKRow,             ///< of TopK, a row
};
inline constexpr std::size_t kScalarCalls = 13;

/// The forms of calls that issue an instruction, by the scalar instructions that they take.
enum class ScalarForm : std::uint8_t {
  kVectorCount,  ///< vector call with a count of elements: sets and resets mask and mode
  kVector,       ///< vector call with repeats and mask
  kMove,         ///< DataCopy of whole DataBlocks
  kMovePad,      ///< DataCopyPad
  kFractalMove,  ///< DataCopy into fractals
  kLoad,         ///< LoadData and fills of L0A and L0B
  kMmad,
  kFixpipe,
  kSync,          ///< flags and barriers
  kRegister,      ///< registers of the scalar unit
  kScalarAccess,  ///< GetValue, SetValue
  kRegion,        ///< no call
};
inline constexpr std::size_t kScalarForms = 12;

struct ScalarWork {
  std::uint64_t place = 0;  ///< 0: none was passed since the last time
  std::array<std::uint32_t, kScalarClasses> own{};
  std::array<std::uint16_t, kScalarCalls> calls{};
  bool counted = false, called = false;  ///< there is something in `own`, in `calls`
  bool empty() const { return !counted && !called; }
};

/// A core whose scalar unit takes time.
class ScalarWorkTaker {
 public:
  /// A loop in line `where`, which makes no calls, has ended, and its work is counted. Does not
  /// throw.
  virtual void scalar_work(SourceLocation where) = 0;

 protected:
  ~ScalarWorkTaker() = default;
};

/// Notes a call, or several.
void note_scalar_call(ScalarCall call, std::uint32_t times = 1);
/// Returns what was counted and noted, and sets it to 0.
ScalarWork take_scalar_work();
/// Returns the instructions of the kernel's own code that were counted, and sets them to 0. The
/// place and the calls stay.
std::array<std::uint64_t, kScalarClasses> take_own_work();

}  // namespace davsim::isa
