#include "runtime/basic_operators/pools.hpp"

#include <algorithm>

#include "runtime/basic_operators/launch.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

using runtime::refuse_aclnn;

void require_pool_type(const aclTensor* tensor, const char* name) {
  require_type(required(tensor, name), name,
               {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
}

void require_same_type(const aclTensor* self, const char* self_name, const aclTensor* out,
                       const char* out_name) {
  require_pool_type(self, self_name);
  require_pool_type(out, out_name);
  require_type(*out, out_name, {self->GetDataType()});
}

Numbers three_of(const Numbers& given, const Numbers& none, const char* name) {
  if (given.empty() && !none.empty()) return none;
  if (given.size() == 1) return {given[0], given[0], given[0]};
  if (given.size() == 3) return given;
  refuse_aclnn(std::string(name) + " has one or three numbers, not " +
               std::to_string(given.size()));
}

void require_pad(int64_t pad, int64_t window) {
  if (pad * 2 <= window) return;
  refuse_aclnn("padding is at most half of kernelSize, which is " + std::to_string(window) +
               ", not " + std::to_string(pad));
}

Shape with_last(const aclTensor& self, const Numbers& last, const char* name) {
  Numbers sizes = numbers_of(self.GetViewShape());
  if (sizes.size() != last.size() + 1 && sizes.size() != last.size() + 2) {
    refuse_aclnn(std::string(name) + " has " + std::to_string(last.size() + 1) + " or " +
                 std::to_string(last.size() + 2) + " dimensions, not the shape " +
                 text(self.GetViewShape()));
  }
  std::copy(last.begin(), last.end(), sizes.end() - std::ssize(last));
  return shape_of(sizes);
}

Numbers last_sizes(const aclTensor& self, std::size_t count) {
  const Numbers sizes = numbers_of(self.GetViewShape());
  return {sizes.end() - static_cast<std::ptrdiff_t>(std::min(count, sizes.size())), sizes.end()};
}

}  // namespace davsim::basic
