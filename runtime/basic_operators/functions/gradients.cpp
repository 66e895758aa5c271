// Gradients of functions of one tensor: functions/gradients.txt.
#include "lists/gradients.h"
#include "runtime/basic_operators/pairs.hpp"

using namespace davsim::basic;

namespace {

/// Steps on float elements of one shape, of which the last one makes the gradient.
class Gradient {
 public:
  Gradient(WorkList& work, const aclTensor* gradient, const aclTensor* other, const char* name,
           const aclTensor* out, const char* out_name)
      : work_(work), out_(out) {
    for (const auto& [tensor, parameter] :
         {std::pair(gradient, "gradOutput"), std::pair(other, name), std::pair(out, out_name)}) {
      require_type(required(tensor, parameter), parameter,
                   {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    }
    require_shape(*gradient, "gradOutput", other->GetViewShape());
    require_shape(*out, out_name, other->GetViewShape());
  }

  Operand sigmoid(const Operand& x) { return step({.op = PointwiseOp::kSigmoid, .operands = {x}}); }
  Operand times(const Operand& x, const Operand& y) {
    return step({.op = PointwiseOp::kMul, .operands = {x, y}});
  }
  Operand less(const Operand& x, const Operand& y) {
    return step({.op = PointwiseOp::kAxpy, .operands = {x, y}, .a = -1});
  }
  Operand more(const Operand& x, const Operand& y) {
    return step({.op = PointwiseOp::kAxpy, .operands = {x, y}, .a = 1});
  }
  void finish(const Operand& from) { add_cast(work_, *from.tensor, *out_); }

 private:
  Operand step(Pointwise call) {
    const aclTensor* const made =
        temporary(work_, ge::DT_FLOAT, call.operands[0].tensor->GetViewShape());
    call.type = ge::DT_FLOAT;
    call.out = made;
    add_pointwise(work_, call);
    return {made, call.operands[0].name};
  }

  WorkList& work_;
  const aclTensor* out_;
};

}  // namespace

DAVSIM_FIRST_PHASE(TanhBackward,
                   (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput), {
                     Gradient make(work, gradOutput, output, "output", gradInput, "gradInput");
                     const Operand dy(gradOutput, "gradOutput"), y(output, "output");
                     make.finish(make.less(dy, make.times(make.times(dy, y), y)));
                   })

DAVSIM_FIRST_PHASE(SigmoidBackward,
                   (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput), {
                     Gradient make(work, gradOutput, output, "output", gradInput, "gradInput");
                     const Operand y(output, "output");
                     const Operand dy = make.times({gradOutput, "gradOutput"}, y);
                     make.finish(make.less(dy, make.times(dy, y)));
                   })

DAVSIM_FIRST_PHASE(SiluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput), {
                     Gradient make(work, gradOutput, self, "self", gradInput, "gradInput");
                     const Operand x(self, "self");
                     const Operand s = make.sigmoid(x);
                     const Operand dy = make.times({gradOutput, "gradOutput"}, s);
                     const Operand rest = make.times(dy, x);
                     make.finish(make.more(dy, make.less(rest, make.times(rest, s))));
                   })

DAVSIM_FIRST_PHASE(ThresholdBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* threshold,
                    aclTensor* out),
                   {
                     const Shape& shape = required(self, "self").GetViewShape();
                     require_shape(required(gradOutput, "gradOutput"), "gradOutput", shape);
                     aclTensor* const passes = temporary(work, ge::DT_BOOL, shape);
                     add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {self, "self"},
                              {threshold, "threshold"}, passes);
                     add_triple(work, {PointwiseOp::kWhere}, {gradOutput, "gradOutput"},
                                Operand(0.0), {passes, "self"}, out);
                   })
