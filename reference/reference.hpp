// The references: plain double-precision code that computes what an operator must give. Each
// operator has one file, which shares nothing with the kernels. Tests, benches and `davsim run
// OPERATOR --case ID` compare results with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::reference {

/// |actual - expected| <= atol + rtol * |expected| for all but `outside_share` of the elements, and
/// none further than `atol_limit + rtol * |expected|`.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  double outside_share = 0;  ///< in [0, 1)
  double atol_limit = 0;     ///< looked at only where outside_share > 0; 0: no limit
};

/// The comparison of one tensor.
struct Comparison {
  std::string tensor;
  std::int64_t elements = 0;       ///< compared
  std::int64_t outside = 0;        ///< out of tolerance, NaN and Inf mismatches among them
  std::int64_t nonfinite = 0;      ///< NaN or Inf on one side only, or Inf of the other sign
  std::int64_t changed_bytes = 0;  ///< bytes of an in-place tensor that had to keep their value
  double max_abs_diff = 0;         ///< over elements finite on both sides
  bool passed = true;
  std::string detail;  ///< the first element that failed, or the rule it broke

  double outside_share() const {
    return elements > 0 ? static_cast<double>(outside) / static_cast<double>(elements) : 0;
  }
};

/// Compares one tensor element by element while a reference produces expected values. Large tensors
/// therefore need no second copy in double.
class Comparer {
 public:
  Comparer(std::string tensor, const Tolerance& tolerance);

  /// `element` is the index that messages name. `atol` is added to the tolerance of this element.
  /// Equal Inf, and NaN on both sides, agree.
  void add(std::int64_t element, double actual, double expected, double atol = 0);
  /// Reports a failure of a rule that tolerances cannot express (a row's cosine, a checksum).
  void fail(const std::string& why);
  /// The result over everything that was added.
  Comparison result() const;

 private:
  Tolerance tolerance_;
  Comparison comparison_;
  bool beyond_limit_ = false;
};

/// An element of a tensor as a number. Throws std::invalid_argument for a dtype that has none.
double element(const operators::Tensor& tensor, std::int64_t index);
/// All elements of a tensor; for small tensors.
std::vector<double> elements(const operators::Tensor& tensor);
/// The same for large tensors of at most 24 significant bits, which a float holds.
std::vector<float> floats(const operators::Tensor& tensor);

/// Compares a whole output tensor with expected values. A shape of another size fails.
Comparison compare(const std::string& name, const operators::Tensor& actual,
                   const std::vector<double>& expected, const Tolerance& tolerance);

/// The same for the output called `name`. A missing output fails.
Comparison compare_named(const operators::TensorMap& outputs, const std::string& name,
                         const std::vector<double>& expected, const Tolerance& tolerance);

/// An element that the operator writes into an in-place tensor.
struct Write {
  std::int64_t element;
  double value;
  double atol = 0;  ///< of this element, on top of the tensor's tolerance
};
/// Compares an in-place tensor. Written elements must match `writes` within tolerance. Every other
/// byte must be as in `before`. Of several writes to one element the last counts.
Comparison compare_in_place(const std::string& name, const operators::Tensor& before,
                            const operators::Tensor& after, std::vector<Write> writes,
                            const Tolerance& tolerance);

class Reference {
 public:
  virtual ~Reference() = default;
  /// Compares the results of a run. `call` is the validated call; its in-place tensors may be
  /// overwritten by now. `before` holds the in-place tensors as they were before the run. `outputs`
  /// holds the outputs and in-place tensors after the run. Returns one comparison for each tensor
  /// of `outputs`, and a failed comparison for each missing output.
  virtual std::vector<Comparison> compare_results(const operators::Call& call,
                                                  const operators::TensorMap& before,
                                                  const operators::TensorMap& outputs) const = 0;
};

/// Registers a reference during static initialisation, under the operator's name.
struct ReferenceRegistrar {
  ReferenceRegistrar(std::string operator_name, std::unique_ptr<Reference> reference);
};
/// The reference of an operator; nullptr if it has none.
const Reference* find_reference(std::string_view operator_name);

/// Copies the in-place tensors of a call, in `memory`. compare() takes them as `before`.
operators::TensorMap copy_in_place(const operators::Operator& op, const operators::Call& call,
                                   memory::GlobalMemory& memory);

/// True if every comparison passed, and there is at least one.
bool passed(const std::vector<Comparison>& comparisons);
/// "q: passed, 40960 elements, max |diff| 0" and so on, one line.
std::string to_string(const Comparison& comparison);

}  // namespace davsim::reference
