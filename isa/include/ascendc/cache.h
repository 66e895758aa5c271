// The scalar unit's caches: the data cache, which is not coherent with the DMA engines, and the
// instruction cache.
#pragma once

#include "ascendc/emit.h"
#include "ascendc/tensor.h"

namespace davsim::api {

inline void emit_scalar(isa::Opcode op, Location where) {
  emit(op, isa::Pipe::S, {}, {}, {}, isa::ScalarParams{1}, where);
}

/// Writes back and drops the lines of a tensor of one element.
template <typename T>
void drop_lines(const AscendC::GlobalTensor<T>& element, Location where) {
  isa::current_core().clean_and_invalidate(element.Operand().addr, kElementBytes<T>, where);
}

/// Tells a checker that what is stored while this lives goes past the data cache.
class PastTheCache {
 public:
  PastTheCache() { tell(true); }
  ~PastTheCache() { tell(false); }
  PastTheCache(const PastTheCache&) = delete;
  PastTheCache& operator=(const PastTheCache&) = delete;

 private:
  static void tell(bool begins) {
    if (isa::CoreWatcher* watcher = isa::current_watcher()) watcher->stores_pass_the_cache(begins);
  }
};

}  // namespace davsim::api

namespace AscendC {

/// Bytes of a line of the scalar unit's data cache.
constexpr std::uint32_t CACHE_LINE_SIZE = 64;

enum class CacheLine : std::uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum class DcciDst : std::uint64_t {
  CACHELINE_ALL = 0,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};

/// Writes back and drops the line of `dst`, or all lines.
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst,
                              davsim::api::Location where = davsim::api::Location::current()) {
  constexpr bool kAll = entireType == CacheLine::ENTIRE_DATA_CACHE;
  davsim::isa::current_core().clean_and_invalidate(dst.Operand().addr, kAll ? 0 : 1, where);
}
/// Of UB, which the scalar unit does not cache: costs its issue.
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const LocalTensor<T>&,
                              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kDcci, where);
}

/// A hint that a line of the data cache will be read: here the load itself fetches the line, and
/// the hint costs its issue.
template <typename T>
void DataCachePreload(const GlobalTensor<std::uint64_t>&, const T,
                      davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}

/// The range of a kernel that the vendor's profiler collects. davsim's traces have every
/// instruction, so that the calls cost their issue only.
inline void MetricsProfStart(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}
inline void MetricsProfStop(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}

/// Reads and writes global memory as it is: the line leaves the data cache before a read, and
/// neither leaves a copy there.
template <typename T>
T ReadGmByPassDCache(__gm__ T* addr,
                     davsim::api::Location where = davsim::api::Location::current()) {
  GlobalTensor<T> element;
  element.SetGlobalBuffer(addr, 1);
  davsim::api::drop_lines(element, where);
  const T value = element.GetValue(0, where);
  davsim::api::drop_lines(element, where);
  return value;
}
template <typename T>
void WriteGmByPassDCache(__gm__ T* addr, T value,
                         davsim::api::Location where = davsim::api::Location::current()) {
  GlobalTensor<T> element;
  element.SetGlobalBuffer(addr, 1);
  const davsim::api::PastTheCache store;
  element.SetValue(0, value, where);
  davsim::api::drop_lines(element, where);
}

/// Memories whose scalar accesses DataSyncBarrier awaits.
enum class MemDsbT : std::uint8_t { ALL, DDR, UB, SEQ };

/// Awaits the scalar unit's accesses to memory, which are over here when the next instruction is
/// issued: costs its issue.
template <MemDsbT arg0>
void DataSyncBarrier(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_scalar(davsim::isa::Opcode::kScalarOp, where);
}

/// Fetches the next `preFetchLen` x 2 KiB of instructions while the kernel goes on, less than the
/// 32 KiB of an AIC's instruction cache or the 16 KiB of an AIV's. What comes next are the calls
/// in the order in which this core gets to them for the first time; docs/timing-model.md.
inline void ICachePreLoad(const std::int64_t preFetchLen,
                          davsim::api::Location where = davsim::api::Location::current()) {
  const bool cube = davsim::isa::current_core().identity().type == davsim::isa::CoreType::AIC;
  davsim::api::require_range("ICachePreLoad", "preFetchLen", preFetchLen, 0, cube ? 15 : 7, where);
  constexpr std::uint32_t kUnit = 2048;
  davsim::api::emit(davsim::isa::Opcode::kPreload, davsim::isa::Pipe::S, {}, {}, {},
                    davsim::isa::PreloadParams{static_cast<std::uint32_t>(preFetchLen) * kUnit},
                    where);
}
/// 1 while what ICachePreLoad asked for is on its way, else 0.
inline std::int64_t GetICachePreloadStatus(
    davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::isa::current_core().preloads_code(where) ? 1 : 0;
}

}  // namespace AscendC

/// Older name of ICachePreLoad.
#define PRELOAD(len) AscendC::ICachePreLoad(len)

/// The intrinsic behind ICachePreLoad.
inline void icache_preload(std::int64_t preFetchLen,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("icache_preload", [&] { AscendC::ICachePreLoad(preFetchLen, where); });
}
