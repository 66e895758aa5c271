// Kernels that access memory through pointers of C++, compiled as kernels are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davsim::test {

/// `times` loads of one word.
std::uint32_t load_again(const volatile std::uint32_t* word, std::uint32_t times);
/// `times` stores to one word.
void store_again(volatile std::uint32_t* word, std::uint32_t times);
/// The sum of `count` words that follow each other.
std::uint32_t sum_of_words(const std::uint32_t* words, std::uint32_t count);
/// The same of an array on the stack.
std::uint32_t sum_on_stack(std::uint32_t count);

/// A tiling as kernels read it: 128 bytes.
struct PointerTiling {
  std::uint32_t rows, columns;
  std::uint16_t narrow : 4, wide : 12;
  std::uint32_t lengths[20];
  struct {
    std::uint64_t last;
  } inner;
  std::uint64_t behind[3];
};
static_assert(sizeof(PointerTiling) == 128);
/// Reads four fields of the first 64 bytes.
std::uint64_t sum_of_fields(const PointerTiling* tiling, std::uint32_t which);
/// Copies it all to a variable.
std::uint64_t sum_of_copy(const PointerTiling* tiling, volatile std::uint32_t& which);
/// Copies `bytes` bytes by a function.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// Stores to a word, and writes its line back if `cleans`.
void store_word(std::uint32_t* word, std::uint32_t value, bool cleans);
std::uint32_t load_word(const std::uint32_t* word);
/// Drops the line of the flag and loads it until it is 1.
void wait_for_word(std::uint32_t* flag);
/// Writes the line of a word back and drops it.
void drop_line(std::uint32_t* word);

}  // namespace davsim::test
