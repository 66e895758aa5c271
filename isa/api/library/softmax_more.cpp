// Gradients of the softmax, the third flash version, and the adjustment of results.
#include "ascendc/sync.h"
#include "isa/api/library/softmax_rows.hpp"
#include "isa/core/core_sink.hpp"

namespace davsim::api::lib {

void softmax_grad(const Call& call, const SoftMaxTensors& t, const Tensor& grad,
                  const SoftMaxForm& form, bool front) {
  if (!core_has(isa::Pipe::V)) return;
  // The sums are results of their own where only they are asked for.
  SoftMaxTensors tensors = t;
  if (front) {
    tensors.sum = t.dst;
    tensors.dst = t.src;
  }
  Softmax rows(call, tensors, form, sizes::softmax_grad);
  const Code& code = rows.code();
  const Tensor second = rows.rows_of_floats();
  const auto work = [&](const Panel& p) { return rows.work_view(second, p); };
  const auto load_grad = [&](const Panel& p) {
    if (rows.is_float()) return rows.rows_of(grad, p);
    code.cast_rows(rows.now(), p.width, work(p), rows.rows_of(grad, p), isa::RoundMode::kNone);
    return work(p);
  };
  rows.each([&] {
    rows.load();
    rows.each_panel([&](const Panel& p) {
      const View g = load_grad(p);
      code.over_rows(op::kMul, rows.now(), p.width, work(p), g, rows.x(p));
    });
    rows.reduce_all(op::kSumOfRow, rows.sum(), work);
    if (front) return rows.store_values(tensors.sum, rows.sum());
    rows.each_panel([&](const Panel& p) {
      const View g = load_grad(p);
      code.over_rows(op::kSub, rows.now(), p.width, work(p), g, row_blocks(rows.sum()));
      code.over_rows(op::kMul, rows.now(), p.width, rows.y(p), work(p), rows.x(p));
    });
    rows.store();
  });
}

void softmax_flash_v3(const Call& call, const SoftMaxTensors& t, const SoftMaxForm& form,
                      const AscendC::SoftMaxParams& params) {
  if (!core_has(isa::Pipe::V)) return;
  require_range(call.name, "splitMeanCnt", params.splitMeanCnt, 1, 64, call.where);
  require_range(call.name, "loopCnt", params.loopCnt, 1, INT32_MAX, call.where);
  const std::uint32_t part = form.shape.oriSrcK / params.splitMeanCnt;
  if (part % 8 != 0 || part * params.splitMeanCnt != form.shape.oriSrcK || form.nz) {
    refuse(call.name, "oriSrcK", form.shape.oriSrcK,
           {"multiples of ", params.splitMeanCnt * 8, " (8 splitMeanCnt) in ND"}, call.where);
  }
  const double ratio = params.alpha / (1.0 - params.alpha), loops = params.loopCnt;
  Softmax rows(call, t, form, sizes::softmax_v3);
  const Code& code = rows.code();
  const Tensor global = rows.block_a_row(), mean = rows.block_a_row(), shift = rows.block_a_row(),
               spare = rows.block_a_row();
  rows.each([&] {
    const std::uint32_t n = rows.eights();
    rows.load();
    rows.reduce(op::kSumOfRow, global, false);
    code.muls(global, global, 1.0 / rows.width(), n);
    for (std::uint32_t at = 0; at < rows.width(); at += part) {
      // The mean of a part comes nearer to that of the row.
      const Panel panel{at, part};
      rows.reduce_view(op::kSumOfRow, mean, rows.x(panel), part);
      code.muls(mean, mean, 1.0 / part, n);
      code.sub(mean, global, mean, n);
      code.muls(mean, mean, ratio, n);
      code.over_rows(op::kSub, rows.now(), part, rows.y(panel), rows.x(panel), row_blocks(mean));
    }
    rows.reduce(op::kMaxOfRow, rows.max(), true);
    if (form.update) {
      rows.load_values(spare, t.in_mean);
      code.muls(mean, spare, loops - 1, n);
      code.add(mean, mean, global, n);
      code.muls(mean, mean, 1.0 / loops, n);
      code.sub(shift, global, mean, n);  // of these columns
      code.muls(shift, shift, ratio, n);
      code.sub(spare, spare, mean, n);  // of those before
      code.muls(spare, spare, ratio, n);
      rows.load_values(rows.other(), t.in_max);
      code.add(rows.other(), rows.other(), spare, n);
      code.add(rows.max(), rows.max(), shift, n);
      code.binary(op::kMax, rows.max(), rows.max(), rows.other(), n);
      code.sub(rows.other(), rows.other(), rows.max(), n);
      code.exp(rows.other(), rows.other(), n);
      code.sub(shift, rows.max(), shift, n);
    } else {
      code.copy(mean, global, n);
      code.copy(shift, rows.max(), n);
    }
    rows.apply(op::kSub, shift, true);
    rows.exponentials();
    rows.store_values(t.max, rows.max());
    rows.store_values(t.mean, mean);
    rows.reduce(op::kSumOfRow, rows.sum(), true);
    if (form.update) {
      rows.load_values(spare, t.in_sum);
      code.mul(spare, spare, rows.other(), n);
      code.add(rows.sum(), rows.sum(), spare, n);
      rows.store_values(t.exp_max, rows.other());
    }
    rows.store_values(t.sum, rows.sum());
    rows.store();
  });
}

bool adjust_softmax(const Call& call, const Tensor& result, const Tensor& max, std::uint32_t from,
                    std::uint64_t to, const SoftMaxForm& form) {
  if (!core_has(isa::Pipe::V)) return false;
  const auto& [m, k, ori_m, ori_k] = form.shape;
  require_range(call.name, "oriSrcK", ori_k, 1, k, call.where);
  require_range(call.name, "oriSrcM", ori_m, 1, m, call.where);
  const Code code(call);
  code.vector_to_scalar();
  bool found = false;
  const std::uint32_t bytes = max.bytes_of(1);
  const std::uint32_t step = form.blocks ? static_cast<std::uint32_t>(isa::kBlockBytes) : bytes;
  for (std::uint32_t row = 0; row < ori_m; ++row) {
    isa::Operand value = max.at;
    value.addr += std::uint64_t{row} * step;
    std::uint32_t bits = 0;
    isa::current_core().scalar_load(value, &bits, bytes, call.where);
    if (bits != (bytes == 2 ? from & 0xffffu : from)) continue;
    found = true;
    const std::uint32_t panels = form.nz ? k / 16 : 1, width = form.nz ? 16 : k;
    const std::uint32_t pitch = form.nz ? m * 16 : 0;
    const View row_view = matrix(result.from(row * width), pitch);
    code.over_rows(op::kDuplicate, panels, width, row_view, {}, {}, {.scalar = to});
  }
  return found;
}

}  // namespace davsim::api::lib
