// The buffers of one operand in L1: a ring of slots that MTE2 fills and MTE1 reads.
//
// Chunks are loaded and given up in the same order, so that one event in each direction orders
// them: MTE2 sets "full" once a load, MTE1 sets "free" once it has read chunks for the last time.
// An event counts its sets, up to 15: in a ring of many slots, "free" stands for several chunks.
#pragma once

#include "lib/matmul/matmul_types.h"

namespace davsim::api {

/// Gives an event id back to the kernel's TPipe, unless that has ended: kernels may declare it
/// behind their Matmul objects, which then outlive it.
template <AscendC::HardEvent event>
void release_matmul_event(AscendC::TEventID id, Location where) {
  if (registers().tpipe == nullptr) return;
  AscendC::GetTPipePtr(where)->ReleaseEventID<event>(id, where);
}

/// A matrix that L1 holds, for those who share it.
struct MatmulContent {
  std::uint64_t address = 0;  ///< 0: none
  std::uint64_t pitch = 0;
  std::uint32_t side = 0, k = 0, side_size = 0, k_size = 0;
  bool transposed = false;

  bool operator==(const MatmulContent&) const = default;
};

class MatmulRing {
 public:
  static constexpr std::uint32_t kMostSlots = 64;

  void set_up(std::uint32_t slots, std::uint32_t address, std::uint32_t slot_bytes) {
    slots_ = slots;
    address_ = address;
    slot_bytes_ = slot_bytes;
    for (Slot& slot : ring_) slot = {};
  }
  std::uint32_t slots() const { return slots_; }
  std::uint32_t address_of(std::uint32_t slot) const { return address_ + slot * slot_bytes_; }

  /// The slot that holds a chunk, or slots() if none does.
  std::uint32_t find(std::uint64_t chunk) const {
    std::uint32_t slot = 0;
    while (slot < slots_ && !(ring_[slot].held && ring_[slot].chunk == chunk)) ++slot;
    return slot;
  }
  bool has_room() const { return loads_ - freed_ < slots_; }

  /// The slot that a chunk is to be loaded into; MTE2 waits until it is free.
  std::uint32_t begin_load(std::uint64_t chunk, Location where) {
    take_events(where);
    while (loads_ - waited_free_ >= slots_) await_free(where);
    const auto slot = static_cast<std::uint32_t>(loads_ % slots_);
    ring_[slot] = {chunk, loads_, true};
    ++loads_;
    return slot;
  }
  void end_load(Location where) { AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(full_, where); }

  /// MTE1 waits until the chunk in `slot` is there.
  void await_full(std::uint32_t slot, Location where) {
    while (waited_full_ <= ring_[slot].load) {
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(full_, where);
      ++waited_full_;
    }
  }
  /// The oldest chunk is given up once MTE1 has carried out what it was given.
  void free_oldest(Location where) {
    const auto slot = static_cast<std::uint32_t>(freed_ % slots_);
    await_full(slot, where);
    ring_[slot].held = false;
    ++freed_;
    if (freed_ - told_free_ >= group(slots_)) tell_free(where);
  }
  void free_all(Location where) {
    while (freed_ < loads_) free_oldest(where);
  }

  /// The ring is filled with this matrix from now on, by `reader`. What it held before is given up.
  void hold(const MatmulContent& content, std::uint32_t reader, Location where) {
    free_all(where);
    content_ = content;
    readers_ = std::uint8_t(1u << reader);
    ++filling_;
  }
  /// Which filling of the ring this is: chunks of another one have the same numbers.
  std::uint64_t filling() const { return filling_; }
  /// Whether `reader` may use the matrix as another one has loaded it. Each may do so once: memory
  /// can have changed when he comes again.
  bool take_up(const MatmulContent& content, std::uint32_t reader) {
    if (content.address == 0 || content != content_ || (readers_ >> reader & 1) != 0) return false;
    readers_ = std::uint8_t(readers_ | 1u << reader);
    return true;
  }

  /// Leaves no event set and returns the ids.
  void end(Location where) {
    content_ = {};
    if (!has_events_) return;
    free_all(where);
    while (waited_free_ < freed_) await_free(where);
    release_matmul_event<AscendC::HardEvent::MTE2_MTE1>(full_, where);
    release_matmul_event<AscendC::HardEvent::MTE1_MTE2>(free_, where);
    has_events_ = false;
  }

 private:
  struct Slot {
    std::uint64_t chunk = 0, load = 0;
    bool held = false;
  };
  /// "Free" is set for this many chunks at a time, so that a ring needs eight sets at most.
  static constexpr std::uint64_t group(std::uint32_t slots) { return (slots + 7) / 8; }

  void take_events(Location where) {
    if (has_events_) return;
    AscendC::TPipe* pipe = AscendC::GetTPipePtr(where);
    full_ = pipe->AllocEventID<AscendC::HardEvent::MTE2_MTE1>(where);
    free_ = pipe->AllocEventID<AscendC::HardEvent::MTE1_MTE2>(where);
    has_events_ = true;
  }
  void tell_free(Location where) {
    AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(free_, where);
    told_free_ = freed_;
    told_[sets_++ % kMostSets] = freed_;
  }
  void await_free(Location where) {
    if (waits_ == sets_) tell_free(where);
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(free_, where);
    waited_free_ = told_[waits_++ % kMostSets];
  }

  std::uint32_t slots_ = 1, address_ = 0, slot_bytes_ = 0;
  std::uint64_t loads_ = 0, freed_ = 0, waited_full_ = 0;
  std::uint64_t told_free_ = 0, waited_free_ = 0;  ///< chunks that were set, and awaited, as free
  static constexpr std::uint64_t kMostSets = 16;
  std::uint64_t sets_ = 0, waits_ = 0, told_[kMostSets] = {};
  bool has_events_ = false;
  AscendC::TEventID full_ = 0, free_ = 0;
  Slot ring_[kMostSlots];
  MatmulContent content_;
  std::uint8_t readers_ = 0;  ///< of the content, a bit each
  std::uint64_t filling_ = 0;
};

}  // namespace davsim::api
