// Filling and making: functions/making.txt.
#include <cmath>
#include <cstring>
#include <numbers>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_logspace.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_range.h"
#include "aclnnop/aclnn_uniform.h"
#include "aclnnop/aclnn_zero.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/philox.hpp"
#include "runtime/basic_operators/steps.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

void fill(WorkList& work, const aclTensor& self, const aclScalar& value, const char* name) {
  Moves moves(work);
  moves.fill(view_of(self), element_bits(value, require_movable(self, "selfRef"), name));
  moves.finish();
}

aclScalar whole(std::int64_t value) {
  aclScalar number;
  number.type = ACL_INT64;
  std::memcpy(number.value.data(), &value, sizeof value);
  return number;
}

/// Numbers from `first` on, up to but without `last` or with it.
template <class Number>
struct Steps {
  Number first, last, by;

  Number count(bool with_last) const {
    if (by == 0 || (last > first && by < 0) || (last < first && by > 0)) {
      runtime::refuse_aclnn("step leads from start to end, which " + std::to_string(by) +
                            " does not from " + std::to_string(first) + " to " +
                            std::to_string(last));
    }
    const Number steps = (last - first) / by;
    if constexpr (std::is_integral_v<Number>) {
      return steps + (with_last || steps * by != last - first ? 1 : 0);
    } else {
      return with_last ? std::floor(steps) + 1 : std::ceil(steps);
    }
  }

  void make(WorkList& work, const aclTensor& out, bool with_last) const {
    const auto numbers = static_cast<std::int64_t>(count(with_last));
    if (out.Numel() != numbers) {
      runtime::refuse_aclnn("out has " + std::to_string(numbers) + " elements, not the shape " +
                            text(out.GetViewShape()));
    }
    if (add_steps(work, static_cast<double>(first), static_cast<double>(by),
                  std::is_integral_v<Number>, out)) {
      return;
    }
    make_elements(work, out, [steps = *this](std::uint64_t i) {
      return steps.first + static_cast<Number>(i) * steps.by;
    });
  }
};

void arange(WorkList& work, const aclScalar* start, const aclScalar* end, const aclScalar* step,
            const aclTensor* out, bool with_end) {
  bool whole = true;
  for (const aclScalar* number :
       {&required(start, "start"), &required(end, "end"), &required(step, "step")}) {
    whole = whole && op::IsIntegralType(number->GetDataType(), true);
  }
  required(out, "out");
  if (whole) {
    const Steps<std::int64_t> steps{start->ToInt64(), end->ToInt64(), step->ToInt64()};
    return steps.make(work, *out, with_end);
  }
  Steps<double>{start->number(), end->number(), step->number()}.make(work, *out, with_end);
}

/// Evenly spaced numbers with both ends, from which they are counted so that both are exact.
struct Spaced {
  double first, last;
  std::int64_t steps;

  double at(std::uint64_t i) const {
    const double by = steps > 1 ? (last - first) / static_cast<double>(steps - 1) : 0;
    const auto place = static_cast<std::int64_t>(i);
    return place < steps / 2 || steps == 1 ? first + by * static_cast<double>(place)
                                           : last - by * static_cast<double>(steps - 1 - place);
  }
};

Spaced spaced(const aclScalar* start, const aclScalar* end, std::int64_t steps,
              const aclTensor* out, const char* name) {
  const double first = required_number(start, "start"), last = required_number(end, "end");
  if (steps < 0) runtime::refuse_aclnn("steps is at least 0, not " + std::to_string(steps));
  require_shape(required(out, name), name, {steps});
  return {first, last, steps};
}

/// Numbers of the generator with which the device's functions begin at `seed` and `offset`.
template <class Make>
void random(WorkList& work, const aclTensor* self, std::int64_t seed, std::int64_t offset,
            const Make& make) {
  const Philox generator(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(offset));
  make_elements(work, required(self, "selfRef"),
                [generator, make](std::uint64_t i) { return make(generator, i); });
}

}  // namespace

aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  return first_phase("aclnnInplaceZero", workspaceSize, executor, [&](WorkList& work) {
    require_movable(required(selfRef, "selfRef"), "selfRef");
    Moves moves(work);
    moves.fill(view_of(*selfRef), 0);
    moves.finish();
  });
}

aclnnStatus aclnnInplaceOneGetWorkspaceSize(const aclTensor* selfRef, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return first_phase("aclnnInplaceOne", workspaceSize, executor, [&](WorkList& work) {
    fill(work, required(selfRef, "selfRef"), whole(1), "1");
  });
}

aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor* selfRef, const aclScalar* value,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return first_phase("aclnnInplaceFillScalar", workspaceSize, executor, [&](WorkList& work) {
    required(selfRef, "selfRef");
    fill(work, *selfRef, required(value, "value"), "value");
  });
}

aclnnStatus aclnnInplaceFillTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* value,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return first_phase("aclnnInplaceFillTensor", workspaceSize, executor, [&](WorkList& work) {
    const DataType type = require_movable(required(selfRef, "selfRef"), "selfRef");
    require_one_element(required(value, "value"), "value");
    Moves moves(work);
    moves.copy(view_of(*selfRef),
               expanded(view_of(*as(work, *value, type)), selfRef->GetViewShape()));
    moves.finish();
  });
}

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef, const aclTensor* src,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnInplaceCopy", workspaceSize, executor, [&](WorkList& work) {
    required(selfRef, "selfRef");
    const View from = expanded(view_of(required(src, "src")), selfRef->GetViewShape());
    add_move(work, *selfRef, from, "src");
  });
}

aclnnStatus aclnnArangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                        const aclScalar* step, aclTensor* out,
                                        uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnArange", workspaceSize, executor,
                     [&](WorkList& work) { arange(work, start, end, step, out, false); });
}

aclnnStatus aclnnRangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                       const aclScalar* step, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnRange", workspaceSize, executor,
                     [&](WorkList& work) { arange(work, start, end, step, out, true); });
}

DAVSIM_FIRST_PHASE(Linspace,
                   (const aclScalar* start, const aclScalar* end, int64_t steps, aclTensor* out), {
                     const Spaced numbers = spaced(start, end, steps, out, "out");
                     make_elements(work, *out, [=](std::uint64_t i) { return numbers.at(i); });
                   })

DAVSIM_FIRST_PHASE(LogSpace,
                   (const aclScalar* start, const aclScalar* end, int64_t steps, double base,
                    const aclTensor* result),
                   {
                     const Spaced powers = spaced(start, end, steps, result, "result");
                     if (!(base > 0)) {
                       runtime::refuse_aclnn("base is greater than 0, not " + std::to_string(base));
                     }
                     make_elements(work, *result,
                                   [=](std::uint64_t i) { return std::pow(base, powers.at(i)); });
                   })

aclnnStatus aclnnEyeGetWorkspaceSize(int64_t n, int64_t m, aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return first_phase("aclnnEye", workspaceSize, executor, [&](WorkList& work) {
    if (n < 0 || m < 0) {
      runtime::refuse_aclnn("n and m are at least 0, not " + std::to_string(n) + " and " +
                            std::to_string(m));
    }
    require_shape(required(out, "out"), "out", {n, m});
    make_elements(work, *out, [columns = static_cast<std::uint64_t>(m)](std::uint64_t i) {
      return std::int64_t{i / columns == i % columns};
    });
  });
}

aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor* selfRef, double from, double to,
                                                uint64_t seed, uint64_t offset,
                                                uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnInplaceUniform", workspaceSize, executor, [&](WorkList& work) {
    if (!(from <= to)) {
      runtime::refuse_aclnn("from is at most to, which is " + std::to_string(to) + ", not " +
                            std::to_string(from));
    }
    random(work, selfRef, static_cast<std::int64_t>(seed), static_cast<std::int64_t>(offset),
           [=](const Philox& generator, std::uint64_t i) {
             return from + (to - from) * generator.fraction(i);
           });
  });
}

aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor* selfRef, float mean, float std,
                                               int64_t seed, int64_t offset,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnInplaceNormal", workspaceSize, executor, [&](WorkList& work) {
    if (!(std >= 0)) runtime::refuse_aclnn("std is at least 0, not " + std::to_string(std));
    random(work, selfRef, seed, offset, [=](const Philox& generator, std::uint64_t i) {
      // Pairs of numbers by the method of Box and Muller.
      const double radius = std::sqrt(-2 * std::log(1 - generator.fraction(i / 2 * 2)));
      const double angle = 2 * std::numbers::pi * generator.fraction(i / 2 * 2 + 1);
      return mean + std * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    });
  });
}

aclnnStatus aclnnInplaceRandomGetWorkspaceSize(const aclTensor* selfRef, int64_t from, int64_t to,
                                               int64_t seed, int64_t offset,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnInplaceRandom", workspaceSize, executor, [&](WorkList& work) {
    if (from >= to) {
      runtime::refuse_aclnn("from is less than to, which is " + std::to_string(to) + ", not " +
                            std::to_string(from));
    }
    const auto range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    random(work, selfRef, seed, offset, [=](const Philox& generator, std::uint64_t i) {
      return from + static_cast<std::int64_t>(generator.word(i) % range);
    });
  });
}
