// The gradients of layer norm, computed in float.
#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/sync.h"
#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

namespace {

void require_pitch(const Call& call, const Tensor& src, std::uint32_t width, std::uint32_t pitch) {
  const std::uint32_t row = src.bytes_of(pitch);
  if (row == 0 || row % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", row, "multiples of 32", call.where);
  }
  require_range(call.name, "elements that count of a row", width, 1, pitch, call.where);
}

/// The three terms of the documentation, with r = 1 / sqrt(variance + epsilon), g = dy gamma and
/// c = x - mean: dx = g r + 2 / H c pv + pm / H, where
/// pv = sum(-g c r^3 / 2) and pm = sum(-g r) + pv / H sum(-2 c).
class Gradient {
 public:
  Gradient(const Call& call, const NormGradTensors& t, const NormShape& s)
      : t_(t), s_(s), code_(call), arena_(call, t.scratch) {
    once_ =
        fitting(arena_, s.rows, 16, [&](std::uint32_t n) { return sizes::norm_grad(n, s_.pitch); });
    if (once_ < s.rows && once_ % 16 != 0) {
      arena_.need(sizes::norm_grad(std::min(s.rows, 16u), s.pitch));
    }
    const std::uint32_t pitch = round_up(s.pitch, 16), eights = round_up(once_, 8);
    gamma_ = arena_.floats(pitch);
    code_.load_rows(matrix(gamma_, pitch), matrix(t.gamma, pitch), 1, s.width);
    g_ = matrix(arena_.floats(once_ * pitch), pitch);
    c_ = matrix(arena_.floats(once_ * pitch), pitch);
    product_ = matrix(arena_.floats(once_ * pitch), pitch);
    work_ = arena_.floats(sizes::reduce_work(once_, s.width));
    for (Tensor* values : {&r_, &pv_, &pm_, &spare_, &ones_}) {
      *values = arena_.floats(eights);
      code_.fill(*values, values == &ones_ ? 1 : 0, eights);
    }
    blocks_ = arena_.floats(eights * 8);
  }

  void run() {
    for (std::uint32_t first = 0; first < s_.rows; first += once_) {
      rows(first, std::min(once_, s_.rows - first));
    }
  }

 private:
  void rows(std::uint32_t first, std::uint32_t n) {
    const std::uint32_t width = s_.width;
    code_.load_rows(g_, user(t_.dy, first), n, width);
    code_.load_rows(c_, user(t_.src, first), n, width);
    code_.over_rows(op::kMul, n, width, g_, g_, every_row(gamma_));
    values(spare_, t_.mean, first, n);
    by_row(op::kSub, c_, c_, spare_, n);
    values(spare_, t_.variance, first, n);
    code_.adds(spare_, spare_, s_.epsilon, n);
    code_.sqrt(spare_, spare_, n);
    code_.div(r_, ones_, spare_, n);
    // pv = -1/2 r^3 sum(g c)
    code_.over_rows(op::kMul, n, width, product_, g_, c_);
    sum(pv_, product_, n);
    for (int i = 0; i < 3; ++i) code_.mul(pv_, pv_, r_, n);
    code_.muls(pv_, pv_, -0.5, n);
    by_row(op::kMul, product_, c_, r_, n);
    code_.store_rows(user(t_.normal, first), product_, n, width);
    by_row(op::kMul, g_, g_, r_, n);
    sum(pm_, c_, n);
    code_.muls(pm_, pm_, -2.0 / width, n);
    code_.mul(pm_, pm_, pv_, n);
    sum(spare_, g_, n);
    code_.sub(pm_, pm_, spare_, n);
    code_.muls(pm_, pm_, 1.0 / width, n);
    code_.muls(pv_, pv_, 2.0 / width, n);
    by_row(op::kMul, c_, c_, pv_, n);
    code_.over_rows(op::kAdd, n, width, g_, g_, c_);
    by_row(op::kAdd, g_, g_, pm_, n);
    code_.store_rows(user(t_.dst, first), g_, n, width);
  }

  View user(const Tensor& tensor, std::uint32_t first) const {
    return matrix(tensor.from(first * s_.pitch), s_.pitch);
  }
  void values(const Tensor& to, const Tensor& from, std::uint32_t first, std::uint32_t n) {
    code_.load_rows(matrix(to, n), matrix(from.from(first), n), 1, n);
  }
  void sum(const Tensor& to, const View& x, std::uint32_t n) {
    code_.reduce_rows(op::kSumOfRow, to, n, s_.width, x, work_);
  }
  void by_row(isa::Opcode code, const View& y, const View& x, const Tensor& of_rows,
              std::uint32_t n) {
    code_.spread(blocks_, of_rows, n);
    code_.over_rows(code, n, s_.width, y, x, row_blocks(blocks_));
  }

  NormGradTensors t_;
  NormShape s_;
  Code code_;
  Arena arena_;
  std::uint32_t once_ = 0;
  Tensor gamma_, work_, r_, pv_, pm_, spare_, ones_, blocks_;
  View g_, c_, product_;
};

}  // namespace

void layer_norm_grad(const Call& call, const NormGradTensors& t, const NormShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  require_pitch(call, t.src, s.width, s.pitch);
  const std::uint64_t all = std::uint64_t{s.rows} * s.pitch;
  require_elements(call, "elements of outputPdX", t.dst, all);
  require_elements(call, "elements of resForGamma", t.normal, all);
  require_elements(call, "elements of inputDy", t.dy, all);
  require_elements(call, "elements of inputX", t.src, all);
  require_elements(call, "elements of inputVariance", t.variance, s.rows);
  require_elements(call, "elements of inputMean", t.mean, s.rows);
  require_elements(call, "elements of inputGamma", t.gamma, s.width);
  Gradient(call, t, s).run();
}

/// Columns are taken in pieces, of each piece row after row.
void layer_norm_grad_beta(const Call& call, const ScaleGradTensors& t, std::uint32_t rows,
                          std::uint32_t width, std::uint32_t pitch) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, t.dy, width, pitch);
  const std::uint64_t all = std::uint64_t{rows - 1} * pitch + width;
  require_elements(call, "elements of resForGamma", t.normal, all);
  require_elements(call, "elements of inputDy", t.dy, all);
  require_elements(call, "elements of outputPdGamma", t.gamma, width);
  require_elements(call, "elements of outputPdBeta", t.beta, width);
  const Code code(call);
  Arena arena(call, t.scratch);
  const std::uint32_t once = 16 * fitting(arena, (width + 15) / 16, 1, [](std::uint32_t n) {
                               return sizes::norm_grad_beta(16 * n);
                             });
  const Tensor gamma = arena.floats(once), beta = arena.floats(once), dy = arena.floats(once),
               normal = arena.floats(once);
  for (std::uint32_t first = 0; first < width; first += once) {
    const std::uint32_t n = std::min(once, width - first);
    code.fill(gamma, 0, n);
    code.fill(beta, 0, n);
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t at = row * pitch + first;
      code.load_rows(matrix(dy, n), matrix(t.dy.from(at), n), 1, n);
      code.load_rows(matrix(normal, n), matrix(t.normal.from(at), n), 1, n);
      code.add(beta, beta, dy, n);
      code.mul(normal, normal, dy, n);
      code.add(gamma, gamma, normal, n);
    }
    code.store_rows(matrix(t.gamma.from(first), n), matrix(gamma, n), 1, n);
    code.store_rows(matrix(t.beta.from(first), n), matrix(beta, n), 1, n);
  }
}

}  // namespace davsim::api::lib
