// Intrinsics of the scalar unit: core identity, flags, barriers, the control register, caches.
#pragma once

#include <cstdint>

#include "ascendc/cache.h"
#include "ascendc/control_register.h"
#include "ascendc/debug.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"

// --- identity of the core ---------------------------------------------------------------------

/// Block of the core; on the AIVs of a mixed kernel that of their AI core.
inline std::int64_t get_block_idx() {
  return davsim::isa::current_core().identity().block_idx;
}
inline std::int64_t get_block_num() {
  return AscendC::GetBlockNum();
}

namespace davsim::api {

/// A number that the device's compiler has as a name. Not a macro: kernels that call a variable of
/// their own block_idx keep it.
template <std::int64_t (*read)()>
struct NameOfNumber {
  operator std::int64_t() const { return read(); }  // NOLINT: it is that number
};

}  // namespace davsim::api

inline constexpr davsim::api::NameOfNumber<get_block_idx> block_idx;
inline constexpr davsim::api::NameOfNumber<get_block_num> block_num;

inline std::int64_t get_subblockid() {
  return AscendC::GetSubBlockIdx();
}
/// AIVs per AIC of this kernel.
inline std::int64_t get_subblockdim() {
  return AscendC::GetSubBlockNum();
}
/// Number of the core on its die, counted apart for cube and vector cores.
inline std::int64_t get_coreid() {
  return AscendC::GetBlockIdx();
}
/// The version of GetArchVersion from bit 32 on.
inline std::int64_t get_arch_ver() {
  std::uint32_t version = 0;
  AscendC::GetArchVersion(version);
  return std::int64_t{version} << 32;
}
/// The counter of GetSystemCycle.
inline std::int64_t get_sys_cnt() {
  return AscendC::GetSystemCycle();
}

// --- order ------------------------------------------------------------------------------------

namespace davsim::api {

inline void emit_flag_of(isa::Opcode op, const char* call, pipe_t set, pipe_t wait, std::int64_t id,
                         Location where) {
  const AscendC::HardEvent event = event_between(pipe_of(set), pipe_of(wait));
  if (event == AscendC::HardEvent::MAX) {
    fail(isa::FaultClass::kParameter, call,
         {"no event orders ", isa::pipe_name(pipe_of(wait)), " behind ",
          isa::pipe_name(pipe_of(set))},
         where);
  }
  call_as(call, [&] { emit_flag(op, event, id, where); });
}

}  // namespace davsim::api

inline void set_flag(pipe_t pipe, pipe_t tpipe, std::int64_t n,
                     davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_flag_of(davsim::isa::Opcode::kSetFlag, "set_flag", pipe, tpipe, n, where);
}
inline void wait_flag(pipe_t pipe, pipe_t tpipe, std::int64_t n,
                      davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_flag_of(davsim::isa::Opcode::kWaitFlag, "wait_flag", pipe, tpipe, n, where);
}
/// The scalar unit is in order by itself: PIPE_S does nothing.
inline void pipe_barrier(pipe_t pipe,
                         davsim::api::Location where = davsim::api::Location::current()) {
  if (pipe == PIPE_S) return;
  davsim::api::emit_barrier(davsim::api::pipe_of(pipe), where);
}

/// The message of ffts_cross_core_sync: bits 0 to 3 are 1, then the mode, then at bit 8 the flag.
namespace AscendC {
constexpr std::uint16_t GetffstMsg(std::uint16_t mode, std::uint16_t flagId) {
  return static_cast<std::uint16_t>(1 | (mode & 3) << 4 | (flagId & 15) << 8);
}
}  // namespace AscendC

/// CrossCoreSetFlag with mode and flag in one number.
inline void ffts_cross_core_sync(pipe_t pipe, std::uint64_t config,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("ffts_cross_core_sync", "config & 15",
                             static_cast<std::int64_t>(config & 15), 1, 1, where);
  davsim::api::require_range("ffts_cross_core_sync", "pipe", pipe, PIPE_V, PIPE_FIX, where);
  davsim::api::emit_cross_core(davsim::isa::Opcode::kCrossCoreSetFlag, davsim::api::pipe_of(pipe),
                               config >> 4 & 3, config >> 8 & 15, where);
}
inline void wait_flag_dev(std::int64_t flagId,
                          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_cross_core(davsim::isa::Opcode::kCrossCoreWaitFlag, davsim::isa::Pipe::S, 0,
                               flagId, where);
}
inline void wait_flag_dev(pipe_t pipe, std::int64_t flagId,
                          davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("wait_flag_dev", "pipe", pipe, PIPE_S, PIPE_FIX, where);
  davsim::api::emit_cross_core(davsim::isa::Opcode::kCrossCoreWaitFlag, davsim::api::pipe_of(pipe),
                               0, flagId, where);
}
inline void set_ffts_base_addr(std::uint64_t config,
                               davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetSyncBaseAddr(config, where);
}
inline std::int64_t get_ffts_base_addr() {
  return static_cast<std::int64_t>(davsim::api::registers().ffts_base);
}

// --- bits and registers -----------------------------------------------------------------------

constexpr std::int64_t get_imm(std::int64_t value) {
  return value;
}
/// Of a pointer into a buffer: where another part of the buffer begins.
template <typename T>
std::int64_t get_imm(T* pointer) {
  return reinterpret_cast<std::int64_t>(pointer);
}
constexpr std::uint64_t sbitset0(std::uint64_t x, std::int64_t idx) {
  return x & ~(std::uint64_t{1} << (idx & 63));
}
constexpr std::uint64_t sbitset1(std::uint64_t x, std::int64_t idx) {
  return x | std::uint64_t{1} << (idx & 63);
}

/// CTRL; which bits there are says control_register.h.
inline std::uint64_t get_ctrl() {
  return davsim::api::control_register();
}
inline void set_ctrl(std::uint64_t config,
                     davsim::api::Location where = davsim::api::Location::current()) {
  const std::uint64_t changed = config ^ davsim::api::control_register();
  for (int bit = 0; bit < 64; ++bit) {
    if ((changed >> bit & 1u) != 0 && !davsim::api::is_modelled_ctrl_bit(bit)) {
      davsim::api::refuse("set_ctrl", "the bit that changes", bit, davsim::api::kCtrlBits, where);
    }
  }
  davsim::api::set_control_register(config, where);
}

namespace davsim::api {

/// The status registers record results that saturated. davsim records none, so that a kernel which
/// lets results saturate must not be told that none did.
inline std::uint64_t no_overflow(const char* call, Location where) {
  if (registers().overflow().floats_saturate) {
    refuse(call, "bit 48 of CTRL", 0, "1: results that saturate are not recorded", where);
  }
  emit_scalar(isa::Opcode::kScalarOp, where);
  return 0;
}

}  // namespace davsim::api

/// What the core recorded of overflows: nothing, as infinities and NaN stand in the results.
/// Templates, so that functions of a program's own by these names win.
template <typename = void>
std::uint64_t get_overflow_status(davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::no_overflow("get_overflow_status", where);
}
template <typename = void>
std::int64_t get_status(davsim::api::Location where = davsim::api::Location::current()) {
  return static_cast<std::int64_t>(davsim::api::no_overflow("get_status", where));
}

// --- caches -----------------------------------------------------------------------------------

enum cache_line_t : std::uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum dcci_dst_t : std::uint64_t {
  CACHELINE_ALL = 0,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};
enum mem_dsb_t : std::uint64_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

/// Writes back and drops the data cache's line of `dst`, or all lines.
inline void dcci(__gm__ volatile void* dst, std::uint64_t type, std::uint64_t = CACHELINE_OUT,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("dcci", "type", static_cast<std::int64_t>(type), 0, 1, where);
  davsim::isa::current_core().clean_and_invalidate(reinterpret_cast<std::uint64_t>(dst),
                                                   type == ENTIRE_DATA_CACHE ? 0 : 1, where);
}
/// The intrinsic behind DataCachePreload: the load itself fetches the line.
inline void dc_preload(__gm__ std::uint64_t*, std::int64_t,
                       davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}
inline void dsb(mem_dsb_t, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}

/// Reads and writes global memory past the data cache; 1, 2, 4 or 8 bytes. `offset` must be 0.
template <typename T>
T ld_dev(__gm__ T* src, std::int64_t offset,
         davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("ld_dev", "offset", offset, 0, 0, where);
  return AscendC::ReadGmByPassDCache<T>(src, where);
}
template <typename T>
void st_dev(std::type_identity_t<T> value, __gm__ T* dst, std::int64_t offset,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_range("st_dev", "offset", offset, 0, 0, where);
  AscendC::WriteGmByPassDCache<T>(dst, value, where);
}

[[noreturn]] inline void trap(davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::Trap(where);
}
