// EXEC_NPU_CMD and its variants: calls the two functions of an operator of libcust_opapi.so with
// arguments of torch.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>
#include <aclnn/acl_meta.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "torch_npu/csrc/aten/NPUNativeFunctions.h"
#include "torch_npu/csrc/core/npu/register/OptionsManager.h"

inline const char* GetOpApiLibName() {
  return "libopapi.so";
}
inline const char* GetCustOpApiLibName() {
  return "libcust_opapi.so";
}

inline void* GetOpApiLibHandler(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY);
  if (handle == nullptr) ASCEND_LOGW("dlopen %s failed, error:%s.", library, dlerror());
  return handle;
}

/// A function of the user's operators, of those below ASCEND_CUSTOM_OPP_PATH, or of what the
/// process has loaded; null if there is none of that name.
inline void* GetOpApiFuncAddr(const char* function) {
  static const std::vector<void*> libraries = [] {
    std::vector<void*> all;
    const char* paths = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    std::string rest = paths == nullptr ? "" : paths;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      const std::string folder = rest.substr(0, colon);
      rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
      if (!folder.empty()) {
        all.push_back(GetOpApiLibHandler((folder + "/op_api/lib/libcust_opapi.so").c_str()));
      }
    }
    all.push_back(GetOpApiLibHandler(GetCustOpApiLibName()));
    all.push_back(GetOpApiLibHandler(GetOpApiLibName()));
    return all;
  }();
  for (void* library : libraries) {
    if (library == nullptr) continue;
    if (void* const found = dlsym(library, function)) return found;
  }
  return dlsym(RTLD_DEFAULT, function);
}
#define GET_OP_API_FUNC(name) reinterpret_cast<_##name>(GetOpApiFuncAddr(#name))

namespace op_plugin::detail {

inline aclTensor* tensor_of(const at::Tensor& tensor) {
  const auto& sizes = tensor.sizes();
  const aclFormat format = sizes.size() == 3   ? ACL_FORMAT_NCL
                           : sizes.size() == 4 ? ACL_FORMAT_NCHW
                           : sizes.size() == 5 ? ACL_FORMAT_NCDHW
                                               : ACL_FORMAT_ND;
  if (at_npu::native::get_npu_format(tensor) == ACL_FORMAT_FRACTAL_NZ) {
    const std::vector<int64_t> memory = at_npu::native::get_npu_storage_sizes(tensor);
    return aclCreateTensor(sizes.data(), sizes.size(),
                           at_npu::native::CalcuOpUtil::ConvertToAclDataType(tensor.scalar_type()),
                           tensor.strides().data(), tensor.storage_offset(), ACL_FORMAT_FRACTAL_NZ,
                           memory.data(), memory.size(), tensor.storage().data_ptr().get());
  }
  const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size());
  char* const first = static_cast<char*>(tensor.data_ptr()) -
                      tensor.storage_offset() * static_cast<int64_t>(tensor.element_size());
  return aclCreateTensor(sizes.data(), sizes.size(),
                         at_npu::native::CalcuOpUtil::ConvertToAclDataType(tensor.scalar_type()),
                         tensor.strides().data(), tensor.storage_offset(), format, &elements, 1,
                         first);
}

inline aclScalar* scalar_of(const at::Scalar& scalar) {
  if (scalar.isBoolean()) {
    bool value = scalar.toBool();
    return aclCreateScalar(&value, ACL_BOOL);
  }
  if (scalar.isIntegral(false)) {
    int64_t value = scalar.toLong();
    return aclCreateScalar(&value, ACL_INT64);
  }
  double value = scalar.toDouble();
  return aclCreateScalar(&value, ACL_DOUBLE);
}

}  // namespace op_plugin::detail

// What an argument becomes in the call.

inline aclTensor* ConvertType(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number() || !torch_npu::utils::is_npu(tensor)) {
    TORCH_CHECK(tensor.dim() == 0, "Expected all tensors to be on npu, but found a tensor on ",
                tensor.device(), " of shape ", tensor.sizes());
    return op_plugin::detail::tensor_of(tensor.to(c10::DeviceType::PrivateUse1));
  }
  return op_plugin::detail::tensor_of(tensor);
}
inline aclScalar* ConvertType(const at::Scalar& scalar) {
  return op_plugin::detail::scalar_of(scalar);
}
inline aclIntArray* ConvertType(const at::IntArrayRef& values) {
  return aclCreateIntArray(values.data(), values.size());
}
inline aclIntArray* ConvertType(const std::vector<int64_t>& values) {
  return aclCreateIntArray(values.data(), values.size());
}
template <std::size_t N>
aclBoolArray* ConvertType(const std::array<bool, N>& values) {
  return aclCreateBoolArray(values.data(), values.size());
}
inline aclBoolArray* ConvertType(const at::ArrayRef<bool>& values) {
  return aclCreateBoolArray(values.data(), values.size());
}
inline aclFloatArray* ConvertType(const at::ArrayRef<float>& values) {
  return aclCreateFloatArray(values.data(), values.size());
}
inline aclFloatArray* ConvertType(const at::ArrayRef<double>& values) {
  const std::vector<float> floats(values.begin(), values.end());
  return aclCreateFloatArray(floats.data(), floats.size());
}
inline aclTensorList* ConvertType(const at::TensorList& tensors) {
  std::vector<const aclTensor*> list;
  for (const at::Tensor& tensor : tensors) list.push_back(ConvertType(tensor));
  return aclCreateTensorList(list.data(), list.size());
}
inline aclTensorList* ConvertType(const std::vector<at::Tensor>& tensors) {
  return ConvertType(at::TensorList(tensors));
}
inline aclDataType ConvertType(const at::ScalarType& type) {
  return at_npu::native::acl_type_of(type);
}
inline const char* ConvertType(const std::string& text) {
  return text.c_str();
}
inline aclTensor* ConvertType(const c10::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? ConvertType(*tensor) : nullptr;
}
inline aclScalar* ConvertType(const c10::optional<at::Scalar>& scalar) {
  return scalar.has_value() ? ConvertType(*scalar) : nullptr;
}
inline aclIntArray* ConvertType(const c10::optional<at::IntArrayRef>& values) {
  return values.has_value() ? ConvertType(*values) : nullptr;
}
inline aclIntArray* ConvertType(const c10::OptionalArrayRef<int64_t>& values) {
  return values.has_value() ? ConvertType(*values) : nullptr;
}
template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_pointer_v<T> ||
                                        std::is_null_pointer_v<T>,
                                    int> = 0>
T ConvertType(T value) {
  return value;
}

template <class... T>
auto ConvertTypes(const T&... arguments) {
  return std::make_tuple(ConvertType(arguments)...);
}

// A null pointer stands for an argument that is left out.
inline void Release(aclTensor* object) {
  if (object != nullptr) aclDestroyTensor(object);
}
inline void Release(aclScalar* object) {
  if (object != nullptr) aclDestroyScalar(object);
}
inline void Release(aclIntArray* object) {
  if (object != nullptr) aclDestroyIntArray(object);
}
inline void Release(aclBoolArray* object) {
  if (object != nullptr) aclDestroyBoolArray(object);
}
inline void Release(aclFloatArray* object) {
  if (object != nullptr) aclDestroyFloatArray(object);
}
inline void Release(aclTensorList* object) {
  if (object != nullptr) aclDestroyTensorList(object);
}
template <class T>
void Release(T) {}

template <class Tuple>
void ReleaseConvertTypes(Tuple& converted) {
  std::apply([](auto... object) { (Release(object), ...); }, converted);
}

namespace op_plugin::detail {

template <class... T>
struct Functions {
  using Prepare = int (*)(T..., uint64_t*, aclOpExecutor**);
  using Execute = int (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
};

template <class... T>
void execute(const char* name, bool wait, std::tuple<T...> converted) {
  using Call = Functions<T...>;
  const std::string prepare_name = std::string(name) + "GetWorkspaceSize";
  const auto prepare =
      reinterpret_cast<typename Call::Prepare>(GetOpApiFuncAddr(prepare_name.c_str()));
  const auto run = reinterpret_cast<typename Call::Execute>(GetOpApiFuncAddr(name));
  TORCH_CHECK(prepare != nullptr && run != nullptr, name, " or ", prepare_name, " not in ",
              GetOpApiLibName(), ", or ", GetCustOpApiLibName(), " not found.");
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  c10_npu::ensure_thread();
  const int prepared = std::apply(
      [&](auto... argument) { return prepare(argument..., &bytes, &executor); }, converted);
  if (prepared != 0) {
    const std::string why = c10_npu::recent_error();
    ReleaseConvertTypes(converted);
    TORCH_CHECK(false, "call ", prepare_name, " failed (", prepared, "), detail: ", why);
  }
  at::Tensor workspace;
  if (bytes != 0) workspace = at_npu::native::OpPreparation::unsafe_empty_workspace(bytes);
  void* const address = bytes == 0 ? nullptr : workspace.data_ptr();
  const aclrtStream stream = c10_npu::getCurrentNPUStream().stream(false);
  at_npu::native::OpCommand::RunOpApi(
      name,
      [&] {
        const int code = run(address, bytes, executor, stream);
        const std::string why = code == 0 ? "" : c10_npu::recent_error();
        ReleaseConvertTypes(converted);
        TORCH_CHECK(code == 0, "call ", name, " failed (", code, "), detail: ", why);
        return code;
      },
      wait);
}

}  // namespace op_plugin::detail

#define EXEC_NPU_CMD(aclnn_api, ...) \
  ::op_plugin::detail::execute(#aclnn_api, false, ConvertTypes(__VA_ARGS__))
#define EXEC_NPU_CMD_V1(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
#define EXEC_NPU_CMD_V2(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
#define EXEC_NPU_CMD_EXT(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
#define EXEC_NPU_NO_FORMAT_CHECK_CMD(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
#define EXEC_NPU_NO_FORMAT_CHECK_CMD_V1(aclnn_api, ...) EXEC_NPU_CMD(aclnn_api, __VA_ARGS__)
#define EXEC_NPU_CMD_SYNC(aclnn_api, ...) \
  ::op_plugin::detail::execute(#aclnn_api, true, ConvertTypes(__VA_ARGS__))
/// Takes another way if the library has no such operator.
#define DO_COMPATIBILITY(aclnn_api, call)                                     \
  do {                                                                        \
    static const bool davsim_known = GetOpApiFuncAddr(#aclnn_api) != nullptr; \
    if (!davsim_known) return call;                                           \
  } while (false)
