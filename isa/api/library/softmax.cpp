// The softmax family. Rows are taken a few at a time, as many as the temporary buffer has room for:
// their maxima, a subtraction, the exponentials, their sums. All is computed in float.
#include "ascendc/sync.h"
#include "isa/api/library/softmax_rows.hpp"

namespace davsim::api::lib {

void softmax(const Call& call, const SoftMaxTensors& t, const SoftMaxForm& form) {
  if (!core_has(isa::Pipe::V)) return;
  Softmax rows(call, t, form);
  rows.each([&] {
    rows.load();
    rows.reduce(op::kMaxOfRow, rows.max(), false);
    if (t.max.present()) rows.store_values(t.max, rows.max());
    rows.apply(op::kSub, rows.max(), false);
    rows.exponentials();
    rows.reduce(op::kSumOfRow, rows.sum(), true);
    if (t.sum.present()) rows.store_values(t.sum, rows.sum());
    rows.apply(op::kDiv, rows.sum(), true);
    rows.store();
  });
}

void log_softmax(const Call& call, const SoftMaxTensors& t, const SoftMaxForm& form) {
  if (!core_has(isa::Pipe::V)) return;
  Softmax rows(call, t, form);
  rows.each([&] {
    rows.load();
    rows.reduce(op::kMaxOfRow, rows.max(), false);
    rows.store_values(t.max, rows.max());
    rows.apply(op::kSub, rows.max(), false);
    rows.exponentials();
    rows.reduce(op::kSumOfRow, rows.sum(), true);
    rows.store_values(t.sum, rows.sum());
    rows.apply(op::kDiv, rows.sum(), true);
    rows.common_logarithms();
    rows.store();
  });
}

void simple_softmax(const Call& call, const SoftMaxTensors& t, const SoftMaxForm& form) {
  if (!core_has(isa::Pipe::V)) return;
  Softmax rows(call, t, form);
  rows.each([&] {
    rows.load();
    rows.load_values(rows.max(), t.in_max);
    rows.load_values(rows.sum(), t.in_sum);
    rows.apply(op::kSub, rows.max(), false);
    rows.exponentials();
    rows.apply(op::kDiv, rows.sum(), true);
    rows.store();
  });
}

void softmax_flash(const Call& call, const SoftMaxTensors& t, const SoftMaxForm& form,
                   bool divided) {
  if (!core_has(isa::Pipe::V)) return;
  Softmax rows(call, t, form);
  const Code& code = rows.code();
  rows.each([&] {
    const std::uint32_t n = rows.eights();
    rows.load();
    rows.reduce(op::kMaxOfRow, rows.max(), false);
    if (t.row_max.present()) rows.store_values(t.row_max, rows.max());
    if (form.update) {
      // other = exp(inMax - max)
      rows.load_values(rows.other(), t.in_max);
      code.binary(op::kMax, rows.max(), rows.max(), rows.other(), n);
      code.sub(rows.other(), rows.other(), rows.max(), n);
      code.exp(rows.other(), rows.other(), n);
    }
    rows.apply(op::kSub, rows.max(), false);
    rows.exponentials();
    rows.store_values(t.max, rows.max());
    rows.reduce(op::kSumOfRow, rows.sum(), true);
    if (form.update) {
      // Of the maxima, which are stored, the tensor serves for inSum * exp(inMax - max).
      rows.load_values(rows.max(), t.in_sum);
      code.mul(rows.max(), rows.max(), rows.other(), n);
      code.add(rows.sum(), rows.sum(), rows.max(), n);
      if (divided) code.div(rows.other(), rows.max(), rows.sum(), n);
      rows.store_values(t.exp_max, rows.other());
    }
    rows.store_values(t.sum, rows.sum());
    if (divided) rows.apply(op::kDiv, rows.sum(), true);
    rows.store();
  });
}

}  // namespace davsim::api::lib
