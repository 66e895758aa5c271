// What tensor(i) is: an element as the scalar unit reads and writes it.
#pragma once

#include "ascendc/types.h"
#include "isa/core/core_sink.hpp"
#include "isa/instr/source_location.hpp"

namespace AscendC {

/// What tensor(i) is. As a temporary it is the element, through the scalar unit: it can be read,
/// assigned to and changed. `auto x = tensor(i)` is a copy of the element as it was then, and what
/// is done to x changes the copy alone.
template <class Tensor, class T>
class ElementRef : private davsim::isa::UnusedElement {
 public:
  using Index = typename Tensor::IndexType;
  using PrintsAs = T;

  ElementRef(const Tensor& tensor, Index index, davsim::isa::SourceLocation where)
      : UnusedElement(load), tensor_(tensor), index_(index), where_(where) {}
  ElementRef(const ElementRef& other)
      : UnusedElement(),
        tensor_(other.tensor_),
        index_(other.index_),
        where_(other.where_),
        value_(other.value()),
        known_(true) {}

  operator T() const { return value(); }  // NOLINT: reads like the element
  /// The element cast to another type of number.
  template <typename U>
  explicit operator U() const {
    return static_cast<U>(value());
  }

  const ElementRef& operator=(T value) && { return store(value); }
  /// The element behind `other`, not the reference.
  const ElementRef& operator=(const ElementRef& other) && { return store(other.value()); }
  template <class Other, class U>
  const ElementRef& operator=(const ElementRef<Other, U>& other) && {
    return store(static_cast<T>(U(other)));
  }
  ElementRef& operator=(T value) & { return hold(value); }
  ElementRef& operator=(const ElementRef& other) & { return hold(other.value()); }
  template <class Other, class U>
  ElementRef& operator=(const ElementRef<Other, U>& other) & {
    return hold(static_cast<T>(U(other)));
  }

#define DAVSIM_CHANGE(op, Operand)                      \
  const ElementRef& operator op##=(Operand operand)&& { \
    return store(static_cast<T>(value() op operand));   \
  }                                                     \
  ElementRef& operator op##=(Operand operand)& {        \
    return hold(static_cast<T>(value() op operand));    \
  }
  DAVSIM_CHANGE(+, T)
  DAVSIM_CHANGE(-, T)
  DAVSIM_CHANGE(*, T)
  DAVSIM_CHANGE(/, T)
  DAVSIM_CHANGE(%, T)
  DAVSIM_CHANGE(&, T)
  DAVSIM_CHANGE(|, T)
  DAVSIM_CHANGE(^, T)
  DAVSIM_CHANGE(<<, int)
  DAVSIM_CHANGE(>>, int)
#undef DAVSIM_CHANGE
#define DAVSIM_STEP(op, sign)                        \
  const ElementRef& operator op()&& {                \
    return store(static_cast<T>(value() sign T(1))); \
  }                                                  \
  ElementRef& operator op()& {                       \
    return hold(static_cast<T>(value() sign T(1)));  \
  }                                                  \
  T operator op(int)&& {                             \
    const T before = value();                        \
    store(static_cast<T>(before sign T(1)));         \
    return before;                                   \
  }                                                  \
  T operator op(int)& {                              \
    const T before = value();                        \
    hold(static_cast<T>(before sign T(1)));          \
    return before;                                   \
  }
  DAVSIM_STEP(++, +)
  DAVSIM_STEP(--, -)
#undef DAVSIM_STEP

 private:
  static void load(const UnusedElement& element) {
    static_cast<void>(static_cast<const ElementRef&>(element).value());
  }
  T value() const {
    if (!known_) {
      take();
      value_ = tensor_.GetValue(index_, where_);
      known_ = true;
    }
    return value_;
  }
  /// Stores the element. Who reads it next, as in a(0) = b(0) = x, loads it.
  const ElementRef& store(T value) {
    take();
    tensor_.SetValue(index_, value, where_);
    known_ = false;
    return *this;
  }
  /// Changes the copy.
  ElementRef& hold(T value) {
    take();
    value_ = value;
    known_ = true;
    return *this;
  }

  Tensor tensor_;
  Index index_;
  davsim::isa::SourceLocation where_;
  mutable T value_{};
  mutable bool known_ = false;
};

}  // namespace AscendC

namespace davsim::api {

/// The type of the number that U is, or that it refers to.
template <typename U>
struct NumberOf {
  using type = U;
};
template <class Tensor, class T>
struct NumberOf<AscendC::ElementRef<Tensor, T>> {
  using type = T;
};

/// True if U is a number of type T, or an element of that type: tensor(i) stands for a number
/// wherever a call takes one.
template <typename T, typename U>
inline constexpr bool kIsNumber = std::is_same_v<ElementType<T>, typename NumberOf<U>::type>;
/// The same for elements only.
template <typename S, typename T>
concept ElementOf = kIsNumber<T, S> && !std::is_same_v<T, S>;

}  // namespace davsim::api
