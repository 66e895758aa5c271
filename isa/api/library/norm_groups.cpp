// Norms over other sets of elements than a row, and the end of Welford's algorithm.
#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/sync.h"
#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

namespace {

/// spare = 1 / sqrt(variance + epsilon), `count` floats.
void reciprocal_deviation(const Code& code, const Tensor& to, const Tensor& variance,
                          const Tensor& ones, double epsilon, std::uint32_t count) {
  code.adds(to, variance, epsilon, count);
  code.sqrt(to, to, count);
  code.div(to, ones, to, count);
}

/// `count` values of the kernel, each in a DataBlock of floats.
Tensor in_blocks(const Code& code, Arena& arena, const Tensor& from, std::uint32_t count) {
  const std::uint32_t eights = round_up(count, 8);
  const Tensor values = arena.floats(eights), blocks = arena.floats(eights * 8);
  code.fill(values, 0, eights);
  code.load_rows(matrix(values, eights), matrix(from, count), 1, count);
  code.spread(blocks, values, count);
  return blocks;
}

Tensor block(const Tensor& blocks, std::uint32_t number) {
  Tensor one = blocks;
  one.at.addr += std::uint64_t{number} * isa::kBlockBytes;
  return one;
}

/// Groups of rows, as many at a time as fit: their elements lie in rows of floats with 0 behind
/// them, so that a group is one long row.
class GroupNormaliser {
 public:
  GroupNormaliser(const Call& call, const NormTensors& t, const GroupShape& s)
      : t_(t), s_(s), code_(call), arena_(call, t.scratch), groups_(s.rows / s.group) {
    pitch_ = round_up(s.pitch, 16);
    wide_ = s.group * pitch_;
    once_ = fitting(arena_, groups_, 1, [&](std::uint32_t n) {
      return sizes::group_norm(groups_, s_.channels, n, wide_);
    });
    gamma_ = in_blocks(code_, arena_, t.gamma, s.channels);
    beta_ = in_blocks(code_, arena_, t.beta, s.channels);
    all_means_ = arena_.floats(round_up(groups_, 8));
    all_variances_ = arena_.floats(round_up(groups_, 8));
    x_ = arena_.floats(once_ * wide_);
    square_ = arena_.floats(once_ * wide_);
    work_ = arena_.floats(sizes::reduce_work(once_, wide_));
    const std::uint32_t eights = round_up(once_, 8);
    values_ = arena_.floats(eights);
    spare_ = arena_.floats(eights);
    ones_ = arena_.floats(eights);
    blocks_ = arena_.floats(eights * 8);
    code_.fill(values_, 0, eights);
    code_.fill(ones_, 1, eights);
  }

  void run() {
    for (std::uint32_t first = 0; first < groups_; first += once_) {
      normalise(first, std::min(once_, groups_ - first));
    }
    store_values(t_.mean, all_means_);
    store_values(t_.variance, all_variances_);
  }

 private:
  void normalise(std::uint32_t first, std::uint32_t n) {
    const std::uint32_t rows = n * s_.group, row = first * s_.group;
    const View x = matrix(x_, pitch_), user = matrix(t_.src.from(row * s_.pitch), s_.pitch);
    if (s_.width < pitch_) code_.fill(x_, 0, n * wide_);
    code_.load_rows(x, user, rows, s_.width);
    average(all_means_.from(first), x_, n);
    for_groups(n, [&](const View& group, const View& values) {
      code_.over_rows(op::kSub, s_.group, s_.width, group, group, values);
    });
    code_.mul(square_, x_, x_, n * wide_);
    average(all_variances_.from(first), square_, n);
    reciprocal_deviation(code_, spare_, values_, ones_, s_.epsilon, n);
    code_.spread(blocks_, spare_, n);
    std::uint32_t channel = row % s_.channels;
    for_groups(n, [&](const View& group, const View& values) {
      code_.over_rows(op::kMul, s_.group, s_.width, group, group, values);
      code_.over_rows(op::kMul, s_.group, s_.width, group, group,
                      row_blocks(block(gamma_, channel)));
      code_.over_rows(op::kAdd, s_.group, s_.width, group, group,
                      row_blocks(block(beta_, channel)));
      channel = (channel + s_.group) % s_.channels;
    });
    code_.store_rows(matrix(t_.dst.from(row * s_.pitch), s_.pitch), x, rows, s_.width);
  }

  /// values = means of groups, in blocks and among those of all groups too.
  void average(const Tensor& among_all, const Tensor& x, std::uint32_t n) {
    code_.reduce_rows(op::kSumOfRow, values_, n, wide_, matrix(x, wide_), work_);
    code_.muls(values_, values_, 1.0 / (std::uint64_t{s_.group} * s_.width), n);
    code_.spread(blocks_, values_, n);
    code_.gather_blocks(among_all, blocks_, n);
  }
  template <class Do>
  void for_groups(std::uint32_t n, Do work) {
    for (std::uint32_t i = 0; i < n; ++i) {
      work(matrix(x_.from(i * wide_), pitch_), one_block(block(blocks_, i)));
    }
  }
  void store_values(const Tensor& user, const Tensor& values) {
    code_.store_rows(matrix(user, groups_), matrix(values, groups_), 1, groups_);
  }

  NormTensors t_;
  GroupShape s_;
  Code code_;
  Arena arena_;
  std::uint32_t groups_, once_ = 0, pitch_ = 0, wide_ = 0;
  Tensor gamma_, beta_, all_means_, all_variances_, x_, square_, work_, values_, spare_, ones_,
      blocks_;
};

void require_norm(const Call& call, const NormTensors& t, std::uint32_t rows, std::uint32_t width,
                  std::uint32_t pitch, std::uint32_t scales, std::uint32_t means) {
  const std::uint32_t row = t.src.bytes_of(pitch);
  if (row == 0 || row % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", row, "multiples of 32", call.where);
  }
  require_range(call.name, "elements that count of a row", width, 1, pitch, call.where);
  const std::uint64_t all = std::uint64_t{rows} * pitch;
  require_elements(call, "elements of inputX", t.src, all);
  require_elements(call, "elements of output", t.dst, all);
  require_elements(call, "elements of gamma", t.gamma, scales);
  require_elements(call, "elements of beta", t.beta, scales);
  require_elements(call, "elements of outputMean", t.mean, means);
  require_elements(call, "elements of outputVariance", t.variance, means);
}

}  // namespace

void group_norm(const Call& call, const NormTensors& t, const GroupShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  if (s.group == 0 || s.channels % s.group != 0 || s.rows % s.channels != 0) {
    refuse(call.name, "channels of a group", s.group, {"divisors of c, ", s.channels}, call.where);
  }
  require_norm(call, t, s.rows, s.width, s.pitch, s.channels, s.rows / s.group);
  GroupNormaliser(call, t, s).run();
}

/// Columns are taken in pieces. Of each, all rows are read three times: for the means, for the
/// variances, for the results.
void batch_norm(const Call& call, const NormTensors& t, const NormShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  require_norm(call, t, s.rows, s.width, s.width, s.rows, s.width);
  const Code code(call);
  Arena arena(call, t.scratch);
  const std::uint32_t grains = fitting(arena, (s.width + 15) / 16, 1, [&](std::uint32_t n) {
    return sizes::batch_norm(s.rows, 16 * n);
  });
  const std::uint32_t once = grains * 16;
  const Tensor gamma = in_blocks(code, arena, t.gamma, s.rows);
  const Tensor beta = in_blocks(code, arena, t.beta, s.rows);
  const Tensor mean = arena.floats(once), variance = arena.floats(once), x = arena.floats(once),
               ones = arena.floats(once);
  code.fill(ones, 1, once);
  for (std::uint32_t first = 0; first < s.width; first += once) {
    const std::uint32_t n = std::min(once, s.width - first);
    const auto load = [&](std::uint32_t row) {
      code.load_rows(matrix(x, n), matrix(t.src.from(row * s.width + first), n), 1, n);
    };
    code.fill(mean, 0, n);
    code.fill(variance, 0, n);
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      load(row);
      code.add(mean, mean, x, n);
    }
    code.muls(mean, mean, 1.0 / s.rows, n);
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      load(row);
      code.sub(x, x, mean, n);
      code.mul(x, x, x, n);
      code.add(variance, variance, x, n);
    }
    code.muls(variance, variance, 1.0 / s.rows, n);
    code.store_rows(matrix(t.mean.from(first), n), matrix(mean, n), 1, n);
    code.store_rows(matrix(t.variance.from(first), n), matrix(variance, n), 1, n);
    reciprocal_deviation(code, variance, variance, ones, s.epsilon, n);
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      load(row);
      code.sub(x, x, mean, n);
      code.mul(x, x, variance, n);
      code.over_rows(op::kMul, 1, n, matrix(x, n), matrix(x, n), one_block(block(gamma, row)));
      code.over_rows(op::kAdd, 1, n, matrix(x, n), matrix(x, n), one_block(block(beta, row)));
      code.store_rows(matrix(t.dst.from(row * s.width + first), n), matrix(x, n), 1, n);
    }
  }
}

/// mean = the sum of weight_i mean_i / values; variance = the sum of squares_i + weight_i (mean_i -
/// mean)^2, / values. With equal weights the means are divided by the number of pairs.
void welford_finalize(const Call& call, const WelfordEnd& e) {
  if (!core_has(isa::Pipe::V)) return;
  if (e.count == 0 || e.count % 8 != 0) {
    refuse(call.name, "abLength", e.count, "multiples of 8", call.where);
  }
  require_elements(call, "elements of inputMean", e.in_mean, e.count);
  require_elements(call, "elements of inputVariance", e.in_squares, e.count);
  require_elements(call, "elements of outputMean", e.mean, 1);
  require_elements(call, "elements of outputVariance", e.variance, 1);
  if (e.counts.present()) require_elements(call, "elements of counts", e.counts, e.count);
  const Code code(call);
  Arena arena(call, e.scratch);
  arena.need(sizes::welford_finalize(e.count));
  const std::uint32_t n = e.count;
  const Tensor weight = arena.floats(n), x = arena.floats(n);
  const Tensor work = arena.floats(sizes::reduce_work(1, n));
  const Tensor value = arena.floats(8), blocks = arena.floats(64);
  code.fill(value, 0, 8);
  if (e.counts.present()) {
    code.cast(weight, e.counts, isa::RoundMode::kNone, n);
  } else {
    code.fill(weight, e.tail, n);
    code.fill(weight, e.head, e.heads);
  }
  const bool equal = !e.counts.present() && e.heads == n;
  if (equal) {
    code.copy(x, e.in_mean, n);
  } else {
    code.mul(x, e.in_mean, weight, n);
  }
  code.reduce_rows(op::kSumOfRow, value, 1, n, matrix(x, n), work);
  code.muls(value, value, equal ? e.reciprocal_pairs : e.reciprocal_values, 1);
  code.copy(e.mean, value, 1);
  code.spread(blocks, value, 1);
  code.over_rows(op::kSub, 1, n, matrix(x, n), matrix(e.in_mean, n), one_block(blocks));
  code.mul(x, x, x, n);
  code.mul(x, x, weight, n);
  code.add(x, x, e.in_squares, n);
  code.reduce_rows(op::kSumOfRow, value, 1, n, matrix(x, n), work);
  code.muls(value, value, e.reciprocal_values, 1);
  code.copy(e.variance, value, 1);
}

}  // namespace davsim::api::lib
