#include "tests/scalar/kernels/pointer_kernels.hpp"

#include <cstring>

#include "kernel_operator.h"

namespace davsim::test {

using namespace AscendC;

std::uint32_t load_again(const volatile std::uint32_t* word, std::uint32_t times) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < times; ++i) sum += *word;
  return sum;
}

void store_again(volatile std::uint32_t* word, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) *word = i;
}

std::uint32_t sum_of_words(const std::uint32_t* words, std::uint32_t count) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

namespace {
[[gnu::noinline]] void fill(std::uint32_t* words, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) words[i] = i;
}
}  // namespace

std::uint32_t sum_on_stack(std::uint32_t count) {
  std::uint32_t words[1024];
  fill(words, count);
  return sum_of_words(words, count);
}

std::uint64_t sum_of_fields(const PointerTiling* tiling, std::uint32_t which) {
  return tiling->rows + tiling->columns + tiling->wide + tiling->lengths[which & 7];
}

std::uint64_t sum_of_copy(const PointerTiling* tiling, volatile std::uint32_t& which) {
  const PointerTiling copy = *tiling;
  return copy.rows + copy.lengths[which] + copy.inner.last;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void store_word(std::uint32_t* word, std::uint32_t value, bool cleans) {
  *word = value;
  if (cleans) drop_line(word);
}

std::uint32_t load_word(const std::uint32_t* word) {
  return *word;
}

void wait_for_word(std::uint32_t* flag) {
  do {
    drop_line(flag);
  } while (*static_cast<volatile std::uint32_t*>(flag) != 1);
}

void drop_line(std::uint32_t* word) {
  GlobalTensor<std::uint32_t> line;
  line.SetGlobalBuffer(word, 16);
  DataCacheCleanAndInvalid<std::uint32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
      line);
}

}  // namespace davsim::test
