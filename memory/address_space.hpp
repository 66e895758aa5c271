// Address space of the host for global memories. It is taken as it is used, so that limits of the
// host (ulimit -v, those of a container) bound what a program uses and not what a device has.
#pragma once

#include <cstdint>

namespace davsim::memory::address_space {

/// Where the memories of several dies, one behind the other, may begin.
struct Starts {
  std::uint64_t first, step, number;
};
Starts starts_of_dies();

/// Takes a place for `capacity` bytes and returns its start. Only its first bytes are mapped, until
/// map_up_to(). `file`: the descriptor of a file in memory whose bytes these are; negative: none.
/// It is `wanted` if that is free, else another one: the same on every run, as long as nothing else
/// of the process is there. Throws std::system_error if the host refuses.
std::uint64_t take(std::uint64_t capacity, int file, std::uint64_t wanted);
/// Makes the first `bytes` bytes of a place usable. Throws std::system_error if the host refuses.
void map_up_to(std::uint64_t start, std::uint64_t bytes);
/// The same for what lies behind the first `from` bytes. Nothing in front of it is mapped for it.
void map_behind(std::uint64_t start, std::uint64_t from);
/// Moves the bytes of a place to a file in memory of its size: they are the file's from now on.
/// Nobody else may write them meanwhile. Throws std::system_error if the host refuses.
void move_to_file(std::uint64_t start, int file);
/// Puts the bytes of a file in the place of its own ones, until take_back(). All are usable. Throws
/// std::system_error if the host refuses.
void lend(std::uint64_t start, int file);
void take_back(std::uint64_t start);
/// Puts bytes of a file, from `offset` on, in the place of bytes [first, first + bytes) of a place,
/// which are usable; all are multiples of the host's pages. Throws std::system_error if the host
/// refuses.
void borrow(std::uint64_t start, std::uint64_t first, std::uint64_t bytes, int file,
            std::uint64_t offset);
/// Puts own bytes there again, which are zero unless the place has a file.
void end_borrowing(std::uint64_t start, std::uint64_t first, std::uint64_t bytes);
void give_back(std::uint64_t start);

}  // namespace davsim::memory::address_space
