// What a vendor's kernel reads before it begins.
#pragma once

#include "bench/silicon/kernels/gm.hpp"
#include "isa/core/scalar_work.hpp"

namespace davsim::silicon {

/// What kernels of one kind read first.
struct KernelReads {
  std::uint32_t tiling = 0;   ///< bytes of the structure that the host wrote
  std::uint32_t scalars = 0;  ///< words that lie elsewhere: tensors of one element, descriptors
  std::uint32_t cube_scalars = 0;  ///< what cube cores read of them beside `scalars`
};

/// Bytes of TCubeTiling, which kernels with the Matmul interface read.
inline constexpr std::uint32_t kCubeTiling = 200;

/// The structure with the tiling becomes a variable of the kernel. A vector core copies the
/// structure into UB, and from there word by word to the stack; a cube core loads its words from
/// global memory. Rows may say otherwise with `tiling=` and `scalars=`.
struct Preamble {
  static constexpr std::uint32_t kTensorWords = 64;  ///< no two tensors share a line of L2
  /// Reads, one after the other, until a vector core has a tensor of one element: 2.7 us. Inferred
  /// from the ten rows of ApplyAdamW.
  static constexpr std::uint32_t kReadsOfTensor = 8;
  std::uint32_t tiling_words, tensors, cube_tensors;
  std::int64_t* data;

  static Preamble of(sim::Device& device, const Params& params, const KernelReads& reads) {
    Preamble p{params.number("tiling", reads.tiling) / 8, params.number("scalars", reads.scalars),
               reads.cube_scalars, nullptr};
    p.data = allocate<std::int64_t>(device, p.words() + kBlockWords, "parameters");
    return p;
  }
  std::uint32_t words() const {
    return first_tensor() + (tensors + cube_tensors) * kReadsOfTensor * kTensorWords;
  }
  void operator()() const {
    const auto all = global(data, words() + kBlockWords);
    if (tiling_words > 0 && api::core_has(isa::Pipe::V)) {
      copy_through_ub(all);
    } else {
      for (std::uint32_t i = 0; i < tiling_words; ++i) all.GetValue(i);
    }
    const std::uint32_t read = tensors + (api::core_has(isa::Pipe::V) ? 0 : cube_tensors);
    for (std::uint32_t i = 0; i < read; ++i) {
      read_scalar(all, first_tensor() + i * kReadsOfTensor * kTensorWords);
    }
  }

 private:
  static constexpr std::uint32_t kBlockWords = 4;

  std::uint32_t first_tensor() const { return round_up(tiling_words, kTensorWords); }

  /// A vector core copies it into UB first, one after the other.
  static void read_scalar(const AscendC::GlobalTensor<std::int64_t>& from, std::uint32_t word) {
    using namespace AscendC;
    if (!api::core_has(isa::Pipe::V)) {
      from.GetValue(word);
      return;
    }
    const auto ub = local<std::int64_t>(TPosition::VECCALC, 0, kBlockWords);
    for (std::uint32_t i = 0; i < kReadsOfTensor; ++i) {
      DataCopy(ub, from[word + i * kTensorWords], kBlockWords);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID7);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID7);
      ub.GetValue(0);
    }
  }
  void copy_through_ub(const AscendC::GlobalTensor<std::int64_t>& from) const {
    using namespace AscendC;
    const std::uint32_t words = round_up(tiling_words, kBlockWords);
    const auto ub = local<std::int64_t>(TPosition::VECCALC, 0, words);
    DataCopy(ub, from, words);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID7);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID7);
    for (std::uint32_t i = 0; i < tiling_words; ++i) ub.GetValue(i);
    // The records of two or three buffers are one line of the stack, and so are eight words.
    isa::note_scalar_call(isa::ScalarCall::kBuffer,
                          static_cast<std::uint32_t>(ceil_div(tiling_words * 5, 16)));
  }
};

}  // namespace davsim::silicon
