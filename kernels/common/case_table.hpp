// A table of an operator's documented examples. A row holds the sizes of a case. The position of
// the row gives the seed of its data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators {

/// A case that runs on any SoC.
inline ExampleCase runs(const char* id, const char* note) {
  return {id, note, std::nullopt, ""};
}
/// A case that must be refused with `cls`.
inline ExampleCase refuses(const char* id, const char* note, ErrorClass cls) {
  return {id, note, cls, ""};
}

/// Changes a plain call into that of a case.
using CaseChange = std::function<void(Call&, SeededData&)>;

inline CaseChange without_tensor(const char* name) {
  return [name](Call& call, SeededData&) { call.tensors.erase(name); };
}
inline CaseChange with_attribute(const char* name, boost::json::value value) {
  return
      [name, value = std::move(value)](Call& call, SeededData&) { call.attributes[name] = value; };
}
/// Replaces the tensor of that name by a tensor of zeros.
inline CaseChange with_tensor(const char* name, isa::DType type, Shape shape) {
  return [name, type, shape = std::move(shape)](Call& call, SeededData& data) {
    call.tensors.insert_or_assign(name, data.zeros(type, shape, name));
  };
}

/// `Sizes` are the sizes from which the operator makes its plain call.
template <class Sizes>
struct CaseRow {
  ExampleCase example;
  Sizes sizes;
  CaseChange change;  ///< may be empty
};

template <class Sizes>
class CaseTable {
 public:
  using PlainCall = std::function<Call(SeededData&, const Sizes&)>;

  /// `seed` is the seed of the first row of the first part. The seeds of the other rows count up,
  /// so a row keeps its data when rows are added after it.
  CaseTable(std::string operator_name, std::uint64_t seed, PlainCall plain_call,
            const std::vector<std::vector<CaseRow<Sizes>>>& parts)
      : operator_name_(std::move(operator_name)), seed_(seed), plain_call_(std::move(plain_call)) {
    for (const auto& part : parts) rows_.insert(rows_.end(), part.begin(), part.end());
  }

  std::vector<ExampleCase> examples() const {
    std::vector<ExampleCase> all;
    for (const CaseRow<Sizes>& row : rows_) all.push_back(row.example);
    return all;
  }

  /// Inputs and attributes of a case, the same on every host. Throws std::invalid_argument for an
  /// unknown id.
  Call make(std::string_view id, memory::GlobalMemory& memory) const {
    const auto row = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const auto& each) { return each.example.id == id; });
    if (row == rows_.end()) {
      throw std::invalid_argument(operator_name_ + " has no case '" + std::string(id) + "'");
    }
    SeededData data(memory, seed_ + static_cast<std::uint64_t>(row - rows_.begin()));
    if (row->example.refused) data.leave_weights_zero();
    Call call = plain_call_(data, row->sizes);
    if (row->change) row->change(call, data);
    return call;
  }

 private:
  std::string operator_name_;
  std::uint64_t seed_;
  PlainCall plain_call_;
  std::vector<CaseRow<Sizes>> rows_;
};

}  // namespace davsim::operators
