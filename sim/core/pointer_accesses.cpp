// Accesses of a kernel to global memory through pointers of C++.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "sim/core/core.hpp"

namespace davsim::sim {
namespace {

/// Where a core has no data cache, what a watcher hears of at a time.
constexpr std::uint64_t kPart = isa::CachedLine::kMaxBytes;

/// Room for the bytes of an access, aligned as these are in global memory.
std::byte* room_for(std::vector<std::byte>& room, const isa::PointerAccess& access) {
  constexpr std::uint64_t kAligned = isa::CachedLine::kMaxBytes;
  room.resize(access.bytes + 2 * kAligned);
  const auto start = reinterpret_cast<std::uint64_t>(room.data());
  const std::uint64_t first = (start + kAligned - 1) / kAligned * kAligned;
  return room.data() + (first - start) + access.addr % kAligned;
}

}  // namespace

/// Calls `visit` with the parts of an access that lie within a line.
template <class Visit>
void Core::for_each_part(const isa::PointerAccess& access, Visit visit) {
  const std::uint64_t line = pointer_line() != 0 ? pointer_line() : kPart;
  const std::uint64_t end = access.addr + access.bytes;
  for (std::uint64_t at = access.addr; at < end;) {
    const std::uint64_t next = std::min(end, (at / line + 1) * line);
    visit(isa::PointerAccess{at, next - at, access.stores, false, access.where});
    at = next;
  }
}

/// The compiler does not know that the kernel makes this call. If it threw, the kernel's objects
/// would not be destroyed: an aborted launch ends the kernel at its next call, unless it loops
/// without one. How many accesses show that is a choice.
void* Core::access_by_pointer(const isa::PointerAccess& access) {
  constexpr std::uint32_t kMostAccesses = 1 << 20;
  void* const native = reinterpret_cast<void*>(access.addr);
  if (access.stores) stored_ = {};
  if (std::uncaught_exceptions() > 0) return native;
  if (environment_.launch.aborting()) {
    if (++accesses_when_aborted_ > kMostAccesses) throw LaunchAborted{};
    return native;
  }
  accesses_when_aborted_ = 0;
  if (!machine().global.contains(access.addr, access.bytes)) return native;
  try {
    return place_of(access);
  } catch (const LaunchAborted&) {
    return native;
  }
}

void* Core::place_of(const isa::PointerAccess& access) {
  void* const native = reinterpret_cast<void*>(access.addr);
  const std::uint64_t line = pointer_line();
  if (line == 0) {
    for_each_part(access, [this](const isa::PointerAccess& part) { access_part(part); });
    return native;
  }
  if (access.ends) {
    stored_ = access;
    return room_for(stored_bytes_, access);
  }
  if (access.addr % line + access.bytes <= line) return access_part(access);
  // A number that is not aligned: the device's compiler makes no such store.
  if (access.stores) return native;
  std::byte* const room = room_for(loaded_bytes_, access);
  for_each_part(access, [&](const isa::PointerAccess& part) {
    std::memcpy(room + (part.addr - access.addr), access_part(part), part.bytes);
  });
  return room;
}

void Core::stored_by_pointer() {
  const isa::PointerAccess stored = std::exchange(stored_, {});
  if (stored.bytes == 0 || environment_.launch.aborting()) return;
  const std::byte* const from = room_for(stored_bytes_, stored);
  try {
    for_each_part(stored, [&](const isa::PointerAccess& part) {
      std::memcpy(access_part(part), from + (part.addr - stored.addr), part.bytes);
    });
  } catch (const LaunchAborted&) {
  }
}

}  // namespace davsim::sim
