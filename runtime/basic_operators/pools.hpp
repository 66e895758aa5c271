// What the rules of all pools have in common. All throw ApiError(161002).
#pragma once

#include "runtime/basic_operators/windows.hpp"

namespace davsim::basic {

void require_pool_type(const aclTensor* tensor, const char* name);
/// Both have floating numbers of one type.
void require_same_type(const aclTensor* self, const char* self_name, const aclTensor* out,
                       const char* out_name);
/// Three numbers of an array that may have one for all; `none`: what an empty one means.
Numbers three_of(const Numbers& given, const Numbers& none, const char* name);
/// Of one dimension of a window.
void require_pad(std::int64_t pad, std::int64_t window);
/// The shape of `self`, [N,C,...] or [C,...], with `last` as its last sizes.
Shape with_last(const aclTensor& self, const Numbers& last, const char* name);
/// The sizes of the last dimensions.
Numbers last_sizes(const aclTensor& self, std::size_t count);

}  // namespace davsim::basic
