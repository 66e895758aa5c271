// LocalTensor and GlobalTensor: typed views of on-chip buffers and of global memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "ascendc/language.h"
#include "ascendc/layout.h"
#include "ascendc/refuse.h"
#include "ascendc/tensor_element.h"
#include "ascendc/types.h"
#include "isa/core/core_sink.hpp"
#include "isa/instr/source_location.hpp"
#include "kernel_tiling/library_modes.h"

namespace AscendC {

constexpr std::uint32_t K_MAX_SHAPE_DIM = 8;

/// Shape that a tensor carries along for the API calls that need one.
struct ShapeInfo {
  ShapeInfo() = default;
  ShapeInfo(std::uint8_t inputShapeDim, const std::uint32_t inputShape[],
            std::uint8_t inputOriginalShapeDim, const std::uint32_t inputOriginalShape[],
            DataFormat inputFormat,
            davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current())
      : shapeDim(inputShapeDim), originalShapeDim(inputOriginalShapeDim), dataFormat(inputFormat) {
    copy(inputShape, shapeDim, shape, where);
    copy(inputOriginalShape, originalShapeDim, originalShape, where);
  }
  ShapeInfo(std::uint8_t inputShapeDim, const std::uint32_t inputShape[],
            DataFormat inputFormat = DataFormat::ND,
            davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current())
      : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, inputFormat, where) {}

  std::uint8_t shapeDim = 0;
  std::uint8_t originalShapeDim = 0;
  std::uint32_t shape[K_MAX_SHAPE_DIM] = {};
  std::uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;

 private:
  static void copy(const std::uint32_t* from, std::uint32_t dims, std::uint32_t* to,
                   davsim::isa::SourceLocation where) {
    if (dims > K_MAX_SHAPE_DIM) {
      davsim::api::refuse("ShapeInfo", "the number of dimensions", dims,
                          {0, " to ", K_MAX_SHAPE_DIM}, where);
    }
    for (std::uint32_t dim = 0; dim < dims; ++dim) to[dim] = from[dim];
  }
};

/// Elements of a shape.
inline std::uint64_t GetShapeSize(const ShapeInfo& shapeInfo) {
  std::uint64_t size = 1;
  for (std::uint32_t dim = 0; dim < shapeInfo.shapeDim; ++dim) size *= shapeInfo.shape[dim];
  return size;
}

}  // namespace AscendC

namespace davsim::api {

/// Tells whoever checks the running core of a tensor at a fixed address; its number there, or 0.
std::uint16_t watch_static(AscendC::TPosition position, std::uint32_t addr, std::uint32_t bytes,
                           isa::SourceLocation where);

/// The same for a tensor in global memory. Equal calls have equal results, so that the compiler may
/// join them and need not assume that they change what a kernel holds.
[[gnu::pure]] std::uint16_t watch_global(std::uint64_t addr, std::uint64_t bytes,
                                         isa::SourceLocation where);

/// Bytes that `count` elements of T take; two int4b_t share one.
template <typename T>
constexpr std::uint64_t bytes_of_elements(std::uint64_t count) {
  using U = ElementType<T>;
  return std::is_same_v<U, isa::int4b_t> ? count / 2 : count * sizeof(U);
}

/// Whole elements of T in so many bytes.
template <typename T>
constexpr std::uint64_t elements_of_bytes(std::uint64_t bytes) {
  using U = ElementType<T>;
  return std::is_same_v<U, isa::int4b_t> ? bytes * 2 : bytes / sizeof(U);
}

/// The scalar unit's load of element `index`, which lies at `at`.
template <typename T>
T load_element(const isa::Operand& at, std::uint64_t index, isa::SourceLocation where) {
  if constexpr (std::is_same_v<T, isa::int4b_t>) {
    std::uint8_t pair = 0;
    isa::current_core().scalar_load(at, &pair, 1, where);
    return isa::int4_of_pair(pair, index);
  } else {
    T value{};
    isa::current_core().scalar_load(at, &value, sizeof(T), where);
    return value;
  }
}

/// Its store; an int4b_t leaves the other number of its byte as it is.
template <typename T>
void store_element(const isa::Operand& at, std::uint64_t index, T value,
                   isa::SourceLocation where) {
  if constexpr (std::is_same_v<T, isa::int4b_t>) {
    std::uint8_t pair = 0;
    isa::current_core().scalar_load(at, &pair, 1, where);
    pair = isa::with_int4(pair, index, value);
    isa::current_core().scalar_store(at, &pair, 1, where);
  } else {
    isa::current_core().scalar_store(at, &value, sizeof(T), where);
  }
}

}  // namespace davsim::api

namespace davsim::api {

template <typename T>
class TensorAssignment;

/// What a tensor of a TensorTrait carries beside its place: the trait, whose layout may have sizes
/// that are known at run time only.
template <typename T>
class WithTrait {};
template <typename T>
requires AscendC::is_tensorTrait_v<T>
class WithTrait<T> {
 public:
  T& GetTensorTrait() { return trait_; }
  const T& GetTensorTrait() const { return trait_; }
  void SetTensorTrait(const T& trait) { trait_ = trait; }

 private:
  T trait_;
};

}  // namespace davsim::api

namespace AscendC {

/// Address of a local tensor in its buffer and the queue slot it came from.
struct TBuffAddr {
  std::uint32_t dataLen = 0;     ///< bytes
  std::uint32_t bufferAddr = 0;  ///< byte offset in the physical buffer
  void* bufferHandle = nullptr;  ///< slot of a TQue, for EnQue and FreeTensor; else nullptr
  std::uint8_t logicPos = static_cast<std::uint8_t>(TPosition::MAX);
  std::uint16_t watched = 0;  ///< number of the buffer where a checker watches
};

template <typename T>
class LocalTensor : public davsim::api::WithTrait<T> {
  static_assert(sizeof(T) > 0, "elements have a size, what davsim refuses says so");

 public:
  using PrimType = davsim::api::ElementType<T>;
  using IndexType = std::uint32_t;

  LocalTensor() = default;
  /// The result of an operator of vector_operators.h.
  LocalTensor& operator=(davsim::api::TensorAssignment<T> assignment);
  /// Static allocation: `tileSize` elements at byte `addr` of the buffer that `pos` names.
  LocalTensor(TPosition pos, std::uint32_t addr, std::uint32_t tileSize,
              davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current())
      : address_{static_cast<std::uint32_t>(davsim::api::bytes_of_elements<T>(tileSize)), addr,
                 nullptr, static_cast<std::uint8_t>(pos)} {
    address_.watched = davsim::api::watch_static(pos, addr, address_.dataLen, where);
  }

  /// Value of element `index`, read by the scalar unit when its time comes; nothing waits for moves
  /// or vector instructions in flight.
  PrimType GetValue(std::uint32_t index, davsim::isa::SourceLocation where =
                                             davsim::isa::SourceLocation::current()) const {
    return davsim::api::load_element<PrimType>(element(index), index, where);
  }
  template <typename U>
  void SetValue(std::uint32_t index, U value,
                davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const {
    davsim::api::store_element<PrimType>(element(index), index, static_cast<PrimType>(value),
                                         where);
  }
  ElementRef<LocalTensor, PrimType> operator()(
      std::uint32_t offset,
      davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const {
    return {*this, offset, where};
  }

  /// The tensor from element `offset` on.
  LocalTensor operator[](std::uint32_t offset) const {
    LocalTensor view = *this;
    const std::uint32_t bytes = byte_offset(offset);
    view.address_.bufferAddr += bytes;
    view.address_.dataLen = bytes < address_.dataLen ? address_.dataLen - bytes : 0;
    return view;
  }

  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> view;
    view.SetAddr(address_);
    return view;
  }

  std::uint32_t GetSize() const {
    return static_cast<std::uint32_t>(davsim::api::elements_of_bytes<T>(address_.dataLen));
  }
  std::uint32_t GetLength() const { return address_.dataLen; }
  void SetSize(std::uint32_t size) { address_.dataLen = byte_offset(size); }
  void SetBufferLen(std::uint32_t bytes) { address_.dataLen = bytes; }
  /// Byte offset in the physical buffer.
  std::uint64_t GetPhyAddr(std::uint32_t offset = 0) const {
    return address_.bufferAddr + byte_offset(offset);
  }
  std::int32_t GetPosition() const { return address_.logicPos; }
  TPosition Position() const { return static_cast<TPosition>(address_.logicPos); }
  void SetUserTag(std::int32_t tag) { tag_ = tag; }
  std::int32_t GetUserTag() const { return tag_; }
  void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shape_; }

  void SetAddr(const TBuffAddr& address) { address_ = address; }
  /// Bytes `bufferOffset` and `bufferSize` behind it of a buffer that the kernel names by itself,
  /// as in `address_.logicPos`; an older form of the constructor with a position.
  void InitBuffer(const std::uint32_t bufferOffset, const std::uint32_t bufferSize) {
    address_.bufferAddr = bufferOffset;
    address_.dataLen = bufferSize;
    address_.bufferHandle = nullptr;
    address_.watched = 0;
  }
  const TBuffAddr& Address() const { return address_; }
  template <typename U>
  void SetAddrWithOffset(const LocalTensor<U>& source, std::uint32_t offset) {
    address_ = source.Address();
    address_.bufferAddr += static_cast<std::uint32_t>(davsim::api::bytes_of_elements<U>(offset));
  }

  /// Prints the elements, or the first `len`, as they are now. Defined in debug.h.
  void Print(davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const;
  void Print(std::uint32_t len,
             davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const;
  /// Writes the bytes as they are now. Returns 0, or -1 if the file cannot be written.
  std::int32_t ToFile(std::string_view fileName, davsim::isa::SourceLocation where =
                                                     davsim::isa::SourceLocation::current()) const;

  davsim::isa::Operand Operand() const {
    return {davsim::api::space_of(Position()), davsim::api::dtype_of<T>(), address_.bufferAddr,
            davsim::isa::Operand::kUnbounded, address_.watched};
  }

  /// Where the tensor lies. Public, because kernels of the field read and write it.
  TBuffAddr address_;

 private:
  static std::uint32_t byte_offset(std::uint32_t elements) {
    return static_cast<std::uint32_t>(davsim::api::bytes_of_elements<T>(elements));
  }
  davsim::isa::Operand element(std::uint32_t index) const {
    davsim::isa::Operand operand = Operand();
    operand.addr += byte_offset(index);
    return operand;
  }

  std::int32_t tag_ = -1;  ///< documented initial value
  ShapeInfo shape_;
};

enum class CacheMode : std::uint8_t {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL = 1,
  CACHE_MODE_LAST = 2,
  CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : std::uint8_t { READ = 1, WRITE = 2, RW = 3 };

template <typename T>
class GlobalTensor : public davsim::api::WithTrait<T> {
  static_assert(sizeof(T) > 0, "elements have a size, what davsim refuses says so");

 public:
  using PrimType = davsim::api::ElementType<T>;
  using IndexType = std::uint64_t;

  void SetGlobalBuffer(__gm__ PrimType* buffer, std::uint64_t bufferSize,
                       davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) {
    address_ = buffer;
    size_ = bufferSize;
    bounded_ = bufferSize != 0;
    watched_ = davsim::api::watch_global(reinterpret_cast<std::uint64_t>(buffer),
                                         davsim::api::bytes_of_elements<T>(bufferSize), where);
  }
  void SetGlobalBuffer(__gm__ PrimType* buffer,
                       davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) {
    SetGlobalBuffer(buffer, 0, where);
  }

  PrimType GetValue(std::uint64_t offset, davsim::isa::SourceLocation where =
                                              davsim::isa::SourceLocation::current()) const {
    return davsim::api::load_element<PrimType>(element(offset), offset, where);
  }
  void SetValue(std::uint64_t offset, PrimType value,
                davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const {
    davsim::api::store_element<PrimType>(element(offset), offset, value, where);
  }
  ElementRef<GlobalTensor, PrimType> operator()(
      std::uint64_t offset,
      davsim::isa::SourceLocation where = davsim::isa::SourceLocation::current()) const {
    return {*this, offset, where};
  }

  template <typename U>
  GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> view;
    using To = davsim::api::ElementType<U>;
    view.address_ = reinterpret_cast<__gm__ To*>(address_);
    view.size_ = size_ * sizeof(PrimType) / sizeof(To);
    view.bounded_ = view.size_ != 0;
    view.watched_ = watched_;
    return view;
  }

  GlobalTensor operator[](std::uint64_t offset) const {
    GlobalTensor view = *this;
    view.address_ = GetPhyAddr(offset);
    view.size_ = offset < size_ ? size_ - offset : 0;
    return view;
  }

  /// Moves the start by `offset` elements.
  void SetAddr(const std::uint64_t offset) { address_ = GetPhyAddr(offset); }
  const __gm__ PrimType* GetPhyAddr() const { return address_; }
  __gm__ PrimType* GetPhyAddr(std::uint64_t offset) const {
    return address_ + davsim::api::bytes_of_elements<T>(offset) / sizeof(PrimType);
  }
  std::uint64_t GetSize() const { return size_; }
  void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shape_; }
  /// CACHE_MODE_DISABLE: what copies read or write here leaves no new line in L2. The other modes
  /// are the default; L2 treats their lines alike.
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode mode) {
    constexpr auto kBits = static_cast<std::uint8_t>(rwMode);
    const bool disable = mode == CacheMode::CACHE_MODE_DISABLE;
    no_allocate_ =
        static_cast<std::uint8_t>(disable ? no_allocate_ | kBits : no_allocate_ & ~kBits);
  }

  davsim::isa::Operand Operand() const { return element(0); }

  /// Where the tensor begins. Public, as LocalTensor's is: kernels hand it to callbacks.
  __gm__ PrimType* address_ = nullptr;

 private:
  template <typename U>
  friend class GlobalTensor;

  davsim::isa::Operand element(std::uint64_t offset) const {
    return {davsim::isa::Space::kGm,
            davsim::api::dtype_of<T>(),
            reinterpret_cast<std::uint64_t>(address_) + davsim::api::bytes_of_elements<T>(offset),
            room(offset),
            watched_,
            no_allocate_};
  }
  /// Bytes from element `offset` to the end.
  std::uint32_t room(std::uint64_t offset) const {
    if (!bounded_) return davsim::isa::Operand::kUnbounded;
    const std::uint64_t bytes =
        offset < size_ ? davsim::api::bytes_of_elements<T>(size_ - offset) : 0;
    return bytes < davsim::isa::Operand::kUnbounded ? static_cast<std::uint32_t>(bytes)
                                                    : davsim::isa::Operand::kUnbounded;
  }

  std::uint64_t size_ = 0;
  bool bounded_ = false;  ///< the size was given, and a part of size 0 has no room
  ShapeInfo shape_;
  std::uint8_t no_allocate_ = 0;  ///< as in isa::Operand
  std::uint16_t watched_ = 0;     ///< its number where a checker watches
};

}  // namespace AscendC
