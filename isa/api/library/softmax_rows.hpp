// A few rows of the softmax family under way: what all its functions do with rows.
#pragma once

#include <algorithm>
#include <numbers>

#include "isa/api/library/row_values.hpp"
#include "lib/activation/softmax_utils.h"

namespace davsim::api::lib {

/// Elements of a row that lie side by side: all of them, or a column of fractals.
struct Panel {
  std::uint32_t at;     ///< first element within the rows of the work
  std::uint32_t width;  ///< elements that count
};

/// A few rows under way.
class Softmax {
 public:
  using Bytes = std::uint64_t (*)(std::uint32_t rows, std::uint32_t width);

  /// `bytes` says what a number of rows takes of the temporary buffer; what is beyond
  /// sizes::softmax is left in arena().
  Softmax(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form,
          Bytes bytes = sizes::softmax)
      : call_(check(call, tensors, form)),
        t_(tensors),
        form_(form),
        code_(call),
        arena_(call, tensors.scratch),
        rows_(form.shape.oriSrcM),
        is_float_(tensors.src.type() == isa::DType::kF32) {
    const std::uint32_t k = form.shape.srcK;
    const std::uint32_t most = form.rows_at_once == 0 ? rows_ : std::min(rows_, form.rows_at_once);
    at_once_ = fitting(arena_, most, 8, [=](std::uint32_t n) { return bytes(n, k); });
    if (!form.blocks && at_once_ < rows_) {
      // The values of the next rows have to begin on a DataBlock.
      const std::uint32_t unit = isa::kBlockBytes / tensors.src.bytes_of(1);
      if (at_once_ < unit) {
        refuse(call.name, "rows that the tiling and the temporary buffer allow at once", at_once_,
               {unit, " and more, or all, where sums and maxima have one element a row"},
               call.where);
      }
      at_once_ = at_once_ / unit * unit;
    }
    wide_ = rows_of_floats();
    work_ = arena_.floats(sizes::softmax_work(at_once_, k));
    values_ = RowValues(code_, arena_, at_once_, form.blocks);
    max_ = block_a_row();
    sum_ = block_a_row();
    other_ = block_a_row();
  }

  /// More room for rows, beyond sizes::softmax.
  Tensor rows_of_floats() { return arena_.floats(at_once_ * round_up(form_.shape.srcK, 16)); }
  Tensor block_a_row() { return arena_.floats(round_up(at_once_, 8) * 8); }

  /// Runs `step` for each few rows.
  template <class Step>
  void each(Step step) {
    for (first_ = 0; first_ < rows_; first_ += at_once_) {
      now_ = std::min(at_once_, rows_ - first_);
      step();
    }
  }

  Code& code() { return code_; }
  std::uint32_t now() const { return now_; }
  /// Elements of a tensor of one DataBlock of floats a row.
  std::uint32_t eights() const { return now_ * 8; }
  const Tensor& max() const { return max_; }
  const Tensor& sum() const { return sum_; }
  const Tensor& other() const { return other_; }
  const Tensor& wide() const { return wide_; }

  /// x as floats: the rows of src themselves, or a copy.
  void load() {
    if (is_float_) return;
    each_panel([&](const Panel& p) {
      code_.cast_rows(now_, p.width, wide_view(p), matrix(user(t_.src, p), pitch()),
                      isa::RoundMode::kNone);
    });
  }
  /// `to` gets the values of the rows of `from`, a DataBlock each.
  void reduce(isa::Opcode code, const Tensor& to, bool of_result) {
    reduce_all(code, to, [&](const Panel& p) { return of_result ? y(p) : x(p); });
  }
  /// y = x <code> the value of the row.
  void apply(isa::Opcode code, const Tensor& blocks, bool to_result) {
    each_panel([&](const Panel& p) {
      code_.over_rows(code, now_, p.width, y(p), to_result ? y(p) : x(p), row_blocks(blocks));
    });
  }
  void exponentials() {
    each_panel([&](const Panel& p) { code_.over_rows(op::kExp, now_, p.width, y(p), y(p)); });
  }
  /// Of base 10.
  void common_logarithms() {
    each_panel([&](const Panel& p) {
      code_.over_rows(op::kLn, now_, p.width, y(p), y(p));
      code_.scale_rows(op::kMuls, now_, p.width, y(p), y(p), 1 / std::numbers::ln10);
    });
  }
  /// dst = y
  void store() {
    if (is_float_) return;
    each_panel([&](const Panel& p) {
      code_.cast_rows(now_, p.width, matrix(user(t_.dst, p), pitch()), wide_view(p),
                      isa::RoundMode::kRint);
    });
  }
  void load_values(const Tensor& to, const Tensor& from) { values_.load(to, from, first_, now_); }
  void store_values(const Tensor& to, const Tensor& from) { values_.store(to, from, first_, now_); }

  /// The rows of another tensor of the kernel, laid out like src.
  View rows_of(const Tensor& tensor, const Panel& p) const {
    return matrix(user(tensor, p), pitch());
  }
  /// The same of room of rows_of_floats().
  View work_view(const Tensor& work, const Panel& p) const {
    return form_.nz ? matrix(work.from(p.at * at_once_ * 16), 16)
                    : matrix(work.from(p.at), form_.shape.srcK);
  }
  std::uint32_t width() const { return form_.shape.oriSrcK; }
  bool is_float() const { return is_float_; }
  /// One value a row of some columns into DataBlocks.
  void reduce_view(isa::Opcode code, const Tensor& to, const View& x, std::uint32_t columns) {
    code_.reduce_rows(code, values_.dense(), now_, columns, x, work_);
    code_.spread(to, values_.dense(), now_);
  }
  /// The same of all columns of what `x` gives of a panel.
  template <class At>
  void reduce_all(isa::Opcode code, const Tensor& to, At x) {
    if (!form_.nz) return reduce_view(code, to, x(Panel{0, width()}), width());
    reduce_panels(code, x);
    code_.spread(to, values_.dense(), now_);
  }

  View x(const Panel& p) const {
    return is_float_ ? matrix(user(t_.src, p), pitch()) : wide_view(p);
  }
  View y(const Panel& p) const {
    return is_float_ ? matrix(user(t_.dst, p), pitch()) : wide_view(p);
  }
  template <class Step>
  void each_panel(Step step) const {
    const std::uint32_t k = form_.shape.oriSrcK;
    if (!form_.nz) return step(Panel{0, k});
    for (std::uint32_t column = 0; column < k; column += 16) {
      step(Panel{column / 16, std::min(16u, k - column)});
    }
  }

 private:
  static const Call& check(const Call& call, const SoftMaxTensors& tensors,
                           const SoftMaxForm& form);

  std::uint32_t pitch() const { return form_.nz ? 16 : form_.shape.srcK; }
  /// The rows of a tensor of the kernel.
  Tensor user(const Tensor& tensor, const Panel& p) const {
    return form_.nz ? tensor.from((p.at * form_.shape.srcM + first_) * 16)
                    : tensor.from(first_ * form_.shape.srcK + p.at);
  }
  View wide_view(const Panel& p) const { return work_view(wide_, p); }

  template <class At>
  void reduce_panels(isa::Opcode code, At x) {
    const isa::Opcode lanes = code == op::kSumOfRow ? op::kAdd : op::kMax;
    const View folded = matrix(work_, 16);
    std::uint32_t width = 0;
    each_panel([&](const Panel& p) {
      if (p.at == 0) {
        width = p.width;
        code_.over_rows(op::kCopy, now_, p.width, folded, x(p));
      } else {
        code_.over_rows(lanes, now_, p.width, folded, folded, x(p));
      }
    });
    code_.reduce_rows(code, values_.dense(), now_, width, folded, {});
  }

  Call call_;
  SoftMaxTensors t_;
  SoftMaxForm form_;
  Code code_;
  Arena arena_;
  std::uint32_t rows_, at_once_ = 0, first_ = 0, now_ = 0;
  bool is_float_;
  Tensor wide_, work_, max_, sum_, other_;
  RowValues values_;
};

}  // namespace davsim::api::lib
