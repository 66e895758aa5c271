// Products of matrices: functions/products.txt.
#include <algorithm>

#include "lists/products.h"
#include "runtime/basic_operators/convolution.hpp"
#include "runtime/basic_operators/pairs.hpp"
#include "runtime/basic_operators/products.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

void require_rank(const aclTensor* tensor, const char* name, std::size_t rank) {
  const std::size_t found = required(tensor, name).GetViewShape().GetDimNum();
  if (found == rank) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " has " + std::to_string(rank) +
                                " dimensions, not " + std::to_string(found));
}

/// A vector as a matrix of one row, or of one column.
const aclTensor* as_row(WorkList& work, const aclTensor& vector) {
  aclTensor* const view = work.view(vector);
  view->shape = Shape({1, vector.shape.GetDim(0)});
  view->strides = {vector.shape.GetDim(0) * vector.strides[0], vector.strides[0]};
  return view;
}
const aclTensor* as_column(WorkList& work, const aclTensor& vector) {
  return transposed(work, *as_row(work, vector), 0, 1);
}

/// A result of the matrices' product without the sizes of 1 that vectors were given.
void add_to_vector(WorkList& work, const Named& a, const Named& b, const aclTensor& out,
                   const Shape& shape, CubeMath math) {
  const DataType type = product_type(a, b);
  aclTensor* const made = temporary(work, type, shape);
  add_product(work, a, b, *made, math);
  require_cast(type, out, "out");
  if (!out.IsEmpty()) work.add_copy(out, *reshaped(work, *made, out.GetViewShape()));
}

/// torch.matmul: vectors are rows on the left and columns on the right.
void matmul(WorkList& work, const Named& a, const Named& b, const aclTensor* out,
            std::int8_t math_type) {
  const CubeMath math = cube_math(math_type);
  required(out, "out");
  const std::size_t of_a = required(a.tensor, a.name).GetViewShape().GetDimNum();
  const std::size_t of_b = required(b.tensor, b.name).GetViewShape().GetDimNum();
  if (of_a >= 2 && of_b >= 2) return add_product(work, a, b, *out, math);
  if (of_a == 0 || of_b == 0) davsim::runtime::refuse_aclnn("factors have one dimension or more");
  const Named left{of_a == 1 ? as_row(work, *a.tensor) : a.tensor, a.name};
  const Named right{of_b == 1 ? as_column(work, *b.tensor) : b.tensor, b.name};
  const Shape &x = left.tensor->GetViewShape(), &y = right.tensor->GetViewShape();
  Shape batches, expected;
  for (const auto* shape : {&x, &y}) {
    for (std::size_t d = 0; d + 2 < shape->GetDimNum(); ++d) {
      batches.AppendDim(shape->GetDim(d));
      expected.AppendDim(shape->GetDim(d));
    }
  }
  batches.AppendDim(x.GetDim(x.GetDimNum() - 2));
  batches.AppendDim(y.GetDim(y.GetDimNum() - 1));
  if (of_a > 1) expected.AppendDim(x.GetDim(x.GetDimNum() - 2));
  if (of_b > 1) expected.AppendDim(y.GetDim(y.GetDimNum() - 1));
  require_shape(*out, "out", expected);
  add_to_vector(work, left, right, *out, batches, math);
}

/// out = beta * self + alpha * a x b
void add_scaled_product(WorkList& work, const Named& self, const Named& a, const Named& b,
                        double beta, double alpha, const aclTensor& out, std::int8_t math_type) {
  const CubeMath math = cube_math(math_type);
  const Shape& shape = out.GetViewShape();
  required(self.tensor, self.name);
  if (broadcast(self.tensor->GetViewShape(), shape) != shape) {
    davsim::runtime::refuse_aclnn(std::string(self.name) + " has a shape that " + text(shape) +
                                  " repeats, not " + text(self.tensor->GetViewShape()));
  }
  const bool is_row = self.tensor->Numel() == shape.GetDim(shape.GetDimNum() - 1) &&
                      self.tensor->GetViewShape().GetDimNum() == 1;
  const DataType type = product_type(a, b);
  if (is_row && beta == 1 && alpha == 1 && type != ge::DT_INT8) {
    const Named bias{as(work, *self.tensor, ge::DT_FLOAT), self.name};
    return add_product_with_bias(work, a, b, bias, out, math);
  }
  aclTensor* const product =
      temporary(work, type == ge::DT_INT8 ? ge::DT_INT32 : ge::DT_FLOAT, shape);
  add_product(work, a, b, *product, math);
  if (beta == 0) {  // whatever self is
    return add_pair(work, {PointwiseOp::kMul}, {product, "product"}, Operand(alpha), &out);
  }
  const aclTensor* start = self.tensor;
  if (beta != 1) {
    aclTensor* const scaled = temporary(work, ge::DT_FLOAT, self.tensor->GetViewShape());
    add_pair(work, {PointwiseOp::kMul}, {self.tensor, self.name}, Operand(beta), scaled);
    start = scaled;
  }
  add_pointwise(work, {.op = PointwiseOp::kAxpy,
                       .operands = {{start, self.name}, {product, "product"}},
                       .out = &out,
                       .type = ge::DT_FLOAT,
                       .a = alpha});
}

/// The products of all batches in the depth of one.
struct Flat {
  const aclTensor *a, *b;
};
Flat flat_batches(WorkList& work, const aclTensor* batch1, const aclTensor* batch2) {
  require_rank(batch1, "batch1", 3), require_rank(batch2, "batch2", 3);
  const Shape &x = batch1->GetViewShape(), &y = batch2->GetViewShape();
  if (x.GetDim(0) != y.GetDim(0)) {
    davsim::runtime::refuse_aclnn("batch1 and batch2 have as many matrices: their shapes are " +
                                  text(x) + " and " + text(y));
  }
  const aclTensor* const by_rows = transposed(work, *batch1, 0, 1);  // [M, batches, K]
  const DataType type = product_type({batch1, "batch1"}, {batch2, "batch2"});
  return {
      reshaped(work, *as(work, *by_rows, type), Shape({x.GetDim(1), x.GetDim(0) * x.GetDim(2)})),
      reshaped(work, *as(work, *batch2, type), Shape({y.GetDim(0) * y.GetDim(1), y.GetDim(2)}))};
}

void addmv(WorkList& work, const aclTensor* self, const aclTensor* mat, const aclTensor* vec,
           double beta, double alpha, const aclTensor* out, std::int8_t math) {
  require_rank(mat, "mat", 2), require_rank(vec, "vec", 1);
  require_shape(required(out, "out"), "out", Shape({mat->GetViewShape().GetDim(0)}));
  const DataType type = op::PromoteType(product_type({mat, "mat"}, {vec, "vec"}),
                                        required(self, "self").GetDataType());
  require_cast(type, *out, "out");
  aclTensor* const column = temporary(work, type, Shape({out->Numel(), 1}));
  const aclTensor* start = self;
  if (self->Numel() == out->Numel()) {
    start = reshaped(work, *as(work, *self, type), column->GetViewShape());
  }
  add_scaled_product(work, {start, "self"}, {mat, "mat"}, {as_column(work, *vec), "vec"}, beta,
                     alpha, *column, math);
  if (!out->IsEmpty()) work.add_copy(*out, *reshaped(work, *column, out->GetViewShape()));
}

}  // namespace

DAVSIM_FIRST_PHASE(
    Matmul, (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType), {
      matmul(work, {self, "self"}, {mat2, "mat2"}, out, cubeMathType);
    })

DAVSIM_FIRST_PHASE(
    MatmulWeightNz,
    (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType), {
      if (required(mat2, "mat2").GetStorageFormat() != op::Format::FORMAT_FRACTAL_NZ) {
        davsim::runtime::refuse_aclnn("mat2 has the format FRACTAL_NZ");
      }
      matmul(work, {self, "self"}, {mat2, "mat2"}, out, cubeMathType);
    })

DAVSIM_FIRST_PHASE(
    Mm, (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType), {
      require_rank(self, "self", 2), require_rank(mat2, "mat2", 2);
      matmul(work, {self, "self"}, {mat2, "mat2"}, out, cubeMathType);
    })

DAVSIM_FIRST_PHASE(BatchMatMul,
                   (const aclTensor* self, const aclTensor* mat2, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     require_rank(self, "self", 3), require_rank(mat2, "mat2", 3);
                     matmul(work, {self, "self"}, {mat2, "mat2"}, out, cubeMathType);
                   })

DAVSIM_FIRST_PHASE(Addmm,
                   (const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
                    const aclScalar* beta, const aclScalar* alpha, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     require_rank(mat1, "mat1", 2), require_rank(mat2, "mat2", 2);
                     add_scaled_product(work, {self, "self"}, {mat1, "mat1"}, {mat2, "mat2"},
                                        required_number(beta, "beta"),
                                        required_number(alpha, "alpha"), required(out, "out"),
                                        cubeMathType);
                   })

DAVSIM_FIRST_PHASE(InplaceAddmm,
                   (const aclTensor* selfRef, const aclTensor* mat1, const aclTensor* mat2,
                    const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType),
                   {
                     require_rank(mat1, "mat1", 2), require_rank(mat2, "mat2", 2);
                     add_scaled_product(work, {selfRef, "selfRef"}, {mat1, "mat1"}, {mat2, "mat2"},
                                        required_number(beta, "beta"),
                                        required_number(alpha, "alpha"),
                                        required(selfRef, "selfRef"), cubeMathType);
                   })

DAVSIM_FIRST_PHASE(Baddbmm,
                   (const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
                    const aclScalar* beta, const aclScalar* alpha, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     require_rank(batch1, "batch1", 3), require_rank(batch2, "batch2", 3);
                     add_scaled_product(work, {self, "self"}, {batch1, "batch1"},
                                        {batch2, "batch2"}, required_number(beta, "beta"),
                                        required_number(alpha, "alpha"), required(out, "out"),
                                        cubeMathType);
                   })

DAVSIM_FIRST_PHASE(InplaceBaddbmm,
                   (const aclTensor* selfRef, const aclTensor* batch1, const aclTensor* batch2,
                    const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType),
                   {
                     require_rank(batch1, "batch1", 3), require_rank(batch2, "batch2", 3);
                     add_scaled_product(work, {selfRef, "selfRef"}, {batch1, "batch1"},
                                        {batch2, "batch2"}, required_number(beta, "beta"),
                                        required_number(alpha, "alpha"),
                                        required(selfRef, "selfRef"), cubeMathType);
                   })

DAVSIM_FIRST_PHASE(Addbmm,
                   (const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
                    const aclScalar* beta, const aclScalar* alpha, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     const Flat flat = flat_batches(work, batch1, batch2);
                     add_scaled_product(work, {self, "self"}, {flat.a, "batch1"},
                                        {flat.b, "batch2"}, required_number(beta, "beta"),
                                        required_number(alpha, "alpha"), required(out, "out"),
                                        cubeMathType);
                   })

DAVSIM_FIRST_PHASE(InplaceAddbmm,
                   (aclTensor * selfRef, const aclTensor* batch1, const aclTensor* batch2,
                    const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType),
                   {
                     const Flat flat = flat_batches(work, batch1, batch2);
                     add_scaled_product(work, {selfRef, "selfRef"}, {flat.a, "batch1"},
                                        {flat.b, "batch2"}, required_number(beta, "beta"),
                                        required_number(alpha, "alpha"),
                                        required(selfRef, "selfRef"), cubeMathType);
                   })

DAVSIM_FIRST_PHASE(
    Mv, (const aclTensor* self, const aclTensor* vec, aclTensor* out, int8_t cubeMathType), {
      require_rank(self, "self", 2), require_rank(vec, "vec", 1);
      matmul(work, {self, "self"}, {vec, "vec"}, out, cubeMathType);
    })

DAVSIM_FIRST_PHASE(Addmv,
                   (const aclTensor* self, const aclTensor* mat, const aclTensor* vec,
                    const aclScalar* alpha, const aclScalar* beta, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     addmv(work, self, mat, vec, required_number(beta, "beta"),
                           required_number(alpha, "alpha"), out, cubeMathType);
                   })

DAVSIM_FIRST_PHASE(Dot, (const aclTensor* self, const aclTensor* tensor, aclTensor* out), {
  require_rank(self, "self", 1), require_rank(tensor, "tensor", 1);
  matmul(work, {self, "self"}, {tensor, "tensor"}, out, 0);
})

DAVSIM_FIRST_PHASE(Gemm,
                   (const aclTensor* A, const aclTensor* B, const aclTensor* C, float alpha,
                    float beta, int64_t transA, int64_t transB, aclTensor* out,
                    int8_t cubeMathType),
                   {
                     require_rank(A, "A", 2), require_rank(B, "B", 2);
                     const aclTensor* const a = transA != 0 ? transposed(work, *A, 0, 1) : A;
                     const aclTensor* const b = transB != 0 ? transposed(work, *B, 0, 1) : B;
                     add_scaled_product(work, {C, "C"}, {a, "A"}, {b, "B"}, beta, alpha,
                                        required(out, "out"), cubeMathType);
                   })

DAVSIM_FIRST_PHASE(Convolution,
                   (const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
                    const aclIntArray* stride, const aclIntArray* padding,
                    const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding,
                    const int64_t groups, aclTensor* output, int8_t cubeMathType),
                   {
                     Convolution call{input,
                                      weight,
                                      bias,
                                      numbers_of(stride, "stride"),
                                      numbers_of(padding, "padding"),
                                      numbers_of(dilation, "dilation"),
                                      {},
                                      transposed,
                                      groups};
                     call.output_padding = transposed
                                               ? numbers_of(outputPadding, "outputPadding")
                                               : std::vector<std::int64_t>(call.stride.size());
                     add_convolution(work, call, required(output, "output"),
                                     cube_math(cubeMathType));
                   })
