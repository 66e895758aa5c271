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

namespace {

/// The third flash version: parts of a row are first brought nearer to the mean of the row, by a
/// shift that later calls, with more columns, have to undo.
class ShiftedSoftmax {
 public:
  ShiftedSoftmax(Softmax& rows, const SoftMaxTensors& t, const AscendC::SoftMaxParams& params)
      : rows_(rows),
        code_(rows.code()),
        t_(t),
        ratio_(params.alpha / (1.0 - params.alpha)),
        loops_(params.loopCnt) {}

  void run(std::uint32_t part, bool update) {
    shift_parts(part);
    rows_.reduce(op::kMaxOfRow, rows_.max(), true);
    const std::uint32_t n = rows_.eights();
    if (update) {
      join_before();
    } else {
      code_.copy(mean_, global_, n);
      code_.copy(shift_, rows_.max(), n);
    }
    rows_.apply(op::kSub, shift_, true);
    rows_.exponentials();
    rows_.store_values(t_.max, rows_.max());
    rows_.store_values(t_.mean, mean_);
    rows_.reduce(op::kSumOfRow, rows_.sum(), true);
    if (update) {
      rows_.load_values(spare_, t_.in_sum);
      code_.mul(spare_, spare_, rows_.other(), n);
      code_.add(rows_.sum(), rows_.sum(), spare_, n);
      rows_.store_values(t_.exp_max, rows_.other());
    }
    rows_.store_values(t_.sum, rows_.sum());
    rows_.store();
  }

 private:
  /// The mean of a part comes nearer to that of the row.
  void shift_parts(std::uint32_t part) {
    const std::uint32_t n = rows_.eights();
    rows_.load();
    rows_.reduce(op::kSumOfRow, global_, false);
    code_.muls(global_, global_, 1.0 / rows_.width(), n);
    for (std::uint32_t at = 0; at < rows_.width(); at += part) {
      const Panel panel{at, part};
      rows_.reduce_view(op::kSumOfRow, mean_, rows_.x(panel), part);
      code_.muls(mean_, mean_, 1.0 / part, n);
      code_.sub(mean_, global_, mean_, n);
      code_.muls(mean_, mean_, ratio_, n);
      code_.over_rows(op::kSub, rows_.now(), part, rows_.y(panel), rows_.x(panel),
                      row_blocks(mean_));
    }
  }

  /// The mean and the maximum of these columns and those before.
  void join_before() {
    const std::uint32_t n = rows_.eights();
    rows_.load_values(spare_, t_.in_mean);
    code_.muls(mean_, spare_, loops_ - 1, n);
    code_.add(mean_, mean_, global_, n);
    code_.muls(mean_, mean_, 1.0 / loops_, n);
    code_.sub(shift_, global_, mean_, n);  // of these columns
    code_.muls(shift_, shift_, ratio_, n);
    code_.sub(spare_, spare_, mean_, n);  // of those before
    code_.muls(spare_, spare_, ratio_, n);
    rows_.load_values(rows_.other(), t_.in_max);
    code_.add(rows_.other(), rows_.other(), spare_, n);
    code_.add(rows_.max(), rows_.max(), shift_, n);
    code_.binary(op::kMax, rows_.max(), rows_.max(), rows_.other(), n);
    code_.sub(rows_.other(), rows_.other(), rows_.max(), n);
    code_.exp(rows_.other(), rows_.other(), n);
    code_.sub(shift_, rows_.max(), shift_, n);
  }

  Softmax& rows_;
  const Code& code_;
  const SoftMaxTensors& t_;
  double ratio_, loops_;
  Tensor global_ = rows_.block_a_row(), mean_ = rows_.block_a_row(), shift_ = rows_.block_a_row(),
         spare_ = rows_.block_a_row();
};

}  // namespace

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
  Softmax rows(call, t, form, sizes::softmax_v3);
  ShiftedSoftmax shifted(rows, t, params);
  rows.each([&] { shifted.run(part, form.update); });
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
