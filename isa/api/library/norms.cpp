// Norms of rows, computed in float: as many rows at a time as the temporary buffer has room for.
#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/sync.h"
#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

namespace {

class Norm {
 public:
  Norm(const Call& call, const NormTensors& tensors, const NormShape& shape)
      : t_(tensors), shape_(shape), code_(call), arena_(call, tensors.scratch) {
    const std::uint32_t row = tensors.src.bytes_of(shape.pitch);
    if (row == 0 || row % isa::kBlockBytes != 0) {
      refuse(call.name, "bytes of a row", row, "multiples of 32", call.where);
    }
    require_range(call.name, "elements that count of a row", shape.width, 1, shape.pitch,
                  call.where);
    const std::uint64_t elements = std::uint64_t{shape.rows} * shape.pitch;
    require_elements(call, "elements of the source", tensors.src, elements);
    require_elements(call, "elements of the result", tensors.dst, elements);
    if (tensors.gamma.present()) {
      require_elements(call, "elements of gamma", tensors.gamma, shape.width);
    }
    if (tensors.beta.present()) {
      require_elements(call, "elements of beta", tensors.beta, shape.width);
    }
    if (tensors.given_mean.present()) {
      require_elements(call, "elements of inputMean", tensors.given_mean, shape.rows);
      require_elements(call, "elements of inputVariance", tensors.given_variance, shape.rows);
    }
    once_ = fitting(arena_, shape.rows, 16,
                    [&](std::uint32_t n) { return sizes::norm(n, shape.pitch); });
    const bool has_values = tensors.mean.present() || tensors.reciprocal.present();
    if (has_values && once_ < shape.rows && once_ % 16 != 0) {
      arena_.need(sizes::norm(std::min(shape.rows, 16u), shape.pitch));
    }
    pitch_ = round_up(shape.pitch, 16);
    gamma_ = tensors.gamma.present() ? column_values(tensors.gamma) : Tensor{};
    beta_ = tensors.beta.present() ? column_values(tensors.beta) : Tensor{};
    x_ = matrix(arena_.floats(once_ * pitch_), pitch_);
    square_ = matrix(arena_.floats(once_ * pitch_), pitch_);
    work_ = arena_.floats(sizes::reduce_work(once_, shape.width));
    const std::uint32_t eights = round_up(once_, 8);
    mean_ = arena_.floats(eights);
    variance_ = arena_.floats(eights);
    spare_ = arena_.floats(eights);
    ones_ = arena_.floats(eights);
    blocks_ = arena_.floats(eights * 8);
    for (const Tensor* values : {&mean_, &variance_, &spare_, &ones_}) {
      code_.fill(*values, values == &ones_ ? 1 : 0, eights);
    }
  }

  void run(bool centred) {
    for (std::uint32_t first = 0; first < shape_.rows; first += once_) {
      const std::uint32_t n = std::min(once_, shape_.rows - first), width = shape_.width;
      load(first, n);
      const bool given = t_.given_mean.present();
      if (given) {
        code_.copy(mean_, t_.given_mean.from(first), n);
        code_.copy(variance_, t_.given_variance.from(first), n);
      } else if (centred) {
        average(mean_, x_, n);
      }
      if (centred) {
        code_.spread(blocks_, mean_, n);
        code_.over_rows(op::kSub, n, width, x_, x_, row_blocks(blocks_));
      }
      if (!given) {
        code_.over_rows(op::kMul, n, width, square_, x_, x_);
        average(variance_, square_, n);
      }
      // 1 / sqrt(variance + epsilon)
      code_.adds(spare_, variance_, shape_.epsilon, n);
      code_.sqrt(spare_, spare_, n);
      code_.div(spare_, ones_, spare_, n);
      code_.spread(blocks_, spare_, n);
      code_.over_rows(op::kMul, n, width, x_, x_, row_blocks(blocks_));
      if (gamma_.present()) code_.over_rows(op::kMul, n, width, x_, x_, every_row(gamma_));
      if (beta_.present()) code_.over_rows(op::kAdd, n, width, x_, x_, every_row(beta_));
      store(first, n);
    }
  }

 private:
  Tensor column_values(const Tensor& from) {
    const Tensor to = arena_.floats(pitch_);
    if (from.type() == isa::DType::kF32) {
      code_.copy(to, from, shape_.width);
    } else {
      code_.cast(to, from, isa::RoundMode::kNone, shape_.width);
    }
    return to;
  }
  void average(const Tensor& to, const View& x, std::uint32_t n) {
    code_.reduce_rows(op::kSumOfRow, to, n, shape_.width, x, work_);
    code_.muls(to, to, 1.0 / shape_.width, n);
  }
  /// x = src, or src * alpha + added, which needs room for both.
  void load(std::uint32_t first, std::uint32_t n) {
    load_rows(x_, t_.src, first, n);
    if (!t_.added.present()) return;
    load_rows(square_, t_.added, first, n);
    code_.scale_rows(op::kMuls, n, shape_.width, x_, x_, shape_.alpha);
    code_.over_rows(op::kAdd, n, shape_.width, x_, x_, square_);
  }
  void load_rows(const View& to, const Tensor& src, std::uint32_t first, std::uint32_t n) {
    code_.load_rows(to, matrix(src.from(first * shape_.pitch), shape_.pitch), n, shape_.width);
  }
  void store(std::uint32_t first, std::uint32_t n) {
    code_.store_rows(matrix(t_.dst.from(first * shape_.pitch), shape_.pitch), x_, n, shape_.width);
    store_values(t_.mean, mean_, first, n);
    store_values(t_.variance, variance_, first, n);
    store_values(t_.reciprocal, spare_, first, n);
  }
  void store_values(const Tensor& user, const Tensor& values, std::uint32_t first,
                    std::uint32_t n) {
    if (!user.present()) return;
    if (user.type() == isa::DType::kF32) {
      code_.copy(user.from(first), values, n);
    } else {
      code_.cast(user.from(first), values, isa::RoundMode::kRint, n);
    }
  }

  NormTensors t_;
  NormShape shape_;
  Code code_;
  Arena arena_;
  std::uint32_t once_ = 0, pitch_ = 0;
  Tensor gamma_, beta_, work_, mean_, variance_, spare_, ones_, blocks_;
  View x_, square_;
};

}  // namespace

void layer_norm(const Call& call, const NormTensors& tensors, const NormShape& shape) {
  if (core_has(isa::Pipe::V)) Norm(call, tensors, shape).run(true);
}
void rms_norm(const Call& call, const NormTensors& tensors, const NormShape& shape) {
  if (core_has(isa::Pipe::V)) Norm(call, tensors, shape).run(false);
}

namespace {

void require_elements(const Call& call, const Tensor& tensor, std::uint32_t count) {
  if (tensor.elements() >= count) return;
  refuse(call.name, "elements of a tensor", tensor.elements(), {count, " and more"}, call.where);
}

}  // namespace

/// delta = x - mean; mean += delta * reciprocal; squares += delta * (x - mean)
void welford_update(const Call& call, const WelfordTensors& t, std::uint32_t count,
                    std::uint32_t kept, double reciprocal) {
  if (!core_has(isa::Pipe::V) || count == 0) return;
  for (const Tensor* tensor : {&t.mean, &t.squares, &t.in_mean, &t.in_squares}) {
    require_elements(call, *tensor, kept);
  }
  require_elements(call, t.src, count);
  const Code code(call);
  Arena arena(call, t.scratch);
  arena.need(sizes::kWelfordTensors * 64);
  const std::uint32_t room =
      std::min(arena.bytes() / (sizes::kWelfordTensors * 4) / 16 * 16, round_up(count, 16));
  if (kept > count) {
    // From a whole block on: the step writes what lies in front of `count`.
    constexpr std::uint32_t kBlock = isa::kBlockBytes / sizeof(float);
    const std::uint32_t rest = count / kBlock * kBlock;
    code.copy(t.mean.from(rest), t.in_mean.from(rest), kept - rest);
    code.copy(t.squares.from(rest), t.in_squares.from(rest), kept - rest);
  }
  const Tensor x = arena.floats(room), delta = arena.floats(room);
  for (std::uint32_t first = 0; first < count; first += room) {
    const std::uint32_t n = std::min(room, count - first);
    const Tensor mean = t.mean.from(first), squares = t.squares.from(first);
    if (t.src.type() == isa::DType::kF32) {
      code.copy(x, t.src.from(first), n);
    } else {
      code.cast(x, t.src.from(first), isa::RoundMode::kNone, n);
    }
    code.sub(delta, x, t.in_mean.from(first), n);
    code.copy(mean, t.in_mean.from(first), n);
    code.copy(squares, t.in_squares.from(first), n);
    code.sub(x, x, mean, n);
    code.muls(x, x, reciprocal, n);
    code.add(mean, mean, x, n);
    // x - mean = delta - delta * reciprocal
    code.sub(x, delta, x, n);
    code.mul(x, x, delta, n);
    code.add(squares, squares, x, n);
  }
}

}  // namespace davsim::api::lib
