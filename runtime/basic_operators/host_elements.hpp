// Elements as the host reads and writes them in its tasks.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/basic_operators/moves.hpp"

namespace davsim::basic {

/// Element `i` of a tensor whose elements follow each other.
double number_at(const runtime::BoundTensor& tensor, std::uint64_t i);
std::int64_t whole_at(const runtime::BoundTensor& tensor, std::uint64_t i);
/// In whole types, numbers are cut off and keep their low bits.
void set_number(const runtime::BoundTensor& tensor, std::uint64_t i, double value);
void set_whole(const runtime::BoundTensor& tensor, std::uint64_t i, std::int64_t value);
/// to[i] += from[j], of the same type, as the type has it.
void add_element(const runtime::BoundTensor& to, std::uint64_t i, const runtime::BoundTensor& from,
                 std::uint64_t j);
std::byte* element_at(const runtime::BoundTensor& tensor, std::uint64_t i);

/// out[i] = make(i), a number or a whole number, by the host.
template <class Make>
void make_elements(WorkList& work, const aclTensor& out, Make make) {
  if (out.IsEmpty()) return;
  Result result(work, out, require_movable(out, "out"));
  work.add_task({&result.tensor()}, {}, [make = std::move(make)](auto to, auto) {
    for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
      if constexpr (std::is_integral_v<decltype(make(i))>) {
        set_whole(to[0], i, make(i));
      } else {
        set_number(to[0], i, make(i));
      }
    }
  });
  result.finish();
}

}  // namespace davsim::basic
