// Operators between tensors: z = x + y is Add over all of z, bits = x < y is Compare over all of x.
#pragma once

#include "ascendc/vector_binary.h"
#include "ascendc/vector_compare.h"

namespace davsim::api {

/// Two tensors and an operation, which is emitted when the destination is known.
template <class Operation, typename T>
struct TensorOperation {
  AscendC::LocalTensor<T> src0, src1;
};

/// An operation on its way into a tensor of T; made where the assignment stands.
template <typename T>
class TensorAssignment {
 public:
  template <class Operation, typename U>
  TensorAssignment(  // NOLINT(google-explicit-constructor): the right side of an assignment
      const TensorOperation<Operation, U>& operation, Location where = Location::current())
      : operation_(&operation), run_(&run<Operation, U>), where_(where) {}

  void into(const AscendC::LocalTensor<T>& dst) const { run_(dst, operation_, where_); }

 private:
  template <class Operation, typename U>
  static void run(const AscendC::LocalTensor<T>& dst, const void* operation, Location where) {
    const auto& sources = *static_cast<const TensorOperation<Operation, U>*>(operation);
    Operation::run(dst, sources.src0, sources.src1, where);
  }

  const void* operation_;
  void (*run_)(const AscendC::LocalTensor<T>&, const void*, Location);
  Location where_;
};

}  // namespace davsim::api

namespace AscendC {

template <typename T>
LocalTensor<T>& LocalTensor<T>::operator=(davsim::api::TensorAssignment<T> assignment) {
  assignment.into(*this);
  return *this;
}

/// Defines an operator as a call over as many elements as the result has.
#define DAVSIM_TENSOR_OPERATOR(symbol, Call)                                                     \
  struct Call##Operation {                                                                       \
    template <typename T>                                                                        \
    static void run(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                       \
                    const LocalTensor<T>& src1, davsim::api::Location where) {                   \
      Call(dst, src0, src1, static_cast<std::int32_t>(dst.GetSize()), where);                    \
    }                                                                                            \
  };                                                                                             \
  template <typename T>                                                                          \
  davsim::api::TensorOperation<Call##Operation, T> operator symbol(const LocalTensor<T>& src0,   \
                                                                   const LocalTensor<T>& src1) { \
    return {src0, src1};                                                                         \
  }
DAVSIM_TENSOR_OPERATOR(+, Add)
DAVSIM_TENSOR_OPERATOR(-, Sub)
DAVSIM_TENSOR_OPERATOR(*, Mul)
DAVSIM_TENSOR_OPERATOR(/, Div)
DAVSIM_TENSOR_OPERATOR(&, And)
DAVSIM_TENSOR_OPERATOR(|, Or)
#undef DAVSIM_TENSOR_OPERATOR

/// Compare over as many elements as the sources have; the result has a bit for each.
template <CMPMODE mode>
struct CompareOperation {
  template <typename T, typename U>
  static void run(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                  davsim::api::Location where) {
    Compare(dst, src0, src1, mode, src0.GetSize(), where);
  }
};
#define DAVSIM_TENSOR_COMPARISON(symbol, mode)                             \
  template <typename T>                                                    \
  davsim::api::TensorOperation<CompareOperation<mode>, T> operator symbol( \
      const LocalTensor<T>& src0, const LocalTensor<T>& src1) {            \
    return {src0, src1};                                                   \
  }
DAVSIM_TENSOR_COMPARISON(<, CMPMODE::LT)
DAVSIM_TENSOR_COMPARISON(>, CMPMODE::GT)
DAVSIM_TENSOR_COMPARISON(==, CMPMODE::EQ)
DAVSIM_TENSOR_COMPARISON(<=, CMPMODE::LE)
DAVSIM_TENSOR_COMPARISON(>=, CMPMODE::GE)
DAVSIM_TENSOR_COMPARISON(!=, CMPMODE::NE)
#undef DAVSIM_TENSOR_COMPARISON

}  // namespace AscendC
