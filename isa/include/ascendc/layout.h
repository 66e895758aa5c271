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

}  // namespace AscendC

namespace davsim::api {

template <class>
struct IsTuple : std::false_type {};
template <class... Elements>
struct IsTuple<AscendC::Std::tuple<Elements...>> : std::true_type {};

template <class Coord, class Shape, class Stride>
constexpr std::size_t place_of(const Coord& coord, const Shape& shape, const Stride& stride);

template <class Coord, class Shape, class Stride, std::size_t... at>
constexpr std::size_t sum_of_places(const Coord& coord, const Shape& shape, const Stride& stride,
                                    std::index_sequence<at...>) {
  return (std::size_t{0} + ... +
          place_of(std::get<at>(coord), std::get<at>(shape), std::get<at>(stride)));
}

/// A number in several dimensions: the first one counts fastest, the last one takes the rest.
template <std::size_t at, class Shape, class Stride>
constexpr std::size_t place_in(std::size_t number, const Shape& shape, const Stride& stride) {
  if constexpr (at + 1 == std::tuple_size_v<Shape>) {
    return place_of(number, std::get<at>(shape), std::get<at>(stride));
  } else {
    const auto size = static_cast<std::size_t>(std::get<at>(shape));
    return place_of(number % size, std::get<at>(shape), std::get<at>(stride)) +
           place_in<at + 1>(number / size, shape, stride);
  }
}

/// The elements in front of a coordinate. Where the shape is nested and the coordinate is a number,
/// the number becomes a coordinate of that part.
template <class Coord, class Shape, class Stride>
constexpr std::size_t place_of(const Coord& coord, const Shape& shape, const Stride& stride) {
  if constexpr (IsTuple<Coord>::value) {
    constexpr std::size_t kDimensions = std::tuple_size_v<Coord>;
    static_assert(kDimensions == std::tuple_size_v<Stride>,
                  "Layout: the coordinate and the stride have as many dimensions");
    static_assert(kDimensions == std::tuple_size_v<Shape>,
                  "Layout: the coordinate and the shape have as many dimensions");
    return sum_of_places(coord, shape, stride, std::make_index_sequence<kDimensions>{});
  } else if constexpr (IsTuple<Shape>::value) {
    return place_in<0>(static_cast<std::size_t>(coord), shape, stride);
  } else {
    return static_cast<std::size_t>(coord) * static_cast<std::size_t>(stride);
  }
}

}  // namespace davsim::api

namespace AscendC {

/// The elements in front of a place of an array of this shape and stride. Numbers of a coordinate
/// stand for nested dimensions as well, of which the first counts fastest.
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
  return davsim::api::place_of(coord, shape, stride);
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
  template <typename CoordType>
  constexpr auto operator()(const CoordType& coord) const {
    return Crd2Idx(coord, shape_, stride_);
  }

 private:
  ShapeType shape_;
  StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape,
                                                   const StrideType& stride) {
  return {shape, stride};
}

template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
  return layout(coord);
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC

namespace davsim::api {

/// Elements of a shape whose sizes are constants, such as Std::Int<16>.
template <class Size>
inline constexpr std::uint32_t kConstantElements = [] {
  static_assert(
      requires { Size::value; },
      "Alloc: the TensorTrait's shape consists of constants, such as Std::Int<16>");
  return static_cast<std::uint32_t>(Size::value);
}();
template <class... Sizes>
inline constexpr std::uint32_t kConstantElements<AscendC::Std::tuple<Sizes...>> =
    (std::uint32_t{1} * ... * kConstantElements<Sizes>);

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
