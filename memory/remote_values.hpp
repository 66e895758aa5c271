// The values of a transfer between the memories of two dies, while they are on their way. A write
// takes them along when its last piece leaves its die, and the other memory has them when that
// piece is in it. A read takes each piece when it leaves the other die. What a kernel sees is
// therefore decided at the die where it happens, in whichever process that die is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "isa/exec/accesses.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::memory {

/// Rows of bytes at a pitch, from a host address on.
struct RemoteRows {
  std::uint64_t start = 0;
  std::uint64_t rows = 0, row_bytes = 0;
  std::int64_t pitch = 0;
};

class RemoteValues : public std::enable_shared_from_this<RemoteValues> {
 public:
  /// Of a move of core number `core` to or from global memory.
  RemoteValues(const isa::DecodedInstr& instr, std::uint32_t core);
  /// Of a line that a scalar unit reads, or of bytes of one that it writes.
  RemoteValues(std::uint64_t address, std::uint32_t bytes, const std::byte* written);
  /// Of a write that another process has packed by packed().
  explicit RemoteValues(std::string_view packed);

  bool writes() const { return area_.write; }
  /// The instruction, with these values in the place of the other memory; nullptr where there is
  /// none, or when it has been carried out.
  const isa::DecodedInstr* instr() const { return has_instr_ ? &instr_ : nullptr; }
  void carried_out() { has_instr_ = false; }
  std::uint32_t core() const { return core_; }
  const std::byte* bytes() const { return at(low_); }

  /// Takes these bytes of a read out of the other memory.
  void take(const RemoteRows& rows);
  /// The same in two parts, for two processes.
  static std::string packed(const RemoteRows& rows);
  void unpack(const RemoteRows& rows, std::string_view bytes);

  /// Writes the values to the other memory, or combines them with what is there.
  void write() const;
  std::string packed() const;

 private:
  struct Area {
    isa::GmFootprint rows;
    isa::AtomicOp atomic = isa::AtomicOp::kNone;
    isa::DType type = isa::DType::kI8;
    bool write = false;
  };
  void make_room();
  std::byte* at(std::uint64_t address) const { return room_.get() + shift_ + (address - low_); }
  /// Calls row(address, bytes) for each row in order.
  template <class Row>
  void for_each_row(Row row) const;

  Area area_;
  isa::DecodedInstr instr_;
  bool has_instr_ = false;
  std::uint32_t core_ = 0;
  std::uint64_t low_ = 0, shift_ = 0;  ///< the first address, and its place in the room
  std::unique_ptr<std::byte[]> room_;
};

}  // namespace davsim::memory
