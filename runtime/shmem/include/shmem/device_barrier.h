// Barriers of PEs in kernels. Flags go round as in a dissemination barrier with steps of eight: in
// each step a PE raises flags of seven others, which the vector cores share out, and waits for
// seven. Flags count barriers, so that nobody clears them.
#ifndef DAVSIM_SHMEM_DEVICE_BARRIER_H
#define DAVSIM_SHMEM_DEVICE_BARRIER_H

#include "shmem/device_signal.h"

namespace davsim::shmem {

class TeamBarrier {
 public:
  /// `vectors`: cube cores take no part.
  TeamBarrier(aclshmem_team_t team, bool vectors, Location where)
      : state_(aclshmemi_get_state(where)), where_(where) {
    const isa::CoreIdentity& me = isa::current_core().identity();
    const bool cubes_alone = me.kernel_type == isa::KernelType::kAicOnly;
    const bool vectors_alone = me.kernel_type == isa::KernelType::kAivOnly;
    all_types_ = !vectors && !cubes_alone && !vectors_alone;
    signals_ = cubes_alone == (me.type == isa::CoreType::AIC);
    core_ = me.block_idx * (cubes_alone ? 1 : std::max(me.sub_block_num, 1u)) + me.sub_block_idx;
    cores_ = me.block_num * (cubes_alone ? 1 : std::max(me.sub_block_num, 1u));
    team_ = team_at(team, where);
    if (team_ == nullptr) {
      api::refuse("aclshmem_barrier", "team", team, "teams that this PE is in", where);
    }
  }
  void run() {
    meet();
    if (signals_) signal_others();
    meet();
    // All have read the counter.
    if (signals_ && core_ == 0) store_word(counter(), count_, where_);
  }

 private:
  static constexpr int kStep = ACLSHMEM_BARRIER_TG_DISSEM_KVAL;

  /// All cores of this PE that take part.
  void meet() const {
    isa::current_core().clean_and_invalidate(0, 0, where_);
    if (all_types_) return AscendC::SyncAll<false>(where_);
    if (!signals_) return;
    if (isa::current_core().identity().type == isa::CoreType::AIV) return AscendC::SyncAll(where_);
    AscendC::PipeBarrier<PIPE_ALL>(where_);
    AscendC::CrossCoreSetFlag<0, PIPE_FIX>(AscendC::SYNC_AIC_FLAG, where_);
    AscendC::CrossCoreWaitFlag<0, PIPE_S>(AscendC::SYNC_AIC_FLAG, where_);
  }

  void signal_others() {
    count_ = load<std::int32_t>(counter(), where_) + 1;
    std::uint64_t step = 0;
    for (int distance = 1; distance < team_->size; distance *= kStep, ++step) {
      if (step != 0) meet();
      each_of_mine(distance, [&](int i) {
        const int to = (team_->mype + i * distance) % team_->size;
        store_word(on_pe(flag(step, i), pe_of_team(team_, to), where_), count_, where_);
      });
      each_of_mine(distance, [&](int i) {
        const std::uint64_t at = flag(step, i);
        poll([&] { return load<std::int32_t>(at, where_) >= count_; }, where_);
      });
    }
  }
  template <class One>
  void each_of_mine(int distance, One one) const {
    for (int i = 1; i < kStep && i * distance < team_->size; ++i) {
      if (static_cast<std::uint32_t>(i - 1) % cores_ == core_) one(i);
    }
  }
  std::uint64_t flag(std::uint64_t step, int i) const {
    return state_->sync_pool + static_cast<std::uint64_t>(team_->team_idx) * kBarrierBytes +
           (step * kStep + static_cast<std::uint64_t>(i)) * ACLSHMEMI_SYNCBIT_SIZE;
  }
  std::uint64_t counter() const {
    return state_->sync_counter +
           static_cast<std::uint64_t>(team_->team_idx) * ACLSHMEMI_SYNCBIT_SIZE;
  }

  const aclshmem_device_host_state_t* state_;
  const aclshmemx_team_t* team_ = nullptr;
  Location where_;
  bool all_types_ = false, signals_ = false;
  std::uint32_t core_ = 0, cores_ = 1;
  std::int32_t count_ = 0;
};

}  // namespace davsim::shmem

#ifdef DAVSIM_SHMEM_KERNEL
/// Waits until all cores of all PEs of the team are here. What they have asked for is done.
inline void aclshmem_barrier(aclshmem_team_t team,
                             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::shmem::TeamBarrier(team, false, where).run();
}
inline void aclshmem_barrier_all(davsim::api::Location where = davsim::api::Location::current()) {
  aclshmem_barrier(ACLSHMEM_TEAM_WORLD, where);
}
inline void aclshmem_sync(aclshmem_team_t team,
                          davsim::api::Location where = davsim::api::Location::current()) {
  aclshmem_barrier(team, where);
}
inline void aclshmem_sync_all(davsim::api::Location where = davsim::api::Location::current()) {
  aclshmem_barrier(ACLSHMEM_TEAM_WORLD, where);
}
#endif
/// The same of vector cores; cube cores may call it and go on.
inline void aclshmemx_barrier_vec(aclshmem_team_t team,
                                  davsim::api::Location where = davsim::api::Location::current()) {
  davsim::shmem::TeamBarrier(team, true, where).run();
}
inline void aclshmemx_barrier_all_vec(
    davsim::api::Location where = davsim::api::Location::current()) {
  aclshmemx_barrier_vec(ACLSHMEM_TEAM_WORLD, where);
}

/// What the host's util_get_ffts_config gave, at the start of a kernel with barriers.
inline void util_set_ffts_config(std::uint64_t config,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  AscendC::SetSyncBaseAddr(config, where);
}

#endif  // DAVSIM_SHMEM_DEVICE_BARRIER_H
