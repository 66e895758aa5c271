// Moves of elements between tensors, and of a number into them: what functions like Cat and Permute
// consist of.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/basic_operators/loop_nest.hpp"
#include "runtime/basic_operators/tensors.hpp"
#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {

/// Moves of one function whose targets have no byte in common. The kernel of moves takes them
/// together; matrices to transpose have a kernel of their own. The host moves what consists of
/// many runs of a few bytes.
class Moves {
 public:
  explicit Moves(WorkList& work) : work_(work) {}

  /// Both have the same sizes and elements of the same bytes.
  void copy(const View& to, const View& from);
  /// `bits` are those of an element, or of each half of one of 16 bytes. All fills of these moves
  /// have the same.
  void fill(const View& to, std::uint64_t bits);
  /// Adds what is left to the work.
  void finish();

 private:
  std::uint32_t slot_of(const aclTensor* tensor);
  void add(const LoopNest& nest, bool fills, const aclTensor* to, const aclTensor* from);

  WorkList& work_;
  std::vector<const aclTensor*> tensors_;
  struct Job {
    LoopNest nest;
    bool fills;
    std::uint32_t to, from;
  };
  std::vector<Job> jobs_;
  std::uint64_t number_ = 0;
};

/// The tensor's type, whose elements have 1, 2, 4, 8 or 16 bytes. Throws ApiError(161002).
DataType require_movable(const aclTensor& tensor, const char* name);
/// Elements of `from` have to be able to become those of `to`.
void require_conversion(const aclTensor& from, const aclTensor& to, const char* name);

/// The bits of a number as an element of the type. Throws ApiError(161002) where it has none.
std::uint64_t element_bits(const aclScalar& number, DataType type, const char* name);

/// The tensor, or a copy of this type.
const aclTensor& typed(WorkList& work, const aclTensor& tensor, DataType type, const char* name);

/// `to` = `from`, of the same sizes. Elements of another type are converted first.
void add_move(WorkList& work, const aclTensor& to, const View& from, const char* name);

}  // namespace davsim::basic
