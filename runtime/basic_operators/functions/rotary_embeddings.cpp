// Rotary embeddings: functions/rows.txt.
#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "runtime/basic_operators/device/rotary_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim_basic::RotaryTiling;

namespace {

/// Which row of the angles a row of x takes, see RotaryTiling.
struct AngleRows {
  uint64_t repeat = 1, period = 1, across = 1;
};

/// Of tensors whose last dimension is a row. Nothing where the angles have to be repeated first.
std::optional<AngleRows> angle_rows(const Shape& x, const Shape& angles) {
  AngleRows rows;
  uint64_t* const steps[] = {&rows.repeat, &rows.period, &rows.across};
  std::size_t step = 0;
  for (std::size_t i = x.GetDimNum() - 1; i-- > 0;) {
    if (x.GetDim(i) == 1) continue;
    const bool repeats = angles.GetDim(i) == 1;
    // Repeated and own dimensions take turns, and own ones are before all.
    while (step < 3 && (step % 2 == 0) != repeats) ++step;
    if (step < 3) {
      *steps[step] *= static_cast<uint64_t>(x.GetDim(i));
    } else if (repeats) {
      return std::nullopt;
    }
  }
  return rows;
}

void require_angles(const aclTensor* angles, const char* name, const Shape& x) {
  require_kernel_float(required(angles, name), name);
  const Shape& shape = angles->GetViewShape();
  bool fits = shape.GetDimNum() == x.GetDimNum();
  for (std::size_t i = 0; fits && i < x.GetDimNum(); ++i) {
    const bool is_row = i + 1 == x.GetDimNum();
    fits = shape.GetDim(i) == x.GetDim(i) || (!is_row && shape.GetDim(i) == 1);
  }
  if (fits) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " has the sizes of " + text(x) +
                                ", or 1 before the last one, not the shape " + text(shape));
}

/// Where the halves of a row are.
enum class Halves {
  kOneBehindTheOther,
  kInterleaved,
};

/// A view whose rows have one half behind the other: [..., 2, size / 2].
const aclTensor* halved(WorkList& work, const aclTensor& tensor, Halves halves) {
  aclTensor* const view = work.view(tensor);
  const std::size_t last = tensor.shape.GetDimNum() - 1;
  const int64_t half = tensor.shape.GetDim(last) / 2, step = tensor.strides[last];
  const bool interleaved = halves == Halves::kInterleaved;
  view->shape.SetDim(last, 2);
  view->shape.AppendDim(half);
  view->strides[last] = interleaved ? step : half * step;
  view->strides.push_back(interleaved ? 2 * step : step);
  return view;
}

/// x, angles and result have the same number of dimensions. A row is the last of x.
void add_rotary_kernel(WorkList& work, const aclTensor& x, const aclTensor& cosines,
                       const aclTensor& sines, const aclTensor& out) {
  const Shape& shape = x.GetViewShape();
  const int64_t half = shape.GetDim(shape.GetDimNum() - 1) / 2, rows = x.Numel() / (2 * half);
  const auto of_angles = angle_rows(shape, cosines.GetViewShape());
  const bool same = cosines.GetViewShape() == sines.GetViewShape();
  const Shape& angles = of_angles && same ? cosines.GetViewShape() : shape;
  const AngleRows use =
      of_angles && same ? *of_angles : AngleRows{1, static_cast<uint64_t>(rows), 1};
  // Two buffers of three tensors; a buffer and a tile of four of angles; four tiles.
  const auto size = static_cast<uint64_t>(op::TypeSize(x.GetDataType()));
  RotaryTiling tiling{};
  tiling.shares = row_shares(rows, half, row_tile(6 * size + 12 * 4));
  tiling.repeat = use.repeat;
  tiling.period = use.period;
  tiling.across = use.across;
  tiling.element = *element_of(x.GetDataType());
  work.add_kernel(
      {"davsim_rotary",
       work.type(),
       cores_of(tiling.shares),
       {&x, as(work, cosines, ge::DT_FLOAT, angles), as(work, sines, ge::DT_FLOAT, angles), &out},
       bytes_of(tiling)});
}

enum RotaryMode : int64_t { kHalf, kInterleave, kQuarter, kInterleaveHalf };

void add_rotary(WorkList& work, const aclTensor& x, const aclTensor& cosines,
                const aclTensor& sines, int64_t mode, const aclTensor& out) {
  if (x.IsEmpty()) return;
  const DataType type = x.GetDataType();
  const Shape& shape = x.GetViewShape();
  const auto in_rows = [&](const aclTensor& tensor, DataType as_type, bool turned) {
    return turned ? reshaped(work, *as(work, *halved(work, tensor, Halves::kInterleaved), as_type),
                             tensor.GetViewShape())
                  : as(work, tensor, as_type);
  };
  const bool turns_all = mode == kInterleave;
  const aclTensor* rows = in_rows(x, type, turns_all || mode == kInterleaveHalf);
  const aclTensor* cos = in_rows(cosines, ge::DT_FLOAT, turns_all);
  const aclTensor* sin = in_rows(sines, ge::DT_FLOAT, turns_all);
  Result result(work, turns_all ? *halved(work, out, Halves::kInterleaved) : out, type);
  const aclTensor* to = reshaped(work, result.tensor(), shape);
  if (mode == kQuarter) {  // each half of a row is a row of its own
    for (const aclTensor** tensor : {&rows, &cos, &sin, &to}) {
      *tensor = halved(work, **tensor, Halves::kOneBehindTheOther);
    }
  }
  add_rotary_kernel(work, *rows, *cos, *sin, *to);
  result.finish();
}

/// Checks x, whose last size is a multiple of `unit`.
void require_rotated(const aclTensor* x, const char* name, int64_t unit) {
  require_kernel_float(required(x, name), name);
  const Shape& shape = x->GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  if (rank > 0 && shape.GetDim(rank - 1) % unit == 0) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " has a last size that is a multiple of " +
                                std::to_string(unit) + ", not the shape " + text(shape));
}

/// Of each pair of elements of the rows the first (0) or the second one (1).
const aclTensor* half_of(WorkList& work, const aclTensor& tensor, int64_t mode, int64_t which) {
  const View all = view_of(tensor);
  const std::size_t last = all.rank() - 1;
  const int64_t half = all.sizes[last] / 2;
  return tensor_of(work, mode == kHalf ? narrowed(all, last, which * half, half)
                                       : narrowed(all, last, which, half, 2));
}

/// The sums of `x` over the dimensions in which angles of this shape are repeated.
Operand sums_for_angles(WorkList& work, Formula& f, const Operand& x, const Shape& angles) {
  const View view = view_of(*x.tensor);
  std::vector<std::size_t> order, own;
  int64_t rows = 1;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const bool repeats = d + 1 < view.rank() && angles.GetDim(d) == 1;
    (repeats ? order : own).push_back(d);
    if (repeats) rows *= view.sizes[d];
  }
  order.insert(order.end(), own.begin(), own.end());
  const aclTensor* const turned = as(work, *tensor_of(work, permuted(view, order)), f.type());
  return f.column_sums({reshaped(work, *turned, {rows, view.elements() / rows}), x.name});
}

struct RotaryGradients {
  const aclTensor *dy, *cos, *sin, *x;  ///< x may be missing
  const aclTensor *dx, *dcos, *dsin;
};

void add_rotary_gradients(WorkList& work, const RotaryGradients& call, int64_t mode) {
  Formula f(work);
  const auto half = [&](const aclTensor* tensor, int64_t which, const char* name) {
    return Operand(half_of(work, *tensor, mode, which), name);
  };
  const Operand first = half(call.dy, 0, "dy"), second = half(call.dy, 1, "dy");
  const Operand dx_first =
      f.more_product(f.times(first, half(call.cos, 0, "cos")), second, half(call.sin, 1, "sin"));
  const Operand dx_second = f.more_product(f.times(second, half(call.cos, 1, "cos")), first,
                                           half(call.sin, 0, "sin"), -1);
  if (call.x != nullptr) {
    const Shape& angles = call.cos->GetViewShape();
    const Operand x_first = half(call.x, 0, "xOptional"), x_second = half(call.x, 1, "xOptional");
    const auto finish = [&](const Operand& of, const aclTensor* out, int64_t which) {
      f.finish(sums_for_angles(work, f, of, angles), *half_of(work, *out, mode, which));
    };
    finish(f.times(first, x_first), call.dcos, 0);
    finish(f.times(second, x_second), call.dcos, 1);
    finish(f.of(PointwiseOp::kNeg, f.times(first, x_second)), call.dsin, 0);
    finish(f.times(second, x_first), call.dsin, 1);
  }
  f.finish(dx_first, *half_of(work, *call.dx, mode, 0));
  f.finish(dx_second, *half_of(work, *call.dx, mode, 1));
}

/// Checks a result that has the type and the shape of a tensor.
void require_like(const aclTensor* tensor, const char* name, const aclTensor& like) {
  require_type(required(tensor, name), name, {like.GetDataType()});
  require_shape(*tensor, name, like.GetViewShape());
}

}  // namespace

DAVSIM_FIRST_PHASE(
    RotaryPositionEmbeddingGrad,
    (const aclTensor* dy, const aclTensor* cos, const aclTensor* sin, const aclTensor* xOptional,
     int64_t mode, const aclTensor* dxOut, const aclTensor* dcosOut, const aclTensor* dsinOut),
    {
      if (mode != kHalf && mode != kInterleave) {
        davsim::runtime::refuse_aclnn("mode is 0 or 1, not " + std::to_string(mode));
      }
      require_rotated(dy, "dy", 2);
      require_angles(cos, "cos", dy->GetViewShape());
      require_like(sin, "sin", *cos);
      require_like(dxOut, "dxOut", *dy);
      if (xOptional != nullptr) {
        require_like(xOptional, "xOptional", *dy);
        require_like(dcosOut, "dcosOut", *cos);
        require_like(dsinOut, "dsinOut", *sin);
      }
      if (dy->IsEmpty()) return;
      add_rotary_gradients(work, {dy, cos, sin, xOptional, dxOut, dcosOut, dsinOut}, mode);
    })

DAVSIM_FIRST_PHASE(RotaryPositionEmbedding,
                   (const aclTensor* x, const aclTensor* cos, const aclTensor* sin, int64_t mode,
                    aclTensor* out),
                   {
                     if (mode < kHalf || mode > kInterleaveHalf) {
                       davsim::runtime::refuse_aclnn("mode is from 0 to 3, not " +
                                                     std::to_string(mode));
                     }
                     require_rotated(x, "x", mode == kQuarter ? 4 : 2);
                     require_angles(cos, "cos", x->GetViewShape());
                     require_angles(sin, "sin", x->GetViewShape());
                     require_type(required(out, "out"), "out", {x->GetDataType()});
                     require_shape(*out, "out", x->GetViewShape());
                     add_rotary(work, *x, *cos, *sin, mode, *out);
                   })

DAVSIM_FIRST_PHASE(
    ApplyRotaryPosEmb,
    (aclTensor * queryRef, aclTensor* keyRef, const aclTensor* cos, const aclTensor* sin,
     int64_t /*layout: the shapes have it*/),
    {
      for (const auto& [tensor, name] : {std::pair{queryRef, "queryRef"}, {keyRef, "keyRef"}}) {
        require_rotated(tensor, name, 2);
        require_angles(cos, "cos", tensor->GetViewShape());
        require_angles(sin, "sin", tensor->GetViewShape());
      }
      for (aclTensor* const tensor : {queryRef, keyRef}) {
        add_rotary(work, *tensor, *cos, *sin, kHalf, *tensor);
      }
    })
