// What the host tells the kernel that moves blocks of bytes. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

inline constexpr std::uint32_t kMoveDims = 6;
/// Tensors of a launch; a job names two of them.
inline constexpr std::uint32_t kMoveTensors = 16;
/// UB of a buffer; there are two to copy with, and half of one with what is filled in.
inline constexpr std::uint32_t kMoveTile = 64 * 1024;
inline constexpr std::uint32_t kFillTile = kMoveTile / 2;

/// A loop nest around runs of bytes that follow each other on both sides. Numbers in bytes.
struct MoveJob {
  std::uint32_t from, to;  ///< which tensors
  std::uint32_t fills;     ///< 1: `from` is the number of the launch instead
  std::uint32_t dims;      ///< at least 1; the last one is that of the rows
  std::int64_t from_offset, to_offset;
  std::uint64_t run;
  std::uint32_t rows;   ///< of a tile
  std::uint32_t piece;  ///< of a run that is in a tile
  std::uint64_t size[kMoveDims];
  std::int64_t from_step[kMoveDims], to_step[kMoveDims];
};

struct MoveTiling {
  std::uint64_t tiles;  ///< of all jobs
  std::uint32_t jobs;
  std::uint32_t low, high;  ///< the number that fills: eight bytes that repeat
  std::uint32_t fills;      ///< 1: some job needs it
  // The tiles of each job follow as uint32_t, up to a multiple of 8 bytes, and then the jobs: cores
  // read those that they have a tile of.
};

inline constexpr std::uint64_t move_jobs_offset(std::uint32_t jobs) {
  return sizeof(MoveTiling) + (jobs + 1) / 2 * std::uint64_t{8};
}

}  // namespace davsim_basic
