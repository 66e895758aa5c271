// Running sums and products: functions/reductions.txt.
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "runtime/basic_operators/cumulation.hpp"
#include "runtime/basic_operators/first_phase.hpp"

using namespace davsim::basic;
using davsim_basic::Arithmetic;

namespace {

void add_running(WorkList& work, const aclTensor* self, const char* name, int64_t dim,
                 const aclTensor* out, const char* out_name, const Cumulation& cumulation) {
  const std::size_t rank = required(self, name).GetViewShape().GetDimNum();
  dimension(dim, rank, "dim");
  require_shape(required(out, out_name), out_name, self->GetViewShape());
  require_cast(self->GetDataType(), *out, out_name);
  add_cumulation(work, *self, dim, cumulation, *out);
}

}  // namespace

DAVSIM_FIRST_PHASE(Cumsum, (const aclTensor* self, int64_t dim, aclDataType dtype, aclTensor* out),
                   {
                     require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
                     add_running(work, self, "self", dim, out, "out", {});
                   })

DAVSIM_FIRST_PHASE(
    CumsumV2, (const aclTensor* self, int64_t dim, bool exclusive, bool reverse, aclTensor* out), {
      add_running(work, self, "self", dim, out, "out",
                  {.exclusive = exclusive, .reverse = reverse});
    })

DAVSIM_FIRST_PHASE(Cumprod,
                   (const aclTensor* input, const aclScalar* dim, const aclDataType dtype,
                    aclTensor* out),
                   {
                     require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
                     add_running(work, input, "input", required(dim, "dim").ToInt64(), out, "out",
                                 {.op = Arithmetic::kMul});
                   })

DAVSIM_FIRST_PHASE(InplaceCumprod, (aclTensor * input, const aclScalar* dim), {
  add_running(work, input, "input", required(dim, "dim").ToInt64(), input, "input",
              {.op = Arithmetic::kMul});
})
