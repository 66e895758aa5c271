// The SIMD C API: what a core knows of itself.
#pragma once

#include "kernel_operator.h"

inline std::int64_t asc_get_block_idx() {
  return get_block_idx();
}
inline std::int64_t asc_get_block_num() {
  return get_block_num();
}
inline std::int64_t asc_get_sub_block_id() {
  return get_subblockid();
}
inline std::int64_t asc_get_sub_block_num() {
  return get_subblockdim();
}
inline std::int64_t asc_get_core_id() {
  return get_coreid();
}
inline std::int64_t asc_get_system_cycle() {
  return AscendC::GetSystemCycle();
}
inline std::int64_t asc_get_ctrl() {
  return static_cast<std::int64_t>(get_ctrl());
}
inline void asc_set_ctrl(std::uint64_t config,
                         davsim::api::Location where = davsim::api::Location::current()) {
  set_ctrl(config, where);
}
inline void asc_get_arch_ver(std::uint32_t& coreVersion) {
  AscendC::GetArchVersion(coreVersion);
}
