// Shapes and strides as types: Layout, and TensorTrait, which tensors can be typed by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ascendc/language.h"
#include "ascendc/types.h"

namespace AscendC {

template <typename... Sizes>
using Shape = Std::tuple<Sizes...>;
template <typename... Sizes>
using Stride = Std::tuple<Sizes...>;
template <typename... Sizes>
using Coord = Std::tuple<Sizes...>;

template <typename... Sizes>
constexpr Shape<Sizes...> MakeShape(const Sizes&... sizes) {
  return Shape<Sizes...>(sizes...);
}
template <typename... Sizes>
constexpr Stride<Sizes...> MakeStride(const Sizes&... sizes) {
  return Stride<Sizes...>(sizes...);
}
template <typename... Sizes>
constexpr Coord<Sizes...> MakeCoord(const Sizes&... sizes) {
  return Coord<Sizes...>(sizes...);
}

/// The sizes of an array's dimensions, and the elements from one index to the next of each.
template <typename ShapeType, typename StrideType>
struct Layout {
  constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : shape_(shape), stride_(stride) {}
  constexpr decltype(auto) layout() { return *this; }
  constexpr decltype(auto) layout() const { return *this; }
  constexpr auto& GetShape() { return shape_; }
  constexpr const auto& GetShape() const { return shape_; }
  constexpr auto& GetStride() { return stride_; }
  constexpr const auto& GetStride() const { return stride_; }

  /// The elements in front of a place.
  template <typename... Indices>
  constexpr auto operator()(const Coord<Indices...>& coord) const {
    static_assert(sizeof...(Indices) == std::tuple_size_v<StrideType>,
                  "Layout: the coordinate and the stride have as many dimensions");
    return offset(coord, std::make_index_sequence<sizeof...(Indices)>{});
  }

 private:
  template <typename CoordType, std::size_t... at>
  constexpr auto offset(const CoordType& coord, std::index_sequence<at...>) const {
    return (std::size_t{0} + ... +
            (static_cast<std::size_t>(std::get<at>(coord)) *
             static_cast<std::size_t>(std::get<at>(stride_))));
  }

  ShapeType shape_;
  StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape,
                                                   const StrideType& stride) {
  return {shape, stride};
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC

namespace davsim::api {

/// The layout of a TensorTrait.
template <typename LayoutType>
class TraitLayout {
 public:
  constexpr TraitLayout(const LayoutType& layout = {}) : layout_(layout) {}
  constexpr LayoutType& GetLayout() { return layout_; }
  constexpr const LayoutType& GetLayout() const { return layout_; }
  constexpr void SetLayout(const LayoutType& layout) { layout_ = layout; }

 private:
  LayoutType layout_;
};
/// One without dimensions takes no room, so that the trait is as large as an element.
template <>
class TraitLayout<AscendC::Layout<AscendC::Shape<>, AscendC::Stride<>>> {
  using Empty = AscendC::Layout<AscendC::Shape<>, AscendC::Stride<>>;

 public:
  constexpr TraitLayout(const Empty& = {}) {}
  constexpr Empty GetLayout() const { return {}; }
  constexpr void SetLayout(const Empty&) {}
};

}  // namespace davsim::api

namespace AscendC {

/// A type of elements with a layout: LocalTensor<TensorTrait<float>> is LocalTensor<float> without
/// a ShapeInfo. It stands for an element wherever the calls do, by size and as a number.
template <typename T, TPosition pos = TPosition::GM,
          typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait : davsim::api::TraitLayout<LayoutType> {
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr TPosition tPos = pos;

  constexpr TensorTrait(const LayoutType& layout = {})
      : davsim::api::TraitLayout<LayoutType>(layout) {}
  template <typename Number>
  requires std::is_convertible_v<Number, T>
  constexpr explicit TensorTrait(Number element) : element_(static_cast<T>(element)) {}
  constexpr explicit operator T() const { return element_; }

 private:
  T element_{};
};
static_assert(sizeof(TensorTrait<std::int8_t>) == 1);

template <typename T, TPosition pos, typename LayoutType>
constexpr auto MakeTensorTrait(const LayoutType& layout) {
  return TensorTrait<T, pos, LayoutType>(layout);
}

}  // namespace AscendC

namespace davsim::api {

template <class T, AscendC::TPosition pos, class LayoutType>
struct ElementOfType<AscendC::TensorTrait<T, pos, LayoutType>> {
  using type = T;
};

}  // namespace davsim::api

namespace AscendC {

template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
template <typename T>
constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;
/// The type of a tensor's elements.
template <typename T>
using PrimT = davsim::api::ElementType<T>;

}  // namespace AscendC
