#include "memory/remote_values.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "isa/exec/move/move_atomic.hpp"

namespace davsim::memory {
namespace {

/// Values lie at the same place in a line as in the other memory.
constexpr std::uint64_t kLine = 512;

std::byte* host(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

/// The operation by which an instruction writes, which is then off: the other memory does it.
isa::AtomicOp take_atomic(isa::DecodedInstr& instr) {
  isa::AtomicOp op = isa::AtomicOp::kNone;
  if (auto* move = std::get_if<isa::MoveParams>(&instr.params)) std::swap(op, move->atomic);
  if (auto* fix = std::get_if<isa::FixpipeInstrParams>(&instr.params)) std::swap(op, fix->atomic);
  return op;
}

}  // namespace

RemoteValues::RemoteValues(const isa::DecodedInstr& instr, std::uint32_t core)
    : instr_(instr), has_instr_(true), core_(core) {
  area_.rows = isa::gm_footprint(instr);
  area_.write = area_.rows.write;
  area_.type = instr.dst.type;
  if (area_.write) area_.atomic = take_atomic(instr_);
  make_room();
  const auto place = [this](std::uint64_t address) {
    return reinterpret_cast<std::uint64_t>(at(address));
  };
  for (isa::Operand* operand : {&instr_.dst, &instr_.src0, &instr_.src1}) {
    if (operand->space == isa::Space::kGm) operand->addr = place(operand->addr);
  }
}

RemoteValues::RemoteValues(std::uint64_t address, std::uint32_t bytes, const std::byte* written) {
  area_.rows.addr = address;
  area_.rows.rows = 1;
  area_.rows.row_bytes = bytes;
  area_.write = written != nullptr;
  make_room();
  if (written != nullptr) std::memcpy(at(address), written, bytes);
}

RemoteValues::RemoteValues(std::string_view packed) {
  static_assert(std::is_trivially_copyable_v<Area>);
  if (packed.size() < sizeof area_) throw std::invalid_argument("values without their place");
  std::memcpy(&area_, packed.data(), sizeof area_);
  make_room();
  std::size_t from = sizeof area_;
  for_each_row([&](std::uint64_t address, std::uint64_t bytes) {
    std::memcpy(at(address), packed.data() + from, bytes);
    from += bytes;
  });
}

void RemoteValues::make_room() {
  const auto [low, high] = area_.rows.range();
  low_ = low;
  // Rows may lie far apart: pages between them are never touched.
  room_.reset(new std::byte[high - low + 2 * kLine]);
  shift_ = (low - reinterpret_cast<std::uint64_t>(room_.get())) % kLine;
}

template <class Row>
void RemoteValues::for_each_row(Row row) const {
  const isa::GmFootprint& rows = area_.rows;
  for (std::uint32_t matrix = 0; matrix < rows.matrices; ++matrix) {
    for (std::uint32_t i = 0; i < rows.rows; ++i) {
      const std::int64_t offset = matrix * rows.matrix_pitch + i * rows.row_pitch;
      row(rows.addr + static_cast<std::uint64_t>(offset), std::uint64_t{rows.row_bytes});
    }
  }
}

void RemoteValues::take(const RemoteRows& rows) {
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t from = rows.start + i * static_cast<std::uint64_t>(rows.pitch);
    std::memcpy(at(from), host(from), rows.row_bytes);
  }
}

std::string RemoteValues::packed(const RemoteRows& rows) {
  std::string bytes(rows.rows * rows.row_bytes, '\0');
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    std::memcpy(bytes.data() + i * rows.row_bytes,
                host(rows.start + i * static_cast<std::uint64_t>(rows.pitch)), rows.row_bytes);
  }
  return bytes;
}

void RemoteValues::unpack(const RemoteRows& rows, std::string_view bytes) {
  for (std::uint64_t i = 0; i < rows.rows; ++i) {
    std::memcpy(at(rows.start + i * static_cast<std::uint64_t>(rows.pitch)),
                bytes.data() + i * rows.row_bytes, rows.row_bytes);
  }
}

void RemoteValues::write() const {
  for_each_row([&](std::uint64_t address, std::uint64_t bytes) {
    // What is there already, as zeros in a fresh window are, takes no memory of the host.
    const bool replaces = area_.atomic == isa::AtomicOp::kNone;
    if (replaces && std::memcmp(host(address), at(address), bytes) == 0) return;
    isa::combine(area_.atomic, area_.type, host(address), at(address), bytes);
  });
}

std::string RemoteValues::packed() const {
  std::string all(reinterpret_cast<const char*>(&area_), sizeof area_);
  for_each_row([&](std::uint64_t address, std::uint64_t bytes) {
    all.append(reinterpret_cast<const char*>(at(address)), bytes);
  });
  return all;
}

}  // namespace davsim::memory
