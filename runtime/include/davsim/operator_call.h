/* What the functions of operators, aclnnAddCustom and so on, call. davsim-opbuild writes these
 * functions. */
#pragma once

#include <cstddef>
#include <cstdint>

#include "aclnn/acl_meta.h"

/* The library of the kernels, as generated functions name it. Those of a static library are in the
 * program, so that these say where the kernels lie: DAVSIM_KERNEL_FOLDER is a folder with a / at
 * its end. */
#ifdef DAVSIM_KERNEL_FOLDER
#define DAVSIM_KERNELS_OF(library) DAVSIM_KERNEL_FOLDER library
#else
#define DAVSIM_KERNELS_OF(library) library
#endif

extern "C" {

struct DavsimOperator {
  const char* type;      ///< "AddCustom"
  const char* function;  ///< "aclnnAddCustom", for messages
  /// File name of the library that has the operator's kernels and its tiling. It is loaded at the
  /// first call, from where the library of `caller` lies: from its folder, the folder above, or
  /// ../../op_impl/ai_core/davsim of an installed package.
  const char* library;
  const void* caller;  ///< an address within the library of the function
};

/// Generated functions say while their library is loaded which operator they call, so that
/// hand-written functions can launch it by its name. Returns 0.
int davsim_operator_known(const DavsimOperator* which);

enum DavsimArgumentKind {
  DAVSIM_TENSOR,
  DAVSIM_TENSOR_LIST,
  DAVSIM_SCALAR,
  DAVSIM_SCALAR_LIST,
  DAVSIM_INT_ARRAY,
  DAVSIM_FLOAT_ARRAY,
  DAVSIM_BOOL_ARRAY,
  DAVSIM_STRING,
  DAVSIM_INT,
  DAVSIM_FLOAT,
  DAVSIM_BOOL
};

struct DavsimArgument {
  DavsimArgumentKind kind;
  const void* object;  ///< of the first eight kinds; null: missing
  int64_t whole;
  double real;
};

/// The first phase. The arguments are those of the function in its order: inputs, attributes,
/// outputs that are no inputs. Returns
///   0       *executor is ready for davsim_operator_run, which frees it
///   161001  a required argument is missing; 161002: types, formats or strides do not do
///   361001  the device cannot be used
///   561002  the tiling function refuses the call; 561003: the library has no kernel for it
///   561112  the library of the operator is not found
/// aclGetRecentErrMsg tells more.
aclnnStatus davsim_operator_prepare(const DavsimOperator* which, const DavsimArgument* arguments,
                                    size_t count, uint64_t* workspace_size,
                                    aclOpExecutor** executor);

/// The second phase: queues the kernel. An executor serves once unless it is repeatable.
aclnnStatus davsim_operator_run(const DavsimOperator* which, void* workspace,
                                uint64_t workspace_size, aclOpExecutor* executor,
                                aclrtStream stream);

}  // extern "C"

namespace davsim {

inline DavsimArgument argument(const aclTensor* value) {
  return {DAVSIM_TENSOR, value, 0, 0};
}
inline DavsimArgument argument(const aclTensorList* value) {
  return {DAVSIM_TENSOR_LIST, value, 0, 0};
}
inline DavsimArgument argument(const aclScalar* value) {
  return {DAVSIM_SCALAR, value, 0, 0};
}
inline DavsimArgument argument(const aclScalarList* value) {
  return {DAVSIM_SCALAR_LIST, value, 0, 0};
}
inline DavsimArgument argument(const aclIntArray* value) {
  return {DAVSIM_INT_ARRAY, value, 0, 0};
}
inline DavsimArgument argument(const aclFloatArray* value) {
  return {DAVSIM_FLOAT_ARRAY, value, 0, 0};
}
inline DavsimArgument argument(const aclBoolArray* value) {
  return {DAVSIM_BOOL_ARRAY, value, 0, 0};
}
inline DavsimArgument argument(const char* value) {
  return {DAVSIM_STRING, value, 0, 0};
}
inline DavsimArgument argument(int64_t value) {
  return {DAVSIM_INT, nullptr, value, 0};
}
inline DavsimArgument argument(double value) {
  return {DAVSIM_FLOAT, nullptr, 0, value};
}
inline DavsimArgument argument(bool value) {
  return {DAVSIM_BOOL, nullptr, value, 0};
}

}  // namespace davsim
