// Contractions of two tensors as products of matrices: functions/matrices.txt.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "aclnnop/aclnn_einsum.h"
#include "runtime/basic_operators/products.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct Equation {
  std::string left, right, made;
};

Equation equation_of(const char* given) {
  davsim::runtime::require_aclnn(given, "equation");
  std::string all = given;
  std::erase(all, ' ');
  const std::size_t comma = all.find(','), arrow = all.find("->");
  if (comma == all.npos || arrow == all.npos || arrow < comma) {
    refuse_aclnn("equation has the form ab,bc->ac, not " + std::string(given));
  }
  Equation made{all.substr(0, comma), all.substr(comma + 1, arrow - comma - 1),
                all.substr(arrow + 2)};
  for (std::string letters : {made.left, made.right, made.made}) {
    std::sort(letters.begin(), letters.end());
    const bool once = std::adjacent_find(letters.begin(), letters.end()) == letters.end();
    const bool small = std::all_of(letters.begin(), letters.end(), [](char c) {
      return std::isalpha(static_cast<unsigned char>(c));
    });
    if (!once || !small) {
      refuse_aclnn("each tensor of equation has letters, every one once, not " +
                   std::string(given));
    }
  }
  return made;
}

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != letters.npos;
}

/// The letters of an equation by what becomes of them.
struct Letters {
  std::string batches, rows, depth, columns;
};

Letters letters_of(const Equation& equation) {
  Letters of;
  for (const char letter : equation.left) {
    const bool right = has(equation.right, letter), made = has(equation.made, letter);
    if (!right && !made) {
      refuse_aclnn(std::string("equation sums over ") + letter + ", which both tensors have");
    }
    (right ? made ? of.batches : of.depth : of.rows) += letter;
  }
  for (const char letter : equation.right) {
    if (has(equation.left, letter)) continue;
    if (!has(equation.made, letter)) {
      refuse_aclnn(std::string("equation sums over ") + letter + ", which both tensors have");
    }
    of.columns += letter;
  }
  for (const char letter : equation.made) {
    if (has(equation.left, letter) || has(equation.right, letter)) continue;
    refuse_aclnn(std::string("a tensor of equation has the letter ") + letter + " of the output");
  }
  return of;
}

using Extents = std::map<char, int64_t>;

void add_extents(Extents& extents, const aclTensor& tensor, const std::string& letters) {
  const Numbers sizes = numbers_of(tensor.GetViewShape());
  if (sizes.size() != letters.size()) {
    refuse_aclnn("a tensor has a dimension for each letter of " + letters + ", not the shape " +
                 text(tensor.GetViewShape()));
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto [at, added] = extents.try_emplace(letters[d], sizes[d]);
    if (added || at->second == sizes[d]) continue;
    refuse_aclnn(std::string("the dimensions of ") + letters[d] + " have one size, not " +
                 std::to_string(at->second) + " and " + std::to_string(sizes[d]));
  }
}

Numbers sizes_of(const Extents& extents, const std::string& letters) {
  Numbers sizes;
  for (const char letter : letters) sizes.push_back(extents.at(letter));
  return sizes;
}

int64_t count_of(const Extents& extents, const std::string& letters) {
  const Numbers sizes = sizes_of(extents, letters);
  return product(sizes, 0, sizes.size());
}

/// A view with the dimensions of these letters in another order.
View ordered(const aclTensor& tensor, const std::string& letters, const std::string& order) {
  std::vector<std::size_t> dims;
  for (const char letter : order) dims.push_back(letters.find(letter));
  return permuted(view_of(tensor), dims);
}

/// The tensor as matrices [batches, rows, columns].
const aclTensor* as_matrices(WorkList& work, const aclTensor& tensor, const std::string& letters,
                             const std::string& order, const Shape& shape) {
  const aclTensor* const view = tensor_of(work, ordered(tensor, letters, order));
  return reshaped(work, *as(work, *view, tensor.GetDataType()), shape);
}

void add_einsum(WorkList& work, const aclTensor& left, const aclTensor& right,
                const Equation& equation, const aclTensor& out) {
  const Letters of = letters_of(equation);
  Extents extents;
  add_extents(extents, left, equation.left);
  add_extents(extents, right, equation.right);
  require_shape(out, "output", shape_of(sizes_of(extents, equation.made)));
  const DataType type = product_type({&left, "tensors"}, {&right, "tensors"});
  require_kernel_float(left, "tensors");
  require_cast(type, out, "output");
  if (out.IsEmpty()) return;
  const int64_t batches = count_of(extents, of.batches), rows = count_of(extents, of.rows);
  const int64_t depth = count_of(extents, of.depth), columns = count_of(extents, of.columns);
  const aclTensor* const a = as_matrices(work, left, equation.left, of.batches + of.rows + of.depth,
                                         {batches, rows, depth});
  const aclTensor* const b = as_matrices(
      work, right, equation.right, of.batches + of.depth + of.columns, {batches, depth, columns});
  aclTensor* const made = temporary(work, type, {batches, rows, columns});
  add_product(work, {a, "tensors"}, {b, "tensors"}, *made);
  const std::string order = of.batches + of.rows + of.columns;
  const aclTensor* const shaped = reshaped(work, *made, shape_of(sizes_of(extents, order)));
  work.add_copy(out, *tensor_of(work, ordered(*shaped, order, equation.made)));
}

}  // namespace

DAVSIM_FIRST_PHASE(
    Einsum, (const aclTensorList* tensors, const char* equation, aclTensor* output), {
      davsim::runtime::require_aclnn(tensors, "tensors");
      if (tensors->Size() != 2) {
        refuse_aclnn("tensors has two tensors, not " + std::to_string(tensors->Size()));
      }
      add_einsum(work, required((*tensors)[0], "tensors"), required((*tensors)[1], "tensors"),
                 equation_of(equation), required(output, "output"));
    })
