// Matrices that lie in fractals, the layout FRACTAL_NZ (29): for sizes [..., rows, columns] the
// memory is [..., ceil(columns / C0), ceil(rows / 16), 16, C0], where C0 elements are 32 bytes.
// Sizes and strides of a tensor stay those of ND; that it lies so is known by its storage.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace at_npu::native {

/// Whether a tensor of npu, or what it is a view of, lies in fractals.
bool in_fractals(const at::Tensor& tensor);
/// The sizes of the memory of such a tensor.
std::vector<int64_t> fractal_sizes(const at::Tensor& tensor);
/// A copy in fractals. Throws c10::Error for fewer than two dimensions and elements of 8 bytes.
at::Tensor to_fractals(const at::Tensor& tensor);
/// What the host sees of a tensor in fractals: a copy in ND.
at::Tensor seen_in_fractals(const at::Tensor& tensor);
/// Puts `values`, a tensor of the CPU, into a tensor in fractals.
void copy_to_fractals(const at::Tensor& to, const at::Tensor& values);

}  // namespace at_npu::native
