// What the programs of this project share: memory of the device, tensors, and a count of what is
// wrong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace program {

inline int g_wrong = 0;

inline void expect(bool right, const char* what) {
  if (right) return;
  const char* text = aclGetRecentErrMsg();
  std::printf("WRONG: %s%s%s\n", what, text == nullptr ? "" : ": ", text == nullptr ? "" : text);
  ++g_wrong;
}

/// A call that is refused with `code` and a text that has `words` in it.
inline void expect_refusal(int code, int found, const char* words) {
  const char* text = aclGetRecentErrMsg();
  const std::string said = text == nullptr ? "" : text;
  if (code == found && said.find(words) != std::string::npos) return;
  std::printf("WRONG: expected %d '%s', found %d '%s'\n", code, words, found, said.c_str());
  ++g_wrong;
}

using Sizes = std::vector<int64_t>;

/// Elements on the device.
template <class T>
struct Block {
  explicit Block(const std::vector<T>& values) : count(values.size()) {
    expect(aclrtMalloc(&data, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
    expect(aclrtMemcpy(data, count * sizeof(T), values.data(), count * sizeof(T),
                       ACL_MEMCPY_HOST_TO_DEVICE) == 0,
           "aclrtMemcpy");
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { aclrtFree(data); }

  std::vector<T> values() const {
    std::vector<T> host(count);
    expect(aclrtMemcpy(host.data(), count * sizeof(T), data, count * sizeof(T),
                       ACL_MEMCPY_DEVICE_TO_HOST) == 0,
           "aclrtMemcpy");
    return host;
  }
  aclTensor* tensor(aclDataType type, const Sizes& shape, const Sizes& strides = {},
                    int64_t offset = 0) const {
    const int64_t storage = static_cast<int64_t>(count);
    return aclCreateTensor(shape.data(), shape.size(), type,
                           strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                           &storage, 1, data);
  }

  void* data = nullptr;
  std::size_t count;
};

/// Memory for a workspace; null for none.
struct Workspace {
  explicit Workspace(uint64_t size) : bytes(size) {
    if (size > 0) expect(aclrtMalloc(&data, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "workspace");
  }
  ~Workspace() {
    if (data != nullptr) aclrtFree(data);
  }
  void* data = nullptr;
  uint64_t bytes;
};

}  // namespace program
