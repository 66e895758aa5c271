// DAVSIM_KIND is the namespace of this compilation.
#include "tests/scalar/kernels/pointer_forms.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace davsim::test::DAVSIM_KIND {
namespace {

struct Bits {
  std::uint32_t low : 3, middle : 7, high : 22;
  std::uint64_t wide : 40, rest : 24;
  std::uint16_t table[3][5];
};
struct [[gnu::packed]] Packed {
  std::uint8_t first;
  std::uint32_t number;
  std::uint64_t longer;
  double real;
};
struct Large {
  std::array<std::uint32_t, 37> values;
};
struct Node {
  Node* next;
  std::uint32_t value;
};

std::uint64_t bit_fields(Bits* bits, std::uint32_t seed) {
  bits->middle = seed;
  bits->high = bits->high + bits->low;
  bits->wide += std::uint64_t{seed} << 20;
  bits->table[seed % 3][seed % 5] += static_cast<std::uint16_t>(seed);
  return bits->low + bits->middle + bits->high + bits->wide + bits->table[seed % 3][1];
}

std::uint64_t packed(Packed* packed, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < 12; ++i) {
    packed[i].first = static_cast<std::uint8_t>(seed + i);
    packed[i].number = packed[i].number * 3 + seed;
    packed[i].longer ^= packed[i].number;
    packed[i].real = static_cast<double>(seed) / 3 + i;
  }
  return packed[3].longer + packed[7].number + static_cast<std::uint64_t>(packed[5].real);
}

std::uint64_t structures(Large* large, std::uint32_t seed) {
  large[1] = large[0];
  large[1].values[seed % 37] += seed;
  const Large copy = large[1];
  large[3] = large[2] = copy;
  Large filled{};
  filled.values[5] = seed;
  large[4] = filled;
  large[5] = Large{};
  std::swap(large[6], large[1]);
  return copy.values[seed % 37] + large[3].values[(seed + 1) % 37];
}

std::uint64_t functions(std::byte* bytes, std::uint32_t seed) {
  std::array<std::byte, 300> local;
  std::memcpy(local.data(), bytes + seed % 50, 201 + seed % 90);
  std::memcpy(bytes + 300, local.data(), 100 + seed % 99);
  std::memset(bytes + 250, static_cast<int>(seed), 33 + seed % 7);
  std::memmove(bytes + 100, bytes + 90, 100 + seed % 20);
  std::byte* const end = static_cast<std::byte*>(std::memcpy(bytes + 500, bytes, 77)) + 77;
  *end = static_cast<std::byte>(seed);
  return std::to_integer<std::uint64_t>(local[5]) + std::to_integer<std::uint64_t>(bytes[301]);
}

/// Pointers that advance, meet, and lead to each other.
std::uint64_t pointers(std::uint32_t* words, std::uint32_t seed) {
  std::uint32_t* a = words;
  std::uint32_t* const end = words + 200;
  std::uint64_t sum = 0;
  while (a < end) {
    sum += *a++;
    if (sum % 3 == 0) *a++ = static_cast<std::uint32_t>(sum);
  }
  for (std::uint32_t i = 0; i < 50; ++i) {
    std::uint32_t* const which = (seed + i) % 2 == 0 ? words + i : words + 2 * i + 1;
    *which += i;
    sum += std::min(*which, words[i + 1]);
  }
  const auto add = [words](std::uint32_t i) { return words[i] += i; };
  for (std::uint32_t i = 0; i < 40; ++i) sum += add(i * 5);
  return sum;
}

std::uint64_t sorted(std::uint32_t* words, std::uint32_t count) {
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t value = words[i];
    std::uint32_t j = i;
    for (; j > 0 && words[j - 1] > value; --j) words[j] = words[j - 1];
    words[j] = value;
  }
  std::sort(words + count, words + 2 * count);
  return words[count / 2] + words[count + 3];
}

std::uint64_t lists(Node* nodes, std::uint32_t seed) {
  constexpr std::uint32_t kNodes = 16;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    nodes[i].next = i + 1 < kNodes ? &nodes[i + 1] : nullptr;
    nodes[i].value += seed;
  }
  std::uint64_t sum = 0;
  for (Node* node = nodes; node != nullptr; node = node->next) sum = sum * 5 + node->value++;
  for (std::uint32_t i = 0; i < kNodes; ++i) nodes[i].next = nullptr;  // places differ
  return sum;
}

std::uint64_t numbers(std::byte* bytes, std::uint32_t seed) {
  auto* reals = reinterpret_cast<double*>(bytes);
  auto* halves = reinterpret_cast<std::uint16_t*>(bytes + 512);
  for (std::uint32_t i = 0; i < 64; ++i) reals[i] = i * 0.5 + seed;
  double sum = 0;
  for (std::uint32_t i = 0; i < 64; ++i) sum += reals[i] * 2;
  for (std::uint32_t i = 0; i < 128; ++i) halves[i] = static_cast<std::uint16_t>(halves[i] + seed);
  switch (halves[seed % 128] % 4) {
    case 0:
      return static_cast<std::uint64_t>(sum) + halves[3];
    case 1:
      return static_cast<std::uint64_t>(sum) ^ halves[4];
    default:
      halves[7] = 1;
      return static_cast<std::uint64_t>(sum);
  }
}

/// A destructor, so that exceptions of the accesses before it have somewhere to go.
struct AtTheEnd {
  ~AtTheEnd() { sum[0] += 5, sum[1] ^= sum[0]; }
  std::uint64_t* sum;
};

std::uint64_t with_destructors(std::uint64_t* sums, std::uint32_t seed) {
  const AtTheEnd first{sums};
  auto* large = reinterpret_cast<Large*>(sums + 2);
  sums[1] += seed;
  large[0] = large[1];
  {
    const AtTheEnd second{sums + 1};
    for (std::uint32_t i = 0; i < 37; ++i) large[1].values[i] += large[0].values[36 - i] + seed;
    sums[2] = sums[1] * 3;
  }
  return sums[2] + large[1].values[seed % 37];
}

template <class T>
T* at(std::byte* memory, std::size_t byte) {
  return reinterpret_cast<T*>(memory + byte);
}

}  // namespace

std::uint64_t change_by_pointers(std::byte* memory, std::uint32_t seed) {
  std::uint64_t sum = 0;
  const auto add = [&sum](std::uint64_t value) { sum = sum * 31 + value; };
  for (std::size_t i = 0; i < kFormsBytes; ++i) memory[i] = static_cast<std::byte>(i * 7 + seed);
  add(bit_fields(at<Bits>(memory, 128), seed));
  add(packed(at<Packed>(memory, 256), seed));
  add(structures(at<Large>(memory, 1024), seed));
  add(functions(at<std::byte>(memory, 2560), seed));
  add(pointers(at<std::uint32_t>(memory, 4096), seed));
  add(sorted(at<std::uint32_t>(memory, 5120), 60));
  add(lists(at<Node>(memory, 6144), seed));
  add(numbers(at<std::byte>(memory, 7168), seed));
  add(with_destructors(at<std::uint64_t>(memory, 2048 + 192), seed));
  return sum;
}

}  // namespace davsim::test::DAVSIM_KIND
