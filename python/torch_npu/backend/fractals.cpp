#include "fractals.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include <memory>
#include <utility>

#include "graph.hpp"
#include "seen_by_host.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUFormat.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"

namespace at_npu::native {
namespace {

using at::Tensor;

constexpr int64_t kRows = 16, kBytes = 32;

/// The context of a storage in fractals. Its deleter tells it from others.
struct Fractals {
  c10::DataPtr memory;
  std::vector<int64_t> sizes;  ///< in ND
  at::ScalarType type;
};

void free_fractals(void* context) {
  delete static_cast<Fractals*>(context);
}

const Fractals* fractals_of(const Tensor& tensor) {
  if (!on_npu(tensor) || !tensor.has_storage()) return nullptr;
  const c10::DataPtr& data = tensor.storage().data_ptr();
  return data.get_deleter() == &free_fractals ? static_cast<const Fractals*>(data.get_context())
                                              : nullptr;
}

std::vector<int64_t> memory_sizes(at::IntArrayRef sizes, at::ScalarType type) {
  const int64_t c0 = kBytes / static_cast<int64_t>(c10::elementSize(type));
  std::vector<int64_t> memory(sizes.begin(), sizes.end() - 2);
  const int64_t rows = sizes[sizes.size() - 2], columns = sizes[sizes.size() - 1];
  for (const int64_t size : {(columns + c0 - 1) / c0, (rows + kRows - 1) / kRows, kRows, c0}) {
    memory.push_back(size);
  }
  return memory;
}

/// The memory as a tensor of the CPU: [..., columns / C0, rows / 16, 16, C0].
Tensor memory_of(const Tensor& tensor, const Fractals& fractals) {
  return at::from_blob(tensor.storage().data_ptr().get(),
                       memory_sizes(fractals.sizes, fractals.type),
                       at::TensorOptions().dtype(fractals.type).device(kCpu));
}

/// All that lies there, in ND.
Tensor unpacked(const Tensor& tensor, const Fractals& fractals) {
  const Tensor memory = memory_of(tensor, fractals);
  const int64_t last = memory.dim() - 1;
  std::vector<int64_t> padded(fractals.sizes);
  padded[padded.size() - 2] = memory.size(last - 2) * kRows;
  padded[padded.size() - 1] = memory.size(last - 3) * memory.size(last);
  const Tensor rows = memory.transpose(last - 3, last - 2).transpose(last - 2, last - 1);
  return rows.reshape(padded)
      .narrow(-2, 0, fractals.sizes[fractals.sizes.size() - 2])
      .narrow(-1, 0, fractals.sizes[fractals.sizes.size() - 1])
      .contiguous();
}

void pack(const Tensor& values, const Tensor& tensor, const Fractals& fractals) {
  Tensor memory = memory_of(tensor, fractals);
  const int64_t last = memory.dim() - 1, rows = memory.size(last - 2) * kRows;
  const int64_t columns = memory.size(last - 3) * memory.size(last);
  const Tensor padded =
      at::constant_pad_nd(values, {0, columns - values.size(-1), 0, rows - values.size(-2)});
  std::vector<int64_t> parts(fractals.sizes.begin(), fractals.sizes.end() - 2);
  for (const int64_t size :
       {memory.size(last - 2), kRows, memory.size(last - 3), memory.size(last)}) {
    parts.push_back(size);
  }
  memory.copy_(padded.reshape(parts).transpose(last - 2, last - 1).transpose(last - 3, last - 2));
}

/// The part of all that is in ND that a tensor is a view of.
Tensor part_of(const Tensor& whole, const Tensor& tensor) {
  auto* const first = static_cast<char*>(whole.data_ptr()) +
                      tensor.storage_offset() * static_cast<int64_t>(tensor.element_size());
  return at::from_blob(
      first, tensor.sizes(), tensor.strides(), [whole](void*) {},
      at::TensorOptions().dtype(tensor.dtype()).device(kCpu));
}

/// Of layouts whose elements lie as those of ND.
bool is_consecutive(int64_t format) {
  return format < 0 || format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW ||
         format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NCDHW || format == ACL_FORMAT_NCL;
}

}  // namespace

bool in_fractals(const Tensor& tensor) {
  return fractals_of(tensor) != nullptr;
}

std::vector<int64_t> fractal_sizes(const Tensor& tensor) {
  const Fractals* const fractals = fractals_of(tensor);
  TORCH_CHECK(fractals != nullptr, "the tensor does not lie in fractals");
  return memory_sizes(fractals->sizes, fractals->type);
}

Tensor to_fractals(const Tensor& tensor) {
  const at::AutoDispatchBelowAutograd no_gradients;
  TORCH_CHECK(on_npu(tensor), "npu_format_cast: the tensor is on ", tensor.device(),
              ", not on npu");
  TORCH_CHECK(tensor.dim() >= 2, "npu_format_cast: FRACTAL_NZ (29) is a layout of matrices; found ",
              tensor.dim(), " dimensions");
  TORCH_CHECK(tensor.element_size() <= 4 && !tensor.is_complex(),
              "npu_format_cast: FRACTAL_NZ (29) has no elements of ", tensor.scalar_type());
  TORCH_CHECK(!c10_npu::graph::capturing(),
              "npu_format_cast: layouts are changed outside of a graph that is captured");
  c10_npu::device_synchronize();
  const Tensor values = seen_by_host(tensor).contiguous();
  const c10_npu::NPUGuard here(tensor.device().index());
  int64_t bytes = static_cast<int64_t>(tensor.element_size());
  for (const int64_t size : memory_sizes(tensor.sizes(), tensor.scalar_type())) bytes *= size;
  auto fractals = std::make_unique<Fractals>();
  fractals->memory = c10_npu::NPUCachingAllocator::get()->allocate(static_cast<std::size_t>(bytes));
  fractals->sizes = tensor.sizes().vec();
  fractals->type = tensor.scalar_type();
  void* const memory = fractals->memory.get();
  c10::DataPtr data(memory, fractals.release(), &free_fractals, tensor.device());
  c10::Storage storage(c10::Storage::use_byte_size_t(), static_cast<std::size_t>(bytes),
                       std::move(data), c10_npu::NPUCachingAllocator::get(), /*resizable=*/false);
  Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), kKeys, tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_contiguous(tensor.sizes());
  if (bytes > 0) pack(values, made, *fractals_of(made));
  return made;
}

Tensor seen_in_fractals(const Tensor& tensor) {
  return part_of(unpacked(tensor, *fractals_of(tensor)), tensor);
}

void copy_to_fractals(const Tensor& to, const Tensor& values) {
  const Fractals& fractals = *fractals_of(to);
  const Tensor whole = unpacked(to, fractals);
  part_of(whole, to).copy_(values);
  pack(whole, to, fractals);
}

// --- NPUFormat.h, for extensions

int64_t get_npu_format(const Tensor& tensor) {
  return in_fractals(tensor) ? ACL_FORMAT_FRACTAL_NZ : ACL_FORMAT_ND;
}

std::vector<int64_t> get_npu_storage_sizes(const Tensor& tensor) {
  if (in_fractals(tensor)) return fractal_sizes(tensor);
  return {static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size())};
}

Tensor npu_format_cast(const Tensor& tensor, int64_t format) {
  const bool there = in_fractals(tensor);
  if (format == ACL_FORMAT_FRACTAL_NZ) return there ? tensor : to_fractals(tensor);
  TORCH_CHECK(is_consecutive(format),
              "davsim: tensors of torch have the layouts ND and FRACTAL_NZ (29); found format ",
              format);
  return there ? tensor.clone() : tensor;
}

namespace {

TORCH_LIBRARY(davsim_torch, m) {
  m.def("format_cast(Tensor self, int format) -> Tensor", &npu_format_cast);
  m.def("format_of(Tensor self) -> int", &get_npu_format);
}

}  // namespace
}  // namespace at_npu::native

/// Whether a storage lies in fractals.
extern "C" int davsim_torch_in_fractals(c10::StorageImpl* storage) {
  return storage->data_ptr().get_deleter() == &at_npu::native::free_fractals ? 1 : 0;
}
