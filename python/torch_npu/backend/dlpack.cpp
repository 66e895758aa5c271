// Tensors of npu for other libraries by DLPack, as torch 2 gives them: the device is kDLExtDev, and
// the address is one of the host as well. Torch 1.13 knows no such device.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2

#include <utility>

#include "failure.hpp"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace {

at::Tensor of_tensor(c10::TensorImpl* tensor) {
  return at::Tensor(c10::intrusive_ptr<c10::TensorImpl>::unsafe_reclaim_from_nonowning(tensor));
}

/// A tensor of npu in the memory of one that the host sees.
at::Tensor on_npu(const at::Tensor& host, int device) {
  const c10::Device npu(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device));
  c10::DataPtr data(
      host.data_ptr(), new at::Tensor(host), [](void* of) { delete static_cast<at::Tensor*>(of); },
      npu);
  const std::size_t bytes =
      at::detail::computeStorageNbytes(host.sizes(), host.strides(), host.dtype().itemsize());
  c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, std::move(data));
  at::Tensor made = at::empty({0}, host.options().device(npu));
  return made.set_(std::move(storage), 0, host.sizes(), host.strides());
}

}  // namespace

/// What a capsule holds for a tensor of npu; null, or what went wrong.
extern "C" const char* davsim_torch_to_dlpack(c10::TensorImpl* tensor, DLManagedTensor** made) {
  return c10_npu::text_of_failure([&] {
    c10_npu::device_synchronize();
    const at::Tensor npu = of_tensor(tensor);
    const int device = npu.device().index();
    const auto options = npu.options().device(c10::DeviceType::CPU);
    *made = at::toDLPack(at::from_blob(
        npu.data_ptr(), npu.sizes(), npu.strides(), [npu](void*) {}, options));
    (*made)->dl_tensor.device = {kDLExtDev, device};
  });
}

extern "C" void davsim_torch_release_dlpack(DLManagedTensor* held) {
  if (held->deleter != nullptr) held->deleter(held);
}

/// Whether it is of npu.
extern "C" int davsim_torch_is_dlpack_of_npu(const DLManagedTensor* held) {
  return held->dl_tensor.device.device_type == kDLExtDev ? 1 : 0;
}

/// Makes a tensor of npu that one.
extern "C" const char* davsim_torch_from_dlpack(c10::TensorImpl* tensor, DLManagedTensor* held) {
  return c10_npu::text_of_failure([&] {
    const int device = std::exchange(held->dl_tensor.device, {kDLCPU, 0}).device_id;
    of_tensor(tensor).set_data(on_npu(at::fromDLPack(held), device));
  });
}

#endif
