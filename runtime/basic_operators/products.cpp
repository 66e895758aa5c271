#include "runtime/basic_operators/products.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/matmul/tiling.hpp"
#include "runtime/aclnn/element_types.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

namespace matmul = operators::matmul;
using matmul::Factor;
using matmul::Problem;

/// A factor as the kernel takes it: matrices of one size with elements of one row or one column
/// beside each other, at one distance from each other.
struct Matrices {
  const aclTensor* tensor = nullptr;
  std::int64_t rows = 0, cols = 0;
  bool transposed = false;
  std::int64_t pitch = 0;     ///< elements from one stored row to the next
  std::int64_t distance = 0;  ///< elements from one matrix to the next
  /// Elements lie in fractals: the stored matrix, in whole ones. 0: they lie in rows.
  std::int64_t fractal_rows = 0, fractal_cols = 0;
};

/// Elements between rows have 16 bits in the instructions that load matrices.
constexpr std::int64_t kMostPitch = 65535;

std::optional<Matrices> as_they_lie(const aclTensor& tensor) {
  const Shape& shape = tensor.GetViewShape();
  const op::Strides& strides = tensor.GetViewStrides();
  const std::size_t rank = shape.GetDimNum(), row = rank - 2, col = rank - 1;
  Matrices found{&tensor, shape.GetDim(row), shape.GetDim(col)};
  const bool by_rows = strides[col] == 1 || found.cols == 1;
  const bool by_cols = strides[row] == 1 || found.rows == 1;
  if (by_rows && (strides[row] >= found.cols || found.rows == 1)) {
    found.pitch = found.rows == 1 ? found.cols : strides[row];
  } else if (by_cols && (strides[col] >= found.rows || found.cols == 1)) {
    found.transposed = true;
    found.pitch = found.cols == 1 ? found.rows : strides[col];
  } else {
    return std::nullopt;
  }
  if (found.pitch > kMostPitch) return std::nullopt;
  // Matrices follow each other at one distance where each stride is that of the next, as often as
  // that has matrices.
  std::int64_t count = 1;
  for (std::size_t d = row; d-- > 0;) {
    if (shape.GetDim(d) == 1) continue;
    if (count == 1) {
      found.distance = strides[d];
    } else if (strides[d] != found.distance * count) {
      return std::nullopt;
    }
    count *= shape.GetDim(d);
  }
  return found;
}

/// The same elements in a copy, as columns where rows are too far apart.
Matrices copied(WorkList& work, const aclTensor& tensor, DataType type) {
  const std::size_t rank = tensor.GetViewShape().GetDimNum();
  const bool by_cols = tensor.GetViewShape().GetDim(rank - 1) > kMostPitch;
  const aclTensor* const from = by_cols ? transposed(work, tensor, rank - 2, rank - 1) : &tensor;
  aclTensor* const copy = temporary(work, type, from->GetViewShape());
  work.add_copy(*copy, *from);
  Matrices made{copy, tensor.GetViewShape().GetDim(rank - 2),
                tensor.GetViewShape().GetDim(rank - 1), by_cols};
  made.pitch = by_cols ? made.rows : made.cols;
  made.distance = made.rows * made.cols;
  return made;
}

/// Matrices in fractals, whose storage is [..., columns / C0, rows / 16, 16, C0].
Matrices in_fractals(const aclTensor& tensor, DataType type) {
  const Shape &shape = tensor.GetViewShape(), &stored = tensor.GetStorageShape();
  const std::size_t rank = shape.GetDimNum(), last = stored.GetDimNum();
  constexpr std::size_t kFractal = 4;
  if (last < kFractal || tensor.GetDataType() != type) {
    runtime::refuse_aclnn(
        "a factor in FRACTAL_NZ has the other factor's type and a storage of "
        "four dimensions or more, not " +
        text(stored) + " of " + text(tensor.GetDataType()));
  }
  Matrices found{&tensor, shape.GetDim(rank - 2), shape.GetDim(rank - 1)};
  found.transposed = tensor.GetViewStrides()[rank - 2] == 1 && found.cols != 1;
  found.fractal_cols = stored.GetDim(last - 4) * stored.GetDim(last - 1);
  found.fractal_rows = stored.GetDim(last - 3) * stored.GetDim(last - 2);
  found.distance = found.fractal_rows * found.fractal_cols;
  return found;
}

Matrices matrices_of(WorkList& work, const aclTensor& tensor, DataType type) {
  if (tensor.GetStorageFormat() == op::Format::FORMAT_FRACTAL_NZ) return in_fractals(tensor, type);
  if (tensor.GetDataType() == type) {
    if (const std::optional<Matrices> found = as_they_lie(tensor)) return *found;
  }
  return copied(work, tensor, type);
}

isa::DType cube_type(DataType type) {
  return runtime::element_type(op::ToAclDataType(type));
}

std::uint8_t* at(const runtime::BoundTensor& tensor, std::int64_t elements) {
  return reinterpret_cast<std::uint8_t*>(tensor.first()) +
         elements * static_cast<std::int64_t>(op::TypeSize(tensor.type));
}

/// A part of the products that the kernel computes at a time: columns, rows and depth are limited.
struct Piece {
  Problem problem;
  std::int64_t a = 0, b = 0, c = 0, bias = 0;  ///< elements before the operands
};

observe::LaunchReport launch(sim::Device& device, const std::string& function, const Piece& piece,
                             std::span<const runtime::BoundTensor> tensors) {
  using Kernel = void(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::uint8_t*, MatmulTiling);
  const matmul::Plan plan =
      matmul::plan(piece.problem, matmul::Machine::of(device.soc(), device.timing()));
  isa::KernelEntry entry = isa::find_kernel("matmul");
  entry.name = function;
  std::uint8_t* const bias = tensors.size() > 3 ? at(tensors[3], piece.bias) : nullptr;
  const auto call = [=, kernel = reinterpret_cast<Kernel*>(entry.aic), a = at(tensors[0], piece.a),
                     b = at(tensors[1], piece.b),
                     c = at(tensors[2], piece.c)] { kernel(a, b, bias, c, plan.tiling); };
  return device.launch(entry, plan.block_dim, call, {});
}

/// Where a piece of a factor begins, `row` and `col` elements into its matrices.
std::int64_t start_of(const Matrices& factor, std::int64_t row, std::int64_t col) {
  if (factor.fractal_rows > 0 && (row > 0 || col > 0)) {
    runtime::refuse_aclnn("a factor in FRACTAL_NZ has at most " +
                          std::to_string(matmul::kMostExtent) + " rows and columns");
  }
  return factor.transposed ? col * factor.pitch + row : row * factor.pitch + col;
}

Factor factor_of(const Matrices& of, std::int64_t rows, std::int64_t cols) {
  Factor factor;
  factor.transposed = of.transposed;
  factor.batch_distance = of.distance;
  if (of.fractal_rows > 0) {
    factor.nz = true;
    factor.rows = of.fractal_rows;
    factor.cols = of.fractal_cols;
    return factor;
  }
  factor.rows = of.transposed ? cols : rows;
  factor.cols = of.pitch;
  return factor;
}

struct Products {
  Matrices a, b;
  const aclTensor* bias = nullptr;
  const aclTensor* c = nullptr;  ///< elements follow each other
  std::int64_t batches = 1;
};

/// c = a x b over the depth [from, from + depth).
void add_depth(WorkList& work, const Products& all, std::int64_t from, std::int64_t depth,
               const aclTensor& c) {
  constexpr std::int64_t kMost = matmul::kMostExtent;
  std::vector<const aclTensor*> tensors = {all.a.tensor, all.b.tensor, &c};
  if (all.bias != nullptr) tensors.push_back(all.bias);
  for (std::int64_t row = 0; row < all.a.rows; row += kMost) {
    for (std::int64_t col = 0; col < all.b.cols; col += kMost) {
      Piece piece;
      Problem& p = piece.problem;
      p.batches = all.batches;
      p.m = std::min(all.a.rows - row, kMost);
      p.n = std::min(all.b.cols - col, kMost);
      p.k = depth;
      p.c_cols = all.b.cols;
      p.c_batch_distance = all.a.rows * all.b.cols;
      p.a = factor_of(all.a, p.m, p.k);
      p.b = factor_of(all.b, p.k, p.n);
      p.input = cube_type(all.a.tensor->GetDataType());
      p.output = cube_type(c.GetDataType());
      if (all.bias != nullptr) p.bias = cube_type(all.bias->GetDataType());
      piece.a = start_of(all.a, row, from);
      piece.b = start_of(all.b, from, col);
      piece.c = row * all.b.cols + col;
      piece.bias = col;
      work.add_operation(tensors, [piece, function = work.type()](sim::Device& device, auto bound) {
        return launch(device, function, piece, bound);
      });
    }
  }
}

/// Whether the kernel writes sums of such factors as this type.
bool writes(DataType in, DataType out) {
  if (in == ge::DT_INT8) return out == ge::DT_INT32;
  return out == in || out == ge::DT_FLOAT;
}

Shape with_matrix(const Shape& batches, std::int64_t rows, std::int64_t cols) {
  Shape shape = batches;
  shape.AppendDim(rows);
  shape.AppendDim(cols);
  return shape;
}

Shape batches_of(const aclTensor& tensor) {
  Shape batches;
  for (std::size_t d = 0; d + 2 < tensor.GetViewShape().GetDimNum(); ++d) {
    batches.AppendDim(tensor.GetViewShape().GetDim(d));
  }
  return batches;
}

/// The factor with its batches repeated, as far as that needs no copy.
const aclTensor* with_batches(WorkList& work, const aclTensor& tensor, const Shape& batches) {
  const Shape& shape = tensor.GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  return repeated(work, tensor,
                  with_matrix(batches, shape.GetDim(rank - 2), shape.GetDim(rank - 1)));
}

void require_matrix(const Named& factor) {
  const std::size_t rank = required(factor.tensor, factor.name).GetViewShape().GetDimNum();
  if (rank >= 2) return;
  runtime::refuse_aclnn(std::string(factor.name) + " has two dimensions or more, not " +
                        std::to_string(rank));
}

}  // namespace

CubeMath cube_math(std::int8_t type) {
  if (type < 0 || type > 3) {
    runtime::refuse_aclnn(
        "cubeMathType is 0 (keep the type), 1 (allow less than float), 2 (use "
        "float16) or 3 (use HF32), not " +
        std::to_string(type));
  }
  return static_cast<CubeMath>(type);
}

DataType product_type(const Named& a, const Named& b) {
  for (const Named& factor : {a, b}) {
    require_type(required(factor.tensor, factor.name), factor.name,
                 {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_INT8});
  }
  const DataType of_a = a.tensor->GetDataType(), of_b = b.tensor->GetDataType();
  if ((of_a == ge::DT_INT8) != (of_b == ge::DT_INT8)) {
    runtime::refuse_aclnn(std::string(a.name) + " and " + b.name +
                          " are both int8 or neither: they are " + text(of_a) + " and " +
                          text(of_b));
  }
  return op::PromoteType(of_a, of_b);
}

const aclTensor* transposed(WorkList& work, const aclTensor& tensor, std::size_t first,
                            std::size_t second) {
  aclTensor* const view = work.view(tensor);
  std::swap(view->strides[first], view->strides[second]);
  const std::int64_t size = view->shape.GetDim(first);
  view->shape.SetDim(first, view->shape.GetDim(second));
  view->shape.SetDim(second, size);
  return view;
}

void add_product(WorkList& work, const Named& a, const Named& b, const aclTensor& out,
                 CubeMath math) {
  add_product_with_bias(work, a, b, {nullptr, "bias"}, out, math);
}

void add_product_with_bias(WorkList& work, const Named& a, const Named& b, const Named& bias,
                           const aclTensor& out, CubeMath math) {
  require_matrix(a), require_matrix(b);
  DataType type = product_type(a, b);
  if (type == ge::DT_FLOAT && math == CubeMath::kUseHalf) type = ge::DT_FLOAT16;
  const Shape &of_a = a.tensor->GetViewShape(), &of_b = b.tensor->GetViewShape();
  const std::int64_t m = of_a.GetDim(of_a.GetDimNum() - 2), k = of_a.GetDim(of_a.GetDimNum() - 1);
  const std::int64_t n = of_b.GetDim(of_b.GetDimNum() - 1);
  if (of_b.GetDim(of_b.GetDimNum() - 2) != k) {
    runtime::refuse_aclnn("the columns of " + std::string(a.name) + " are the rows of " + b.name +
                          ": their shapes are " + text(of_a) + " and " + text(of_b));
  }
  const Shape batches = broadcast(batches_of(*a.tensor), batches_of(*b.tensor));
  const Shape shape = with_matrix(batches, m, n);
  require_shape(out, "out", shape);
  require_cast(type == ge::DT_INT8 ? ge::DT_INT32 : type, out, "out");
  if (out.IsEmpty()) return;
  if (k == 0) return work.add_zeros(out);

  Products all;
  // A matrix for all batches of many rows is one product of all rows.
  all.a = matrices_of(work, *with_batches(work, *a.tensor, batches), type);
  all.b = matrices_of(work, *with_batches(work, *b.tensor, batches), type);
  all.batches = batches.GetShapeSize();
  if (all.batches > 1 && all.b.distance == 0 && all.a.fractal_rows == 0 && !all.a.transposed &&
      all.a.distance == all.a.rows * all.a.pitch) {
    all.a.rows *= all.batches;
    all.batches = 1;
  }
  if (bias.tensor != nullptr) all.bias = bias.tensor;
  const DataType sums = type == ge::DT_INT8 ? ge::DT_INT32 : ge::DT_FLOAT;
  constexpr std::int64_t kDeepest = matmul::kMostExtent;
  if (k <= kDeepest) {
    const DataType wanted = out.GetDataType();
    Result result(work, out, writes(type, wanted) ? wanted : sums);
    add_depth(work, all, 0, k, result.tensor());
    return result.finish();
  }
  Result result(work, out, sums);
  aclTensor* const part = temporary(work, sums, shape);
  for (std::int64_t from = 0; from < k; from += kDeepest) {
    const aclTensor& to = from == 0 ? result.tensor() : *part;
    add_depth(work, all, from, std::min(k - from, kDeepest), to);
    all.bias = nullptr;
    if (from == 0) continue;
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{&result.tensor(), "out"}, {part, "part"}},
                         .out = &result.tensor(),
                         .a = 1});
  }
  result.finish();
}

}  // namespace davsim::basic
