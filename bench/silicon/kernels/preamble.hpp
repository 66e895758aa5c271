// What a vendor's kernel reads before it begins.
#pragma once

#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {

/// What the scalar unit of an operator kernel reads first: the structure with its tiling, which the
/// host wrote (`tiling=` bytes), eight bytes at a time, and what lies elsewhere: parameters that
/// are tensors of one element, descriptors of lists of tensors (`scalars=` of them).
struct Preamble {
  static constexpr std::uint32_t kTensorWords = 64;  ///< no two tensors share a line of L2
  std::uint32_t tiling_words, tensors;
  std::int64_t* data;

  static Preamble of(sim::Device& device, const Params& params) {
    Preamble p{params.number("tiling", 0) / 8, params.number("scalars", 0), nullptr};
    p.data = allocate<std::int64_t>(device, p.words() + 1, "parameters");
    return p;
  }
  std::uint32_t words() const { return tiling_words + tensors * kTensorWords; }
  void operator()() const {
    const auto all = global(data, words());
    for (std::uint32_t i = 0; i < tiling_words; ++i) all.GetValue(i);
    for (std::uint32_t i = 0; i < tensors; ++i) all.GetValue(tiling_words + i * kTensorWords);
  }
};

}  // namespace davsim::silicon
