// What functions of one tensor have in common.
#pragma once

#include "runtime/basic_operators/pointwise.hpp"

namespace davsim::basic {

/// What a function makes of `self`, and with which numbers.
struct OfOne {
  PointwiseOp op;
  ResultType result = ResultType::kReal;
  double a = 0, b = 0, c = 0;
};

void add_one(WorkList& work, const OfOne& call, const aclTensor* self, const aclTensor* out,
             const char* self_name = "self", const char* out_name = "out");

inline void add_in_place(WorkList& work, const OfOne& call, const aclTensor* self) {
  add_one(work, call, self, self, "selfRef", "selfRef");
}

}  // namespace davsim::basic
