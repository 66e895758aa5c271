// What a kernel knows of its PE and of the others: their numbers, their teams, their heaps.
#ifndef DAVSIM_SHMEM_DEVICE_STATE_H
#define DAVSIM_SHMEM_DEVICE_STATE_H

#include "kernel_operator.h"
#include "shmem/types.h"

#ifndef ACLSHMEM_DEVICE
#define ACLSHMEM_DEVICE __attribute__((always_inline)) __aicore__ __inline__
#define ACLSHMEM_GLOBAL __global__ __aicore__
#endif

/// The state of the PE on whose device the kernel runs.
inline __gm__ aclshmem_device_host_state_t* aclshmemi_get_state(
    davsim::api::Location where = davsim::api::Location::current()) {
  auto* const state =
      reinterpret_cast<aclshmem_device_host_state_t*>(davsim::api::registers().symmetric_memory);
  if (state == nullptr) {
    davsim::api::fail(davsim::isa::FaultClass::kParameter, "SHMEM",
                      {"the device of this launch is no PE; aclshmemx_init_attr makes it one"},
                      where);
  }
  return state;
}

namespace davsim::shmem {

using api::Location;

/// Null for what is no team of this PE.
inline const aclshmemx_team_t* team_at(aclshmem_team_t team, Location where) {
  if (team < 0 || team >= ACLSHMEM_MAX_TEAMS) return nullptr;
  return aclshmemi_get_state(where)->team_pools[team];
}

/// Where the bytes at a symmetric address lie on PE `pe`. Flags of barriers lie before the heap.
inline std::uint64_t on_pe(std::uint64_t address, int pe, Location where) {
  const aclshmem_device_host_state_t* const state = aclshmemi_get_state(where);
  api::require_range("SHMEM", "pe", pe, 0, state->npes - 1, where);
  const auto own = reinterpret_cast<std::uint64_t>(state->heap_base);
  return reinterpret_cast<std::uint64_t>(state->p2p_device_heap_base[pe]) + (address - own);
}

/// The same for what a kernel gives as an address in the heap.
inline std::uint64_t symmetric(std::uint64_t address, int pe, Location where) {
  const aclshmem_device_host_state_t* const state = aclshmemi_get_state(where);
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(state->heap_base);
  api::require_range("SHMEM", "distance of the address from the start of the symmetric heap",
                     static_cast<std::int64_t>(offset), 0,
                     static_cast<std::int64_t>(state->heap_size) - 1, where);
  return on_pe(address, pe, where);
}

}  // namespace davsim::shmem

// Outside kernels these names are the host's.
#ifdef DAVSIM_SHMEM_KERNEL
inline int aclshmem_my_pe(davsim::api::Location where = davsim::api::Location::current()) {
  return aclshmemi_get_state(where)->mype;
}
inline int aclshmem_n_pes(davsim::api::Location where = davsim::api::Location::current()) {
  return aclshmemi_get_state(where)->npes;
}
/// -1 for what is no team of this PE.
inline int aclshmem_team_my_pe(aclshmem_team_t team,
                               davsim::api::Location where = davsim::api::Location::current()) {
  const aclshmemx_team_t* const of = davsim::shmem::team_at(team, where);
  return of == nullptr ? -1 : of->mype;
}
inline int aclshmem_team_n_pes(aclshmem_team_t team,
                               davsim::api::Location where = davsim::api::Location::current()) {
  const aclshmemx_team_t* const of = davsim::shmem::team_at(team, where);
  return of == nullptr ? -1 : of->size;
}
/// The number in `dest_team` of a PE of `src_team`; -1: it is not in both.
inline int aclshmem_team_translate_pe(
    aclshmem_team_t src_team, int src_pe, aclshmem_team_t dest_team,
    davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::shmem::translated(davsim::shmem::team_at(src_team, where), src_pe,
                                   davsim::shmem::team_at(dest_team, where));
}
/// Where PE `pe` has what lies at `ptr` of the own heap: kernels load and store there.
inline __gm__ void* aclshmem_ptr(__gm__ void* ptr, int pe,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  return reinterpret_cast<void*>(
      davsim::shmem::symmetric(reinterpret_cast<std::uint64_t>(ptr), pe, where));
}
#endif

/// The number among all PEs of a team's PE; -1: the team has no such PE.
inline int aclshmem_team_pe_mapping(
    aclshmem_team_t team, int pe, davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::shmem::pe_of_team(davsim::shmem::team_at(team, where), pe);
}

#endif  // DAVSIM_SHMEM_DEVICE_STATE_H
