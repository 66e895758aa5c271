// Barriers of host programs: operations without bytes of the team's communicator.
#include "runtime/api/hccl_call.hpp"
#include "runtime/shmem/call.hpp"
#include "shmem/host.h"

using namespace davsim::shmem;
using davsim::runtime::Process;
using davsim::runtime::Simulator;

namespace {

void barrier_on(aclshmem_team_t team, aclrtStream stream) {
  const auto pe = own_pe();
  require_team(*pe, team);
  davsim::isa::Collective nothing;
  nothing.kind = davsim::isa::CollectiveKind::kAllReduce;
  nothing.type = HCCL_DATA_TYPE_INT8;
  davsim::runtime::join(pe->communicator_of(team), stream, nothing, {});
}

void barrier(const char* function, aclshmem_team_t team) {
  call(function, [&] {
    barrier_on(team, nullptr);
    davsim::runtime::require_success(aclrtSynchronizeStream(nullptr));
  });
}

}  // namespace

void aclshmem_barrier(aclshmem_team_t team) {
  barrier("aclshmem_barrier", team);
}

void aclshmem_barrier_all() {
  barrier("aclshmem_barrier_all", ACLSHMEM_TEAM_WORLD);
}

void aclshmem_sync(aclshmem_team_t team) {
  barrier("aclshmem_sync", team);
}

void aclshmem_sync_all() {
  barrier("aclshmem_sync_all", ACLSHMEM_TEAM_WORLD);
}

void aclshmemx_barrier_on_stream(aclshmem_team_t team, aclrtStream stream) {
  call("aclshmemx_barrier_on_stream", [&] { barrier_on(team, stream); });
}

void aclshmemx_barrier_all_on_stream(aclrtStream stream) {
  call("aclshmemx_barrier_all_on_stream", [&] { barrier_on(ACLSHMEM_TEAM_WORLD, stream); });
}

void aclshmemx_handle_wait(aclshmem_handle_t handle, aclrtStream stream) {
  call("aclshmemx_handle_wait", [&] { barrier_on(handle.team_id, stream); });
}
