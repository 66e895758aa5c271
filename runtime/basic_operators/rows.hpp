// Dimensions of tensors as rows: the elements along some dimensions, for each place in the others.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/basic_operators/device/row_shape.h"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// Dimensions that become the elements of a row. `order` has the others before them.
struct RowView {
  std::vector<std::size_t> order;
  Shape kept;    ///< sizes of the other dimensions
  Shape within;  ///< sizes of those in a row

  std::int64_t rows() const { return kept.GetShapeSize(); }
  std::int64_t length() const { return within.GetShapeSize(); }
  /// The shape that a value for each row has in the end: `keep` leaves 1 for other dimensions.
  Shape values_shape(bool keep) const;
};

/// Throws ApiError(161002) for a dimension that the tensor does not have or that is there twice.
RowView rows_along(const aclTensor& tensor, const std::vector<std::int64_t>& dims,
                   const char* name);
RowView rows_along_all(const aclTensor& tensor);
/// Of an array that may be empty for all dimensions.
RowView rows_along(const aclTensor& tensor, const aclIntArray* dims, const char* name);

/// The tensor as [rows, length] with elements of this type that follow each other.
const aclTensor* as_rows(WorkList& work, const aclTensor& tensor, const RowView& view,
                         DataType type);
/// A view of a tensor with its dimensions in another order.
const aclTensor* permuted(WorkList& work, const aclTensor& tensor,
                          const std::vector<std::size_t>& order);

/// Where a step leaves [rows, length] that become the elements of `out` along the same dimensions.
class RowResult {
 public:
  RowResult(WorkList& work, const aclTensor& out, const RowView& view, DataType type);
  const aclTensor& tensor() const { return *rows_; }
  void finish() { result_.finish(); }

 private:
  Result result_;
  const aclTensor* rows_;
};

/// Throws ApiError(161002) unless kernels read the type as float.
void require_kernel_float(const aclTensor& tensor, const char* name);
/// Whether kernels compute with the type in float.
bool is_kernel_float(DataType type);
/// Whole types that kernels compute with in int32.
bool is_small_whole_type(DataType type);

/// Elements of a tile for a kernel that has so many bytes in UB for each of them.
std::uint32_t row_tile(std::uint64_t bytes);
/// How cores share rows. Throws nothing; rows and length are at least 1.
davsim_basic::RowShares row_shares(std::int64_t rows, std::int64_t length, std::uint32_t tile,
                                   std::uint32_t unit = davsim_basic::kRowUnit);

/// A row in parts for cores of their own, where there are fewer rows than cores.
struct Parts {
  std::int64_t count, length;
};
/// `least` elements of a part are worth a core.
Parts parts_of(std::int64_t rows, std::int64_t length, std::int64_t least);
/// Cores that have rows.
std::uint32_t cores_of(const davsim_basic::RowShares& shares);

}  // namespace davsim::basic
