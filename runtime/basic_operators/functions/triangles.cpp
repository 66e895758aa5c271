// Triangles of matrices: functions/triangles.txt.
#include <algorithm>

#include "lists/triangles.h"
#include "runtime/basic_operators/device/triangle_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

using davsim_basic::TriangleTiling;

TriangleTiling triangle_tiling(const aclTensor& tensor, std::int64_t diagonal, bool upper) {
  const Numbers sizes = numbers_of(tensor.GetViewShape());
  const std::size_t rank = sizes.size();
  const std::int64_t element = bytes_of_element(tensor);
  const std::int64_t matrices = product(sizes, 0, rank - 2);
  const std::int64_t rows = sizes[rank - 2], columns = sizes[rank - 1] * element;
  const std::int64_t all = davsim_basic::kTriangleTile;
  const std::int64_t piece =
      columns <= all ? columns
                     : rounded_up(quotient_up(columns, quotient_up(columns, all)), kUbBlock);
  const std::int64_t fair = quotient_up(matrices * rows, std::int64_t{vector_cores()});
  const std::int64_t tile =
      std::max<std::int64_t>(std::min({all / rounded_up(piece, kUbBlock), fair, rows}), 1);
  TriangleTiling tiling{};
  tiling.tiles =
      static_cast<std::uint64_t>(matrices * quotient_up(rows, tile) * quotient_up(columns, piece));
  tiling.matrices = static_cast<std::uint64_t>(matrices);
  tiling.rows = static_cast<std::uint64_t>(rows);
  tiling.columns = static_cast<std::uint64_t>(columns);
  // Further away it is beside every element.
  tiling.diagonal = std::clamp(diagonal, -rows - 1, sizes[rank - 1] + 1);
  tiling.element = static_cast<std::uint32_t>(element);
  tiling.upper = upper ? 1 : 0;
  tiling.tile = static_cast<std::uint32_t>(tile);
  tiling.piece = static_cast<std::uint32_t>(piece);
  return tiling;
}

void triangle(WorkList& work, const aclTensor& self, std::int64_t diagonal, bool upper,
              const aclTensor& out) {
  if (self.GetViewShape().GetDimNum() < 2) {
    davsim::runtime::refuse_aclnn("self has two dimensions at least, not the shape " +
                                  text(self.GetViewShape()));
  }
  require_shape(out, "out", self.GetViewShape());
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  const TriangleTiling tiling = triangle_tiling(self, diagonal, upper);
  work.add_kernel({"davsim_triangle",
                   work.type(),
                   cores_for(tiling.tiles),
                   {as(work, self, self.GetDataType()), &result.tensor()},
                   bytes_of(tiling)});
  result.finish();
}

}  // namespace

#define DAVSIM_TRIANGLE(Name, upper)                                                    \
  DAVSIM_FIRST_PHASE(Name, (const aclTensor* self, int64_t diagonal, aclTensor* out), { \
    required(self, "self");                                                             \
    triangle(work, *self, diagonal, upper, required(out, "out"));                       \
  })                                                                                    \
  DAVSIM_FIRST_PHASE(Inplace##Name, (const aclTensor* selfRef, int64_t diagonal),       \
                     { triangle(work, required(selfRef, "selfRef"), diagonal, upper, *selfRef); })

DAVSIM_TRIANGLE(Tril, false)
DAVSIM_TRIANGLE(Triu, true)
