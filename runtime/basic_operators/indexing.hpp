// Rows of tensors that are moved by their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/basic_operators/tensors.hpp"
#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {

/// Throws ApiError(161001, 161002) unless it is int32 or int64.
const aclTensor& required_index(const aclTensor* index, const char* name);

/// Throws ApiError(507018): an element of the parameter `name` is none of `least` up to `beyond`.
[[noreturn]] void out_of_range(const std::string& function, const char* name, std::uint64_t place,
                               std::int64_t value, std::int64_t least, std::int64_t beyond);

/// The host's look at an index: what is less than `least` or not less than `beyond` is an error of
/// the stream. `name` is that of the parameter.
void check_index(WorkList& work, const aclTensor& index, const char* name, std::int64_t least,
                 std::int64_t beyond);

/// Row i of a list and row numbers[i] of a table; `lists` tables lie behind each other, and so do
/// the lists. The elements of all tensors follow each other.
struct IndexedRows {
  const aclTensor* table;
  const aclTensor* numbers;  ///< int32 or int64, which were checked
  const aclTensor* list;
  std::int64_t lists, rows;
  std::int64_t run;       ///< elements of a row
  bool scatters = false;  ///< from the list into the table
  bool adds = false;      ///< the rows are added to those of the table
  bool skips = false;     ///< numbers less than 0 name no row: a list has zeros there
};

/// Adds what moves them to the work: a kernel, or a task of the host for many rows of a few bytes
/// and for sums of types that the device's memory does not add.
void add_indexed_rows(WorkList& work, const IndexedRows& rows);

/// Elements of rows [rows, width] that places name, [rows, places] or the same for all rows,
/// [places]. They were checked. False where the kernel does not do: other than 16 and 32 bits, rows
/// that UB has no room for, and few places of long rows.
struct GatheredElements {
  const aclTensor* table;
  const aclTensor* places;  ///< int32 or int64
  const aclTensor* out;
  std::int64_t rows, width;
  bool shared;
};
bool add_gathered_elements(WorkList& work, const GatheredElements& gathered);

/// Coordinates, one tensor for each of the first dimensions of a table, as numbers of its rows in a
/// tensor of the workspace, [count]. The tensors have `count` elements, which follow each other
/// with `step` between them; they are checked on the way.
struct Coordinate {
  const aclTensor* tensor;
  std::int64_t size;   ///< of the dimension
  std::int64_t first;  ///< which element is that of the first row
};
const aclTensor* row_numbers(WorkList& work, const std::vector<Coordinate>& coordinates,
                             std::int64_t step, std::int64_t count, const char* name,
                             bool may_be_negative);

/// The last dimension of `indices` has coordinates in the first dimensions of a tensor.
struct SlicesAt {
  Shape shape;  ///< of all slices together
  std::int64_t rows, run;
};
SlicesAt slices_at(const aclTensor& tensor, const aclTensor& indices);
const aclTensor* numbers_of_slices(WorkList& work, const aclTensor& tensor,
                                   const aclTensor& indices, bool may_be_negative);

/// `to` as the target of rows: its elements, copied where they do not follow each other or are not
/// those of `from` yet.
class Changed {
 public:
  Changed(WorkList& work, const aclTensor& out, const aclTensor& from);
  const aclTensor& tensor() const { return result_.tensor(); }
  void finish() { result_.finish(); }

 private:
  Result result_;
};

}  // namespace davsim::basic
