// Diagonals, inverses and contractions: functions/matrices.txt.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lists/matrices.h"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

/// A diagonal of a matrix, above the main one for numbers greater than 0.
View diagonal_of(const View& matrix, int64_t diagonal) {
  const int64_t down = std::max<int64_t>(-diagonal, 0), across = std::max<int64_t>(diagonal, 0);
  const int64_t rows = matrix.sizes[0] - down, columns = matrix.sizes[1] - across;
  View view{matrix.of,
            {std::max<int64_t>(std::min(rows, columns), 0)},
            {matrix.strides[0] + matrix.strides[1]},
            matrix.offset};
  if (view.sizes[0] > 0) view.offset += down * matrix.strides[0] + across * matrix.strides[1];
  return view;
}

void require_rank_of(const aclTensor& tensor, const char* name, std::size_t count) {
  if (tensor.GetViewShape().GetDimNum() == count) return;
  refuse_aclnn(std::string(name) + " has " + std::to_string(count) + " dimensions, not the shape " +
               text(tensor.GetViewShape()));
}

void add_trace(WorkList& work, const aclTensor* self, const aclTensor* out) {
  require_rank_of(required(self, "self"), "self", 2);
  require_rank_of(required(out, "out"), "out", 0);
  const DataType own = self->GetDataType();
  const bool whole = op::IsIntegralType(own, true);
  require_type(*out, "out", {whole ? ge::DT_INT64 : own});
  const aclTensor* const line = tensor_of(work, diagonal_of(view_of(*self), 0));
  if (line->IsEmpty()) return add_fill(work, *out, 0);
  const DataType computed = whole ? ge::DT_INT64 : computed_type(own);
  const RowView view = rows_along_all(*line);
  const aclTensor* const rows = rows_to_reduce(work, *line, view, computed);
  add_cast(work, *reshaped(work, *reduced(work, *rows, {}, computed), {}), *out);
}

/// A matrix of zeros but for a diagonal.
void add_diagonal(WorkList& work, const View& line, int64_t diagonal, const aclTensor& out) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (std::abs(diagonal) > kMost) refuse_aclnn("diagonal is at most 2^40 away from the main one");
  const int64_t size = line.sizes[0] + std::abs(diagonal);
  require_shape(out, "out", {size, size});
  if (out.IsEmpty()) return;
  Moves zeros(work);
  zeros.fill(view_of(out), 0);
  zeros.finish();
  add_move(work, *tensor_of(work, diagonal_of(view_of(out), diagonal)), line, "self");
}

void add_cross(WorkList& work, const aclTensor* self, const aclTensor* other, int64_t dim,
               const aclTensor* out) {
  const Shape shape =
      broadcast(required(self, "self").GetViewShape(), required(other, "other").GetViewShape());
  require_shape(required(out, "out"), "out", shape);
  const std::size_t at = place_of(dim, shape.GetDimNum(), "dim");
  if (shape.GetDim(at) != 3) {
    refuse_aclnn("self and other have three elements along dim, not the shape " + text(shape));
  }
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {self, "self"}, {other, "other"}, {out, "out"}};
  for (const auto& [tensor, name] : tensors) {
    require_type(*tensor, name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE, ge::DT_INT32});
    require_type(*tensor, name, {self->GetDataType()});
  }
  if (out->IsEmpty()) return;
  Formula f(work, self->GetDataType() == ge::DT_INT32 ? ge::DT_INT32 : Formula(work, *self).type());
  const auto part = [&](const aclTensor* of, int64_t place) {
    const View all = expanded(view_of(*of), shape);
    return Operand(tensor_of(work, narrowed(all, at, place % 3, 1)), "self");
  };
  for (int64_t i = 0; i < 3; ++i) {
    const Operand plus = f.times(part(self, i + 1), part(other, i + 2));
    const Operand made = f.more_product(plus, part(self, i + 2), part(other, i + 1), -1);
    f.finish(made, *tensor_of(work, narrowed(view_of(*out), at, i, 1)));
  }
}

/// Turns a matrix and an identity beside it into the identity and the inverse, with the greatest
/// element of each column on the diagonal first.
void invert(std::vector<double>& matrix, std::vector<double>& inverse, std::size_t size) {
  const auto at = [size](std::vector<double>& of, std::size_t row) {
    return of.data() + row * size;
  };
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < size; ++row) {
      if (std::fabs(at(matrix, row)[column]) > std::fabs(at(matrix, pivot)[column])) pivot = row;
    }
    for (std::vector<double>* const of : {&matrix, &inverse}) {
      if (pivot == column) break;
      std::swap_ranges(at(*of, column), at(*of, column) + size, at(*of, pivot));
    }
    const double scale = 1 / at(matrix, column)[column];
    for (std::size_t i = 0; i < size; ++i) {
      at(matrix, column)[i] *= scale;
      at(inverse, column)[i] *= scale;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = row == column ? 0 : at(matrix, row)[column];
      if (factor == 0) continue;
      for (std::size_t i = 0; i < size; ++i) {
        at(matrix, row)[i] -= factor * at(matrix, column)[i];
        at(inverse, row)[i] -= factor * at(inverse, column)[i];
      }
    }
  }
}

void add_inverse(WorkList& work, const aclTensor* self, const aclTensor* out) {
  const Shape& shape = required(self, "self").GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  require_type(*self, "self", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  require_type(required(out, "out"), "out", {self->GetDataType()});
  if (rank < 2 || shape.GetDim(rank - 1) != shape.GetDim(rank - 2)) {
    refuse_aclnn("self has square matrices, not the shape " + text(shape));
  }
  require_shape(*out, "out", shape);
  if (out->IsEmpty()) return;
  Result result(work, *out, out->GetDataType());
  const auto size = static_cast<std::size_t>(shape.GetDim(rank - 1));
  work.add_task({&result.tensor()}, {as(work, *self, self->GetDataType())},
                [size](auto to, auto from) {
                  for (uint64_t first = 0; first < to[0].elements(); first += size * size) {
                    std::vector<double> matrix, inverse(size * size);
                    for (std::size_t i = 0; i < size * size; ++i) {
                      matrix.push_back(number_at(from[0], first + i));
                    }
                    for (std::size_t i = 0; i < size; ++i) inverse[i * size + i] = 1;
                    invert(matrix, inverse, size);
                    for (std::size_t i = 0; i < size * size; ++i) {
                      set_number(to[0], first + i, inverse[i]);
                    }
                  }
                });
  result.finish();
}

void add_flat(WorkList& work, const aclTensor* self, int64_t axis, const aclTensor* out) {
  const Numbers sizes = numbers_of(required(self, "self").GetViewShape());
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at > rank) {
    refuse_aclnn("axis is from " + std::to_string(-rank) + " to " + std::to_string(rank) +
                 ", not " + std::to_string(axis));
  }
  const auto split = static_cast<std::size_t>(at);
  const Shape shape{product(sizes, 0, split), product(sizes, split, sizes.size())};
  require_shape(required(out, "out"), "out", shape);
  require_type(*out, "out", {require_movable(*self, "self")});
  if (out->IsEmpty()) return;
  const aclTensor* const elements = as(work, *self, self->GetDataType());
  add_move(work, *out, view_of(*reshaped(work, *elements, shape)), "self");
}

/// Where in the dimension the elements of windows come from.
Taps window_origins(int64_t windows, int64_t size, int64_t step) {
  Taps taps;
  for (int64_t window = 0; window < windows; ++window) {
    for (int64_t i = 0; i < size; ++i) taps.push_back({{window * step + i, 1}});
  }
  return taps;
}

void add_unfold_gradient(WorkList& work, const aclTensor* gradient, const Numbers& sizes,
                         int64_t dim, int64_t size, int64_t step, const aclTensor* out) {
  for (const auto& [tensor, name] : {std::pair(gradient, "gradOut"), {out, "gradIn"}}) {
    require_type(required(tensor, name), name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    require_type(*tensor, name, {gradient->GetDataType()});
  }
  require_shape(*out, "gradIn", shape_of(sizes));
  const std::size_t at = place_of(dim, sizes.size(), "dim");
  if (size < 1 || step < 1 || size > sizes[at]) {
    refuse_aclnn("size is from 1 to " + std::to_string(sizes[at]) + " and step at least 1, not " +
                 std::to_string(size) + " and " + std::to_string(step));
  }
  const int64_t windows = (sizes[at] - size) / step + 1;
  Numbers made = sizes;
  made[at] = windows;
  made.push_back(size);
  require_shape(*gradient, "gradOut", shape_of(made));
  if (out->IsEmpty()) return;
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
  order.push_back(at);
  const aclTensor* const last = tensor_of(work, permuted(view_of(*out), order));
  order.push_back(sizes.size());
  const aclTensor* const given =
      as(work, *tensor_of(work, permuted(view_of(*gradient), order)), gradient->GetDataType());
  Numbers rows = numbers_of(last->GetViewShape());
  rows.back() = windows * size;
  add_resampling(work, *reshaped(work, *given, shape_of(rows)),
                 {window_origins(windows, size, step)}, true, *last);
}

}  // namespace

DAVSIM_FIRST_PHASE(Trace, (const aclTensor* self, aclTensor* out), { add_trace(work, self, out); })

DAVSIM_FIRST_PHASE(Diag, (const aclTensor* self, int64_t diagonal, aclTensor* out), {
  const View view = view_of(required(self, "self"));
  require_type(required(out, "out"), "out", {require_movable(*self, "self")});
  if (view.rank() == 1) return add_diagonal(work, view, diagonal, *out);
  require_rank_of(*self, "self", 2);
  const View line = diagonal_of(view, std::clamp(diagonal, -view.sizes[0], view.sizes[1]));
  require_shape(*out, "out", shape_of(line.sizes));
  if (!out->IsEmpty()) add_move(work, *out, line, "self");
})

DAVSIM_FIRST_PHASE(DiagFlat, (const aclTensor* self, int64_t diagonal, aclTensor* out), {
  require_type(required(out, "out"), "out", {require_movable(required(self, "self"), "self")});
  add_diagonal(work, flat(work, *self), diagonal, *out);
})

DAVSIM_FIRST_PHASE(LinalgCross,
                   (const aclTensor* self, const aclTensor* other, int64_t dim, aclTensor* out),
                   { add_cross(work, self, other, dim, out); })

DAVSIM_FIRST_PHASE(Inverse, (const aclTensor* self, aclTensor* out),
                   { add_inverse(work, self, out); })

DAVSIM_FIRST_PHASE(Flatten, (const aclTensor* self, int64_t axis, aclTensor* out),
                   { add_flat(work, self, axis, out); })

DAVSIM_FIRST_PHASE(UnfoldGrad,
                   (const aclTensor* gradOut, const aclIntArray* inputSizes, int64_t dim,
                    int64_t size, int64_t step, const aclTensor* gradIn),
                   {
                     add_unfold_gradient(work, gradOut, numbers_of(inputSizes, "inputSizes"), dim,
                                         size, step, gradIn);
                   })
