// LocalMemAllocator: tensors at static addresses, for kernels without TPipe.
#pragma once

#include <cstdint>

#include "ascendc/layout.h"
#include "ascendc/tensor.h"
#include "ascendc/tpipe_buffers.h"

namespace AscendC {

template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
  using Location = davsim::api::Location;
  static constexpr davsim::isa::Space kSpace = davsim::api::space_of(hard);
  static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                "LocalMemAllocator: UB, L1, L0A, L0B, L0C, BIAS or FIXBUF");

 public:
  /// Byte offset of the first free byte.
  std::uint32_t GetCurAddr() const { return range_.used; }

  template <TPosition pos, class DataType, std::uint32_t tileSize>
  LocalTensor<DataType> Alloc(Location where = Location::current()) {
    return Alloc<pos, DataType>(tileSize, where);
  }
  template <class DataType, std::uint32_t tileSize>
  LocalTensor<DataType> Alloc(Location where = Location::current()) {
    return Alloc<kDefaultPosition, DataType>(tileSize, where);
  }
  template <class DataType>
  LocalTensor<DataType> Alloc(std::uint32_t tileSize, Location where = Location::current()) {
    return Alloc<kDefaultPosition, DataType>(tileSize, where);
  }
  /// As many elements as the shape of a TensorTrait has, at its position.
  template <class TensorTraitType>
  requires is_tensorTrait_v<TensorTraitType> LocalTensor<TensorTraitType> Alloc(
      Location where = Location::current()) {
    using Layout = typename TensorTraitType::LiteLayoutType;
    return Alloc<TensorTraitType::tPos, TensorTraitType>(
        davsim::api::kConstantElements<std::decay_t<decltype(Layout().GetShape())>>, where);
  }
  /// `tileSize` elements behind the last tensor. Throws Fault(kQueue) when the buffer is full.
  template <TPosition pos, class DataType>
  LocalTensor<DataType> Alloc(std::uint32_t tileSize, Location where = Location::current()) {
    static_assert(davsim::api::space_of(pos) == kSpace,
                  "LocalMemAllocator: the position lies in another physical buffer");
    const std::uint64_t bits = davsim::isa::dtype_bits(davsim::api::dtype_of<DataType>());
    range_.size = davsim::isa::current_core().buffer_size(kSpace);
    const auto bytes = static_cast<std::uint32_t>(tileSize * bits / 8);
    davsim::api::require_length("Alloc", pos, bytes, where);
    davsim::api::QueueBuffer buffer;
    davsim::api::cut_buffers({&buffer, 1}, range_, pos, bytes, where, "Alloc");
    return LocalTensor<DataType>(pos, buffer.address, tileSize, where);
  }

 private:
  static constexpr TPosition default_position() {
    switch (hard) {
      case Hardware::L1:
        return TPosition::A1;
      case Hardware::L0A:
        return TPosition::A2;
      case Hardware::L0B:
        return TPosition::B2;
      case Hardware::L0C:
        return TPosition::CO1;
      case Hardware::BIAS:
        return TPosition::C2;
      case Hardware::FIXBUF:
        return TPosition::C2PIPE2GM;
      default:
        return TPosition::VECCALC;
    }
  }
  static constexpr TPosition kDefaultPosition = default_position();

  davsim::api::BufferRange range_;
};

}  // namespace AscendC
