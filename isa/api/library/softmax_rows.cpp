#include "isa/api/library/softmax_rows.hpp"

namespace davsim::api::lib {

namespace {

void require_room(const Call& call, const char* name, const Tensor& tensor,
                  std::uint64_t elements) {
  if (tensor.elements() < elements) {
    refuse(call.name, name, tensor.elements(),
           {static_cast<std::int64_t>(elements), " elements and more"}, call.where);
  }
}

}  // namespace

const Call& Softmax::check(const Call& call, const SoftMaxTensors& tensors,
                           const SoftMaxForm& form) {
  const auto& [m, k, ori_m, ori_k] = form.shape;
  const std::uint32_t row = tensors.src.bytes_of(k);
  if (k == 0 || row % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of srcK elements", row, "multiples of 32", call.where);
  }
  require_range(call.name, "oriSrcK", ori_k, 1, k, call.where);
  require_range(call.name, "oriSrcM", ori_m, 1, m, call.where);
  if (form.nz && k % 16 != 0) refuse(call.name, "srcK", k, "multiples of 16 in NZ", call.where);
  if (form.basic_block && !form.nz && !sizes::is_basic_block(m, k)) {
    refuse(call.name, "isBasicBlock: srcK", k,
           "multiples of 64 from 64 to 1984 with srcM a multiple of 8", call.where);
  }
  const std::uint64_t elements = std::uint64_t{m} * k;
  require_room(call, "elements of src", tensors.src, elements);
  require_room(call, "elements of dst", tensors.dst, elements);
  const auto require_values = [&](const char* name, const Tensor& values) {
    if (!values.present()) return;
    const auto each = static_cast<std::uint32_t>(isa::kBlockBytes / values.bytes_of(1));
    require_room(call, name, values, form.blocks ? std::uint64_t{ori_m} * each : ori_m);
  };
  require_values("elements of the sums", tensors.sum);
  require_values("elements of the maxima", tensors.max);
  require_values("elements of the means", tensors.mean);
  require_values("elements of the maxima of these columns", tensors.row_max);
  const bool given = form.update || !tensors.sum.present();
  if (given) {
    require_values("elements of the sums that come in", tensors.in_sum);
    require_values("elements of the maxima that come in", tensors.in_max);
    require_values("elements of the means that come in", tensors.in_mean);
    require_values("elements of expMax", tensors.exp_max);
  }
  return call;
}

}  // namespace davsim::api::lib
