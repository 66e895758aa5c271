// Single elements that indices and masks choose, by the host: functions/choosing.txt.
#include <array>
#include <cstring>

#include "lists/choosing.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

using davsim::runtime::ApiError;
using davsim::runtime::BoundTensor;
using davsim::runtime::refuse_aclnn;

const aclTensor* elements_of(WorkList& work, const aclTensor& tensor) {
  return as(work, tensor, tensor.GetDataType());
}

void copy_element(const BoundTensor& to, std::uint64_t i, const BoundTensor& from,
                  std::uint64_t j) {
  std::memcpy(element_at(to, i), element_at(from, j), op::TypeSize(to.type));
}

/// Places of the elements of an index, in it, in what it points into, and in a tensor beside it.
struct IndexWalk {
  Numbers sizes, target, beside;
  std::size_t dim;

  template <class Visit>
  void each(const BoundTensor& index, const Visit& visit) const {
    Numbers at(sizes.size(), 0);
    for (std::uint64_t i = 0; i < index.elements(); ++i) {
      const std::int64_t place = whole_at(index, i);
      std::int64_t there = 0, next = 0;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::int64_t step = d != dim ? at[d] : place < 0 ? place + target[d] : place;
        there = there * target[d] + step;
        next = next * beside[d] + at[d];
      }
      visit(i, static_cast<std::uint64_t>(there), static_cast<std::uint64_t>(next));
      for (std::size_t d = sizes.size(); d-- > 0;) {
        if (++at[d] < sizes[d]) break;
        at[d] = 0;
      }
    }
  }
};

/// `index` has the rank of the others and is no larger than they are, but along `dim` than `self`.
IndexWalk index_walk(const aclTensor& self, std::int64_t dim, const aclTensor* index,
                     const aclTensor& beside, const char* beside_name) {
  IndexWalk walk{numbers_of(required_index(index, "index").GetViewShape()),
                 numbers_of(self.GetViewShape()), numbers_of(beside.GetViewShape()), 0};
  walk.dim = place_of(dim, walk.target.size(), "dim");
  const std::size_t rank = walk.target.size();
  bool fits = walk.sizes.size() == rank && walk.beside.size() == rank;
  for (std::size_t d = 0; fits && d < rank; ++d) {
    fits = walk.sizes[d] <= walk.beside[d] && (d == walk.dim || walk.sizes[d] <= walk.target[d]);
  }
  if (fits) return walk;
  refuse_aclnn("index has the rank of self and of " + std::string(beside_name) +
               " and is no larger than they are, but along dim than self: not " +
               text(index->GetViewShape()) + " for " + text(self.GetViewShape()) + " and " +
               text(beside.GetViewShape()));
}

void gather(WorkList& work, const aclTensor& self, std::int64_t dim, const aclTensor* index,
            const aclTensor& out) {
  const IndexWalk walk = index_walk(self, dim, index, out, "out");
  require_shape(out, "out", index->GetViewShape());
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  const aclTensor* const places = elements_of(work, *index);
  const std::int64_t size = walk.target[walk.dim];
  check_index(work, *places, "index", -size, size);
  Result result(work, out, out.GetDataType());
  const aclTensor* const table = elements_of(work, self);
  Numbers rows = walk.sizes;
  rows.back() = walk.target.back();
  if (walk.dim + 1 == rows.size() && rows == walk.target &&
      add_gathered_elements(work, {.table = table,
                                   .places = places,
                                   .out = &result.tensor(),
                                   .rows = product(rows, 0, walk.dim),
                                   .width = rows.back(),
                                   .shared = false})) {
    return result.finish();
  }
  work.add_task({&result.tensor()}, {table, places}, [walk](auto to, auto from) {
    walk.each(from[1], [&](std::uint64_t i, std::uint64_t there, std::uint64_t) {
      copy_element(to[0], i, from[0], there);
    });
  });
  result.finish();
}

enum class Reduce : std::int64_t { kNone, kAdd, kMultiply };

void multiply_element(const BoundTensor& to, std::uint64_t i, const BoundTensor& from,
                      std::uint64_t j) {
  if (op::IsIntegralType(to.type, true)) {
    set_whole(to, i,
              static_cast<std::int64_t>(static_cast<std::uint64_t>(whole_at(to, i)) *
                                        static_cast<std::uint64_t>(whole_at(from, j))));
  } else {
    set_number(to, i, number_at(to, i) * number_at(from, j));
  }
}

/// `src` has one element or those beside the index.
void scatter(WorkList& work, const aclTensor& self, std::int64_t dim, const aclTensor* index,
             const aclTensor& src, Reduce reduce, const aclTensor& out) {
  const bool is_number = src.GetViewShape().GetDimNum() == 0;
  const IndexWalk walk = index_walk(self, dim, index, is_number ? self : src, "src");
  require_shape(out, "out", self.GetViewShape());
  const DataType type = require_movable(self, "self");
  require_type(out, "out", {type});
  require_type(src, "src", {type});
  if (reduce != Reduce::kNone && !op::IsRealNumberType(type) && type != ge::DT_BOOL) {
    refuse_aclnn("self has real numbers to compute with, not " + text(type));
  }
  const aclTensor* const places = elements_of(work, *index);
  check_index(work, *places, "index", 0, walk.target[walk.dim]);
  Changed changed(work, out, self);
  if (!index->IsEmpty()) {
    work.add_task({&changed.tensor()}, {elements_of(work, src), places},
                  [walk, reduce, is_number](auto to, auto from) {
                    walk.each(from[1],
                              [&](std::uint64_t, std::uint64_t there, std::uint64_t beside) {
                                const std::uint64_t source = is_number ? 0 : beside;
                                if (reduce == Reduce::kAdd)
                                  return add_element(to[0], there, from[0], source);
                                if (reduce == Reduce::kMultiply) {
                                  return multiply_element(to[0], there, from[0], source);
                                }
                                copy_element(to[0], there, from[0], source);
                              });
                  });
  }
  changed.finish();
}

Reduce reduce_of(std::int64_t number) {
  if (number < 0 || number > 2) {
    refuse_aclnn("reduce is 0, 1 or 2, not " + std::to_string(number));
  }
  return static_cast<Reduce>(number);
}

/// One element with the number.
const aclTensor* number_tensor(WorkList& work, const aclScalar* value, DataType type) {
  aclTensor* const made = work.host_tensor({}, type, op::Format::FORMAT_ND);
  const std::uint64_t bits = element_bits(required(value, "value"), type, "value");
  std::memcpy(made->storage->values.data(), &bits, op::TypeSize(type));
  aclTensor* const copied = temporary(work, type, {});
  work.add_copy(*copied, *made);
  return copied;
}

/// Elements or rows that a task found; the view of `out` has as many when the second phase ends.
void give_count(WorkList& work, const aclTensor& out, std::shared_ptr<std::int64_t> count,
                const Numbers& inner) {
  work.add_shape(out, [count, inner] {
    Numbers sizes{*count};
    sizes.insert(sizes.end(), inner.begin(), inner.end());
    return shape_of(sizes);
  });
}

[[noreturn]] void no_room(const std::string& function, std::int64_t room) {
  throw ApiError(ACL_ERROR_RT_AICPU_EXCEPTION,
                 function + ": out has room for " + std::to_string(room) + ", and there are more");
}

bool is_true(const BoundTensor& tensor, std::uint64_t i) {
  return op::IsIntegralType(tensor.type, true) ? whole_at(tensor, i) != 0
                                               : number_at(tensor, i) != 0;
}

void masked_select(WorkList& work, const aclTensor& self, const aclTensor& mask,
                   const aclTensor& out) {
  require_type(mask, "mask", {ge::DT_BOOL, ge::DT_UINT8});
  require_type(out, "out", {require_movable(self, "self")});
  if (out.GetViewShape().GetDimNum() != 1) {
    refuse_aclnn("out is a vector, not of the shape " + text(out.GetViewShape()));
  }
  const Shape shape = broadcast(self.GetViewShape(), mask.GetViewShape());
  const auto count = std::make_shared<std::int64_t>(0);
  Result result(work, out, out.GetDataType());
  if (shape.GetShapeSize() > 0) {
    work.add_task(
        {&result.tensor()},
        {as(work, self, self.GetDataType(), shape), as(work, mask, mask.GetDataType(), shape)},
        [count, function = work.type()](auto to, auto from) {
          const auto room = static_cast<std::int64_t>(to[0].elements());
          *count = 0;
          for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
            if (!is_true(from[1], i)) continue;
            if (*count == room) no_room(function, room);
            copy_element(to[0], static_cast<std::uint64_t>((*count)++), from[0], i);
          }
        });
  }
  result.finish();
  give_count(work, out, count, {});
}

void nonzero(WorkList& work, const aclTensor& self, const aclTensor& out) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  const auto rank = static_cast<std::int64_t>(sizes.size());
  require_movable(self, "self");
  require_type(out, "out", {ge::DT_INT64});
  const Shape& shape = out.GetViewShape();
  if (shape.GetDimNum() != 2 || shape.GetDim(1) != rank) {
    refuse_aclnn("out has the shape [elements," + std::to_string(rank) + "], not " + text(shape));
  }
  const auto count = std::make_shared<std::int64_t>(0);
  Result result(work, out, ge::DT_INT64);
  if (!self.IsEmpty()) {
    work.add_task(
        {&result.tensor()}, {elements_of(work, self)},
        [count, sizes, room = shape.GetDim(0), function = work.type()](auto to, auto from) {
          *count = 0;
          for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
            if (!is_true(from[0], i)) continue;
            if (*count == room) no_room(function, room);
            auto rest = static_cast<std::int64_t>(i);
            const std::uint64_t row = static_cast<std::uint64_t>((*count)++) * sizes.size();
            for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
              set_whole(to[0], row + d, rest % sizes[d]);
            }
          }
        });
  }
  result.finish();
  give_count(work, out, count, {rank});
}

void one_hot(WorkList& work, const aclTensor& self, std::int64_t classes, const aclTensor& on,
             const aclTensor& off, std::int64_t axis, const aclTensor& out) {
  Numbers sizes = numbers_of(required_index(&self, "self").GetViewShape());
  if (classes < 0) refuse_aclnn("numClasses is at least 0, not " + std::to_string(classes));
  const std::size_t at = dimension(axis, sizes.size() + 1, "axis");
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), classes);
  require_shape(out, "out", shape_of(sizes));
  for (const auto& [tensor, name] : {std::pair{&on, "onValue"}, std::pair{&off, "offValue"}}) {
    require_type(*tensor, name, {require_movable(out, "out")});
    require_one_element(*tensor, name);
  }
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  const std::int64_t inner = product(sizes, at + 1, sizes.size());
  work.add_task({&result.tensor()}, {elements_of(work, self), &on, &off},
                [classes, inner](auto to, auto from) {
                  for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
                    const auto place = static_cast<std::int64_t>(i);
                    const std::int64_t outer = place / inner / classes;
                    const auto element = static_cast<std::uint64_t>(outer * inner + place % inner);
                    const bool is_on = whole_at(from[0], element) == place / inner % classes;
                    copy_element(to[0], i, from[is_on ? 1 : 2], 0);
                  }
                });
  result.finish();
}

}  // namespace

DAVSIM_FIRST_PHASE(
    Gather, (const aclTensor* self, const int64_t dim, const aclTensor* index, aclTensor* out), {
      required(self, "self");
      gather(work, *self, dim, index, required(out, "out"));
    })

DAVSIM_FIRST_PHASE(Scatter,
                   (const aclTensor* self, int64_t dim, const aclTensor* index,
                    const aclTensor* src, int64_t reduce, aclTensor* out),
                   {
                     required(self, "self");
                     scatter(work, *self, dim, index, required(src, "src"), reduce_of(reduce),
                             required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(InplaceScatter,
                   (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* src,
                    int64_t reduce),
                   {
                     required(selfRef, "selfRef");
                     scatter(work, *selfRef, dim, index, required(src, "src"), reduce_of(reduce),
                             *selfRef);
                   })

DAVSIM_FIRST_PHASE(ScatterValue,
                   (const aclTensor* self, int64_t dim, const aclTensor* index,
                    const aclScalar* value, int64_t reduce, aclTensor* out),
                   {
                     const DataType type = required(self, "self").GetDataType();
                     scatter(work, *self, dim, index, *number_tensor(work, value, type),
                             reduce_of(reduce), required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(InplaceScatterValue,
                   (aclTensor * selfRef, int64_t dim, const aclTensor* index,
                    const aclScalar* value, int64_t reduce),
                   {
                     const DataType type = required(selfRef, "selfRef").GetDataType();
                     scatter(work, *selfRef, dim, index, *number_tensor(work, value, type),
                             reduce_of(reduce), *selfRef);
                   })

DAVSIM_FIRST_PHASE(ScatterAdd,
                   (const aclTensor* self, int64_t dim, const aclTensor* index,
                    const aclTensor* src, aclTensor* out),
                   {
                     required(self, "self");
                     scatter(work, *self, dim, index, required(src, "src"), Reduce::kAdd,
                             required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(MaskedSelect, (const aclTensor* self, const aclTensor* mask, aclTensor* out), {
  required(self, "self");
  masked_select(work, *self, required(mask, "mask"), required(out, "out"));
})

DAVSIM_FIRST_PHASE(Nonzero, (const aclTensor* self, aclTensor* out), {
  required(self, "self");
  nonzero(work, *self, required(out, "out"));
})

DAVSIM_FIRST_PHASE(OneHot,
                   (const aclTensor* self, int numClasses, const aclTensor* onValue,
                    const aclTensor* offValue, int64_t axis, aclTensor* out),
                   {
                     required(self, "self");
                     one_hot(work, *self, numClasses, required(onValue, "onValue"),
                             required(offValue, "offValue"), axis, required(out, "out"));
                   })
