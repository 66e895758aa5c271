// Random choices: functions/random.txt.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "lists/random.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/philox.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

namespace {

Philox generator_of(int64_t seed, int64_t offset) {
  return {static_cast<uint64_t>(seed), static_cast<uint64_t>(offset)};
}

/// Number `i` from 0 up to but without 1, with all bits of a double.
double fine_fraction(const Philox& generator, uint64_t i) {
  return static_cast<double>(generator.word(i) >> 11) * 0x1p-53;
}

void require_probability(double value, const char* name) {
  if (value >= 0 && value <= 1) return;
  refuse_aclnn(std::string(name) + " is from 0 to 1, not " + std::to_string(value));
}

/// Bits for so many elements fill blocks of 16 bytes.
Shape mask_shape(int64_t elements) {
  return {quotient_up(elements, 128) * 16};
}

void require_mask(const aclTensor* mask, const char* name, int64_t elements) {
  require_type(required(mask, name), name, {ge::DT_UINT8});
  require_shape(*mask, name, mask_shape(elements));
}

/// mask = bits that are 0 with this probability, the first one the lowest of a byte.
void add_mask(WorkList& work, double probability, int64_t seed, int64_t offset,
              const aclTensor& mask) {
  make_elements(work, mask, [=, generator = generator_of(seed, offset)](uint64_t byte) {
    int64_t bits = 0;
    for (uint64_t bit = 0; bit < 8; ++bit) {
      if (generator.fraction(8 * byte + bit) >= probability) bits |= int64_t{1} << bit;
    }
    return bits;
  });
}

/// A truth for each element of a shape, whose bits are in `mask`.
const aclTensor* truths_of(WorkList& work, const aclTensor& mask, const Shape& shape) {
  const aclTensor* const truths = temporary(work, ge::DT_BOOL, shape);
  work.add_task({truths}, {as(work, mask, ge::DT_UINT8)}, [](auto to, auto from) {
    for (uint64_t i = 0; i < to[0].elements(); ++i) {
      set_whole(to[0], i, whole_at(from[0], i / 8) >> i % 8 & 1);
    }
  });
  return truths;
}

void require_same_shape(const aclTensor* self, const char* name, const aclTensor* out) {
  require_kernel_float(required(self, name), name);
  require_kernel_float(required(out, "out"), "out");
  require_shape(*out, "out", self->GetViewShape());
}

void add_fill_of_zeros(WorkList& work, const aclTensor& out) {
  Moves moves(work);
  moves.fill(view_of(out), 0);
  moves.finish();
}

/// out = self * scale where the bits are 1, else 0; a scale of 0 and 1 needs no bits.
void add_masked(WorkList& work, const Operand& self, const aclTensor* mask, double scale,
                const aclTensor& out) {
  if (out.IsEmpty()) return;
  if (scale == 0) return add_fill_of_zeros(work, out);
  if (scale == 1) return add_cast(work, *self.tensor, out);
  Formula f(work);
  const aclTensor* const truths = truths_of(work, *mask, out.GetViewShape());
  f.finish(f.choose({truths, "mask"}, f.times(self, Operand(scale)), Operand(0.0)), out);
}

/// The scale for what stays: 0 if nothing does.
double scale_of(double probability) {
  return probability == 1 ? 0 : 1 / (1 - probability);
}

void add_generated_mask(WorkList& work, const aclIntArray* shape, double probability, int64_t seed,
                        int64_t offset, const aclTensor* out) {
  const Numbers sizes = numbers_of(shape, "shape");
  for (const int64_t size : sizes) {
    if (size < 0) refuse_aclnn("shape has sizes of at least 0, not " + std::to_string(size));
  }
  require_probability(probability, "prob");
  require_mask(out, "out", shape_of(sizes).GetShapeSize());
  add_mask(work, probability, seed, offset, *out);
}

void require_numbers(const aclTensor* tensor, const char* name) {
  const DataType type = required(tensor, name).GetDataType();
  if (op::IsRealNumberType(type) || type == ge::DT_BOOL) return;
  refuse_aclnn(std::string(name) + " has real numbers, not " + text(type));
}

void require_like(const aclTensor* self, const aclTensor* out) {
  require_numbers(self, "self");
  require_type(required(out, "out"), "out", {self->GetDataType()});
  require_shape(*out, "out", self->GetViewShape());
}

void add_coins(WorkList& work, const aclScalar* probability, int64_t seed, int64_t offset,
               const aclTensor& out) {
  const double number = required_number(probability, "prob");
  require_probability(number, "prob");
  make_elements(work, out, [number, generator = generator_of(seed, offset)](uint64_t i) {
    return int64_t{generator.fraction(i) < number};
  });
}

void add_coins(WorkList& work, const aclTensor* probabilities, int64_t seed, int64_t offset,
               const aclTensor& out) {
  const DataType type = required(probabilities, "prob").GetDataType();
  require_type(*probabilities, "prob", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  const aclTensor* const each = as(work, *probabilities, type, out.GetViewShape());
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  work.add_task({&result.tensor()}, {each},
                [generator = generator_of(seed, offset)](auto to, auto from) {
                  for (uint64_t i = 0; i < to[0].elements(); ++i) {
                    set_whole(to[0], i, generator.fraction(i) < number_at(from[0], i));
                  }
                });
  result.finish();
}

/// Bits of whole numbers that a type has exactly.
int exact_bits(DataType type) {
  switch (type) {
    case ge::DT_BF16:
      return 8;
    case ge::DT_FLOAT16:
      return 11;
    case ge::DT_FLOAT:
      return 24;
    case ge::DT_DOUBLE:
      return 53;
    default: {
      const bool has_sign = type != ge::DT_UINT8;
      return static_cast<int>(op::TypeSize(type)) * 8 - (has_sign ? 1 : 0);
    }
  }
}

void require_order(int64_t count, const aclTensor* out) {
  if (count < 0) refuse_aclnn("n is at least 0, not " + std::to_string(count));
  require_type(required(out, "out"), "out",
               {ge::DT_INT64, ge::DT_INT32, ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8, ge::DT_FLOAT,
                ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  require_shape(*out, "out", {count});
  const int bits = exact_bits(out->GetDataType());
  if (bits < 63 && count > int64_t{1} << bits) {
    refuse_aclnn("n is at most " + std::to_string(int64_t{1} << bits) + " in " +
                 text(out->GetDataType()) + ", not " + std::to_string(count));
  }
}

void shuffle(const Philox& generator, const BoundTensor& to) {
  std::vector<int64_t> order(to.elements());
  std::iota(order.begin(), order.end(), 0);
  for (uint64_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[generator.word(left) % left]);
  }
  for (uint64_t i = 0; i < order.size(); ++i) set_whole(to, i, order[i]);
}

/// Choices from rows of weights.
struct Drawing {
  uint64_t categories, samples;
  bool replacement;
  Philox generator;

  void run(const BoundTensor& to, const BoundTensor& weights) const {
    for (uint64_t row = 0; row * samples < to.elements(); ++row) {
      std::vector<double> of_row;
      for (uint64_t i = 0; i < categories; ++i) {
        of_row.push_back(number_at(weights, row * categories + i));
      }
      replacement ? draw_again(to, row, of_row) : draw_once(to, row, of_row);
    }
  }

 private:
  /// Each sample is where a random part of the running sum is reached.
  void draw_again(const BoundTensor& to, uint64_t row, std::vector<double>& sums) const {
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    for (uint64_t i = row * samples; i < (row + 1) * samples; ++i) {
      const double part = fine_fraction(generator, i) * sums.back();
      const auto at = std::upper_bound(sums.begin(), sums.end(), part);
      set_whole(to, i, std::min(at, sums.end() - 1) - sums.begin());
    }
  }

  /// Waiting times of rates: the first ones to come are a choice without repetition.
  void draw_once(const BoundTensor& to, uint64_t row, const std::vector<double>& rates) const {
    std::vector<double> times;
    for (uint64_t i = 0; i < categories; ++i) {
      const double wait = -std::log1p(-fine_fraction(generator, row * categories + i));
      times.push_back(rates[i] > 0 ? wait / rates[i] : std::numeric_limits<double>::infinity());
    }
    std::vector<uint64_t> order(categories);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](uint64_t i) { return times[i]; });
    for (uint64_t i = 0; i < samples; ++i) {
      set_whole(to, row * samples + i, static_cast<int64_t>(order[i]));
    }
  }
};

int64_t categories_of(const aclTensor* self) {
  const Shape& shape = required(self, "self").GetViewShape();
  require_type(*self, "self", {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
  const std::size_t rank = shape.GetDimNum();
  if (rank != 1 && rank != 2) refuse_aclnn("self has 1 or 2 dimensions, not " + text(shape));
  const int64_t categories = shape.GetDim(rank - 1);
  if (categories < 1 || categories > int64_t{1} << 24) {
    refuse_aclnn("the last size of self is from 1 to 2^24, not " + std::to_string(categories));
  }
  return categories;
}

void add_drawing(WorkList& work, const aclTensor* self, int64_t samples, bool replacement,
                 const Philox& generator, const aclTensor* out) {
  const int64_t categories = categories_of(self);
  if (samples < 0 || (!replacement && samples > categories)) {
    refuse_aclnn("numsamples is at least 0 and, without replacement, at most " +
                 std::to_string(categories) + ", not " + std::to_string(samples));
  }
  Shape shape = self->GetViewShape();
  shape.SetDim(shape.GetDimNum() - 1, samples);
  require_type(required(out, "out"), "out", {ge::DT_INT64});
  require_shape(*out, "out", shape);
  if (out->IsEmpty()) return;
  const Drawing drawing{static_cast<uint64_t>(categories), static_cast<uint64_t>(samples),
                        replacement, generator};
  Result result(work, *out, ge::DT_INT64);
  work.add_task({&result.tensor()}, {as(work, *self, self->GetDataType())},
                [drawing](auto to, auto from) { drawing.run(to[0], from[0]); });
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(Dropout,
                   (const aclTensor* input, double p, bool train, int64_t seed, int64_t offset,
                    aclTensor* out, aclTensor* maskOut),
                   {
                     require_same_shape(input, "input", out);
                     require_probability(p, "p");
                     require_mask(maskOut, "maskOut", input->Numel());
                     const double scale = train ? scale_of(p) : 1;
                     if (scale != 0 && scale != 1) add_mask(work, p, seed, offset, *maskOut);
                     add_masked(work, {input, "input"}, maskOut, scale, *out);
                   })

DAVSIM_FIRST_PHASE(DropoutBackward,
                   (const aclTensor* gradOutput, const aclTensor* mask, double scale,
                    aclTensor* out),
                   {
                     require_same_shape(gradOutput, "gradOutput", out);
                     require_mask(mask, "mask", gradOutput->Numel());
                     if (!(scale == 0 || (scale >= 1 && std::isfinite(scale)))) {
                       refuse_aclnn("scale is 0 or at least 1, not " + std::to_string(scale));
                     }
                     add_masked(work, {gradOutput, "gradOutput"}, mask, scale, *out);
                   })

DAVSIM_FIRST_PHASE(DropoutGenMask,
                   (const aclIntArray* shape, double prob, int64_t seed, int64_t offset,
                    aclTensor* out),
                   { add_generated_mask(work, shape, prob, seed, offset, out); })

DAVSIM_FIRST_PHASE(DropoutGenMaskV2,
                   (const aclIntArray* shape, double prob, int64_t seed, int64_t offset,
                    aclDataType /*probDataType*/, aclTensor* out),
                   { add_generated_mask(work, shape, prob, seed, offset, out); })

DAVSIM_FIRST_PHASE(DropoutDoMask,
                   (const aclTensor* self, const aclTensor* mask, double prob, aclTensor* out), {
                     require_same_shape(self, "self", out);
                     require_mask(mask, "mask", self->Numel());
                     require_probability(prob, "prob");
                     add_masked(work, {self, "self"}, mask, scale_of(prob), *out);
                   })

DAVSIM_FIRST_PHASE(Bernoulli,
                   (const aclTensor* self, const aclScalar* prob, int64_t seed, int64_t offset,
                    aclTensor* out),
                   {
                     require_like(self, out);
                     add_coins(work, prob, seed, offset, *out);
                   })

DAVSIM_FIRST_PHASE(InplaceBernoulli,
                   (const aclTensor* selfRef, const aclScalar* prob, int64_t seed, int64_t offset),
                   {
                     require_numbers(selfRef, "selfRef");
                     add_coins(work, prob, seed, offset, *selfRef);
                   })

DAVSIM_FIRST_PHASE(BernoulliTensor,
                   (const aclTensor* self, const aclTensor* prob, int64_t seed, int64_t offset,
                    aclTensor* out),
                   {
                     require_like(self, out);
                     add_coins(work, prob, seed, offset, *out);
                   })

DAVSIM_FIRST_PHASE(InplaceBernoulliTensor,
                   (const aclTensor* selfRef, const aclTensor* prob, int64_t seed, int64_t offset),
                   {
                     require_numbers(selfRef, "selfRef");
                     add_coins(work, prob, seed, offset, *selfRef);
                   })

DAVSIM_FIRST_PHASE(Randperm, (int64_t n, int64_t seed, int64_t offset, aclTensor* out), {
  require_order(n, out);
  if (n == 0) return;
  Result result(work, *out, out->GetDataType());
  work.add_task({&result.tensor()}, {}, [generator = generator_of(seed, offset)](auto to, auto) {
    shuffle(generator, to[0]);
  });
  result.finish();
})

DAVSIM_FIRST_PHASE(Multinomial,
                   (const aclTensor* self, int64_t numsamples, bool replacement, int64_t seed,
                    int64_t offset, aclTensor* out),
                   {
                     add_drawing(work, self, numsamples, replacement, generator_of(seed, offset),
                                 out);
                   })
