// What the first phase of an aclnn function leaves to the second, and how a hand-written function
// fills it: with tensors of the workspace and of the host, and with work on them
// (opdev/make_op_executor.h, aclnn_kernels/). Calls that fail return a null pointer;
// aclGetRecentErrMsg tells more.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>

#include "opdev/common_types.h"
#include "opdev/op_log.h"

namespace davsim::op_api {
class WorkList;
}

struct aclOpExecutor {
  virtual ~aclOpExecutor() = default;
  /// Which tensor of an operator: among its inputs and outputs, or one of these.
  struct Place {
    enum class Among { kAll, kInputs, kOutputs };
    Among among = Among::kAll;
    /// Of tensors; of parameters where `in_list` is given.
    std::size_t index = 0;
    std::optional<std::size_t> in_list = std::nullopt;  ///< of the parameter's tensors
  };
  /// Gives a tensor another address; false: there is none. `tensor` is the program's object, which
  /// stands for a place in functions that consist of several steps.
  virtual bool set_address(const Place& place, const aclTensor* tensor, void* address) {
    static_cast<void>(place);
    static_cast<void>(tensor);
    static_cast<void>(address);
    return false;
  }
  /// Null unless CREATE_EXECUTOR made it.
  virtual davsim::op_api::WorkList* work() { return nullptr; }
  bool repeatable = false;

  // Tensors of the workspace. Without a shape they get theirs by INFER_SHAPE.
  aclTensor* AllocTensor(const op::Shape& shape, op::DataType type,
                         op::Format format = op::Format::FORMAT_ND);
  aclTensor* AllocTensor(const op::Shape& storage, const op::Shape& original, op::DataType type,
                         op::Format storage_format, op::Format original_format);
  aclTensor* AllocTensor(op::DataType type, op::Format storage_format, op::Format original_format);

  // Tensors whose elements the host has; they go to the device with the operator that takes them.
  aclTensor* AllocHostTensor(const op::Shape& shape, op::DataType type,
                             op::Format format = op::Format::FORMAT_ND);
  template <class T>
  aclTensor* AllocHostTensor(const T* values, std::uint64_t count, op::DataType type) {
    return host_tensor(values, davsim_type_of(T{}), count, type);
  }
  const aclTensor* ConvertToTensor(const aclIntArray* values, op::DataType type);
  const aclTensor* ConvertToTensor(const aclFloatArray* values, op::DataType type);
  const aclTensor* ConvertToTensor(const aclBoolArray* values, op::DataType type);
  const aclTensor* ConvertToTensor(const aclScalar* value, op::DataType type);
  template <class T>
  const aclTensor* ConvertToTensor(const T* values, std::uint64_t count, op::DataType type) {
    return host_tensor(values, davsim_type_of(T{}), count, type);
  }

  // Views of a tensor, `offset` elements behind its first.
  aclTensor* CreateView(const aclTensor* tensor, const op::Shape& shape, std::int64_t offset);
  aclTensor* CreateView(const aclTensor* tensor, const op::Shape& shape, const op::Shape& storage,
                        const op::Strides& strides, std::int64_t offset);

  aclIntArray* AllocIntArray(const std::int64_t* values, std::uint64_t count);
  aclFloatArray* AllocFloatArray(const float* values, std::uint64_t count);
  aclBoolArray* AllocBoolArray(const bool* values, std::uint64_t count);
  aclTensorList* AllocTensorList(const aclTensor* const* tensors, std::uint64_t count);
  aclScalarList* AllocScalarList(const aclScalar* const* scalars, std::uint64_t count);
  aclScalar* AllocScalar(const void* value, op::DataType type);
  template <class T>
  aclScalar* AllocScalar(T value) {
    return AllocScalar(&value, davsim_type_of(value));
  }

  /// Bytes of the tensors above and of the workspaces of operators.
  std::uint64_t GetWorkspaceSize();
  void AbandonCache(bool = false) {}

 private:
  static op::DataType davsim_type_of(float) { return op::DataType::DT_FLOAT; }
  static op::DataType davsim_type_of(double) { return op::DataType::DT_DOUBLE; }
  static op::DataType davsim_type_of(bool) { return op::DataType::DT_BOOL; }
  static op::DataType davsim_type_of(char) { return op::DataType::DT_INT8; }
  static op::DataType davsim_type_of(std::int8_t) { return op::DataType::DT_INT8; }
  static op::DataType davsim_type_of(std::int16_t) { return op::DataType::DT_INT16; }
  static op::DataType davsim_type_of(std::int32_t) { return op::DataType::DT_INT32; }
  static op::DataType davsim_type_of(std::int64_t) { return op::DataType::DT_INT64; }
  static op::DataType davsim_type_of(long long) { return op::DataType::DT_INT64; }
  static op::DataType davsim_type_of(std::uint8_t) { return op::DataType::DT_UINT8; }
  static op::DataType davsim_type_of(std::uint16_t) { return op::DataType::DT_UINT16; }
  static op::DataType davsim_type_of(std::uint32_t) { return op::DataType::DT_UINT32; }
  static op::DataType davsim_type_of(std::uint64_t) { return op::DataType::DT_UINT64; }
  aclTensor* host_tensor(const void* values, op::DataType from, std::uint64_t count,
                         op::DataType type);
};

/// The executor of a first phase until ReleaseTo gives it to the caller.
class UniqueExecutor {
 public:
  explicit UniqueExecutor(const char* function);
  UniqueExecutor(const UniqueExecutor&) = delete;
  UniqueExecutor& operator=(const UniqueExecutor&) = delete;
  ~UniqueExecutor();

  aclOpExecutor* get() const { return executor_; }
  aclOpExecutor* operator->() const { return executor_; }
  void ReleaseTo(aclOpExecutor** executor);

 private:
  aclOpExecutor* executor_;
};

/// The second phase: queues the work in its order. An executor serves once unless it is repeatable.
aclnnStatus CommonOpExecutorRun(void* workspace, std::uint64_t workspace_size,
                                aclOpExecutor* executor, aclrtStream stream);
