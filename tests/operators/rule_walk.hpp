// Breaks every rule of an operator's tensor table, one at a time: for operators whose shapes are
// fixed once the tokens are.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/operators/operator_test.hpp"

namespace davsim::test {

struct TableRow {
  std::string name;
  isa::DType dtype;
  operators::Shape shape;
  std::vector<isa::DType> also = {};  ///< other dtypes that it may have
  int free_dim = -1;                  ///< a dimension that may be larger
};
using Table = std::vector<TableRow>;

/// A call of zeros.
inline operators::Call zero_call(const Table& table) {
  operators::Call call;
  for (const TableRow& row : table) {
    call.tensors.emplace(row.name,
                         operators::Tensor(host_memory(), row.dtype, row.shape, row.name));
  }
  return call;
}

class RuleWalk {
 public:
  RuleWalk(const char* operator_name, const Table& table)
      : op_(operators::find_operator(operator_name)), table_(table), legal_(zero_call(table)) {}

  const operators::Call& legal() const { return legal_; }
  operators::Call with(const std::string& name, isa::DType dtype, operators::Shape shape) const {
    operators::Call call = legal_;
    call.tensors.insert_or_assign(name,
                                  operators::Tensor(host_memory(), dtype, std::move(shape), name));
    return call;
  }
  void expect(const operators::Call& call, operators::ErrorClass cls,
              const std::string& what) const {
    EXPECT_EQ(refusal_of(op_, call), cls) << op_.info().name << ": " << what;
  }
  void expect_legal(const operators::Call& call, const char* soc = kTestSoc) const {
    EXPECT_EQ(refusal_of(op_, call, soc), std::nullopt) << op_.info().name << " on " << soc;
  }

  /// Every tensor missing, of every other dtype, of one rank more and one less, of one more and one
  /// less in every dimension.
  void run() const {
    for (const char* soc : {"Ascend910B1", "Ascend910B4", "Ascend910_9392", "Ascend910_9362"}) {
      expect_legal(legal_, soc);
    }
    for (const TableRow& row : table_) {
      operators::Call call = legal_;
      call.tensors.erase(row.name);
      expect(call, operators::ErrorClass::kNull, "without " + row.name);
      break_dtype(row);
      break_shape(row);
    }
    operators::Call call = legal_;
    call.tensors.emplace("no_such_tensor", call.tensors.begin()->second);
    expect(call, operators::ErrorClass::kAttr, "with a tensor of no such name");
  }

 private:
  void break_dtype(const TableRow& row) const {
    using isa::DType;
    for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kI8, DType::kU8,
                              DType::kI32, DType::kI64}) {
      if (dtype == row.dtype) continue;
      if (std::find(row.also.begin(), row.also.end(), dtype) != row.also.end()) continue;
      expect(with(row.name, dtype, row.shape), operators::ErrorClass::kDtype, row.name);
    }
  }
  void break_shape(const TableRow& row) const {
    operators::Shape shape = row.shape;
    shape.insert(shape.begin(), 1);
    expect(with(row.name, row.dtype, shape), operators::ErrorClass::kRank, row.name);
    shape.erase(shape.begin(), shape.begin() + 2);
    if (!shape.empty()) {
      expect(with(row.name, row.dtype, shape), operators::ErrorClass::kRank, row.name);
    }
    for (std::size_t dim = 0; dim < row.shape.size(); ++dim) {
      for (const std::int64_t step : {-1, 1}) {
        shape = row.shape;
        shape[dim] += step;
        if (static_cast<int>(dim) == row.free_dim && shape[dim] > 0) {
          expect_legal(with(row.name, row.dtype, shape));
          continue;
        }
        expect(with(row.name, row.dtype, shape), operators::ErrorClass::kShape,
               row.name + " " + operators::to_string(shape));
      }
    }
  }

  const operators::Operator& op_;
  const Table table_;
  operators::Call legal_;
};

}  // namespace davsim::test
