// A core's end of the messages to the server of collective operations: what Hccl objects share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ascendc/refuse.h"
#include "isa/core/collectives.hpp"

namespace davsim::api {

/// Every core counts the operations. One of them writes the messages.
class HcclClient {
 public:
  /// Finds the communicator of `context`. `writes`: this core writes the messages.
  void init(const std::uint8_t* context, bool writes, Location where);
  void set_tiling(const void* tiling) { tiling_ = static_cast<const std::byte*>(tiling); }
  /// The tiling of the operations that follow, `offset` bytes behind that of set_tiling. False
  /// where there was none.
  bool choose_tiling(std::uint64_t offset);
  /// The same at an address of its own; false for a null pointer.
  bool choose_tiling_at(const void* tiling);
  /// Steps of an AlltoAllV with the tiling that was chosen; 0 where it goes at once.
  std::uint32_t steps(Location where) const;

  /// The handle, or -1 where the launch has prepared as many operations as it can.
  std::int8_t prepare(const char* call, const isa::Collective& operation, bool commit,
                      Location where);
  /// What is prepared next begins when the operation with this handle of another communicator is
  /// over. False where the launch has prepared as many operations as it can, or no such context.
  bool follow(const std::uint8_t* context, std::int8_t handle, Location where);
  void commit(std::int8_t handle, Location where);
  /// Waits for one more round.
  std::int32_t wait(std::int8_t handle, Location where);
  /// Rounds that are over.
  std::int32_t query(std::int8_t handle, Location where);
  /// The next blocks of an operation in steps: those that arrive, of which it waits for the last
  /// step (`sync`), or those that leave. Returns their number, 0 at the end, -1 for a wrong call.
  std::int32_t iterate(std::int8_t handle, std::uint16_t* slices, std::uint16_t length, bool sync,
                       Location where);
  void finalize(bool sync, Location where);

  std::uint32_t rank() const { return view_ == nullptr ? 0 : view_->rank; }
  std::uint32_t ranks() const { return view_ == nullptr ? 0 : view_->ranks; }
  std::uint8_t* window_in(std::uint32_t rank) const;
  std::uint8_t* window_out(std::uint32_t rank) const;

 private:
  struct Prepared {
    std::uint32_t rounds = 0, committed = 0, awaited = 0;
    std::uint32_t step_size = 0, slices = 0;  ///< blocks of a step, and those that iterate() gave
  };

  void require_ready(const char* call, Location where) const;
  /// nullptr for a handle that no prepare gave.
  Prepared* at(std::int8_t handle);
  void write_message(std::uint32_t handle, const isa::Collective& operation, Location where) const;
  std::uint64_t rounds_over(std::uint32_t handle, Location where) const;
  void await(std::uint32_t handle, std::uint64_t rounds, Location where) const;

  std::uint64_t context_ = 0;
  const isa::CommunicatorView* view_ = nullptr;
  const std::byte* tiling_ = nullptr;
  std::uint32_t step_size_ = 0;  ///< of the tiling that was chosen
  bool writes_ = false;
  std::uint32_t prepared_ = 0;
  std::array<Prepared, isa::kMostCollectives> operations_{};
};

}  // namespace davsim::api
