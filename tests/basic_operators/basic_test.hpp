// Tensors on the device, and calls of both phases of a basic function.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "opdev/common_types.h"

namespace davsim::test {

using Sizes = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

inline std::string last_error() {
  const char* const text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

/// The text of the last error has this.
inline void expect_error(const std::string& part) {
  const std::string text = last_error();
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

inline std::size_t bytes_of(aclDataType type) {
  return aclDataTypeSize(type);
}

inline void put(std::byte* at, aclDataType type, double value) {
  const auto store = [at](auto stored) { std::memcpy(at, &stored, sizeof stored); };
  switch (type) {
    case ACL_FLOAT:
      return store(static_cast<float>(value));
    case ACL_DOUBLE:
      return store(value);
    case ACL_FLOAT16:
      return store(isa::half(static_cast<float>(value)));
    case ACL_BF16:
      return store(isa::bfloat16_t(static_cast<float>(value)));
    case ACL_INT8:
      return store(static_cast<std::int8_t>(value));
    case ACL_UINT8:
    case ACL_BOOL:
      return store(static_cast<std::uint8_t>(value));
    case ACL_INT16:
      return store(static_cast<std::int16_t>(value));
    case ACL_INT32:
      return store(static_cast<std::int32_t>(value));
    case ACL_INT64:
      return store(static_cast<std::int64_t>(value));
    default:
      FAIL() << "type " << type;
  }
}

inline double get(const std::byte* at, aclDataType type) {
  const auto load = [at](auto loaded) {
    std::memcpy(&loaded, at, sizeof loaded);
    return loaded;
  };
  switch (type) {
    case ACL_FLOAT:
      return load(0.0F);
    case ACL_DOUBLE:
      return load(0.0);
    case ACL_FLOAT16:
      return static_cast<float>(load(isa::half()));
    case ACL_BF16:
      return static_cast<float>(load(isa::bfloat16_t()));
    case ACL_INT8:
      return load(std::int8_t{});
    case ACL_UINT8:
    case ACL_BOOL:
      return load(std::uint8_t{});
    case ACL_INT16:
      return load(std::int16_t{});
    case ACL_INT32:
      return load(std::int32_t{});
    case ACL_INT64:
      return static_cast<double>(load(std::int64_t{}));
    default:
      ADD_FAILURE() << "type " << type;
      return 0;
  }
}

/// The number as the type has it.
inline double as_type(double value, aclDataType type) {
  std::byte bytes[8] = {};
  put(bytes, type, value);
  return get(bytes, type);
}

/// A tensor whose storage is a block of its own: its view, and all numbers of the storage.
class DeviceTensor {
 public:
  DeviceTensor(Sizes sizes, const Numbers& values, aclDataType type = ACL_FLOAT)
      : DeviceTensor(sizes, contiguous(sizes), 0, values, type) {}
  DeviceTensor(Sizes sizes, const Sizes& strides, std::int64_t offset, const Numbers& storage,
               aclDataType type = ACL_FLOAT)
      : type_(type), sizes_(std::move(sizes)), strides_(strides), offset_(offset) {
    std::vector<std::byte> bytes(storage.size() * bytes_of(type));
    for (std::size_t i = 0; i < storage.size(); ++i) {
      put(bytes.data() + i * bytes_of(type), type, storage[i]);
    }
    count_ = storage.size();
    EXPECT_EQ(
        aclrtMalloc(&block_, std::max<std::size_t>(bytes.size(), 32), ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_SUCCESS);
    if (!bytes.empty()) {
      EXPECT_EQ(
          aclrtMemcpy(block_, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE),
          ACL_SUCCESS);
    }
    const auto elements = static_cast<std::int64_t>(count_);
    tensor_ = aclCreateTensor(sizes_.data(), sizes_.size(), type, strides_.data(), offset,
                              ACL_FORMAT_ND, &elements, 1, block_);
  }
  ~DeviceTensor() {
    if (tensor_ != nullptr) aclDestroyTensor(tensor_);
    if (block_ != nullptr) aclrtFree(block_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  aclTensor* get() const { return tensor_; }
  /// Leaves the tensor to the caller, and its memory to the device's reset.
  aclTensor* release() {
    block_ = nullptr;
    return std::exchange(tensor_, nullptr);
  }
  operator aclTensor*() const { return tensor_; }
  aclDataType type() const { return type_; }
  void* address() const { return block_; }
  const Sizes& sizes() const { return sizes_; }

  /// Of the storage, or of the view in the order of its sizes.
  Numbers storage() const {
    std::vector<std::byte> bytes(count_ * bytes_of(type_));
    if (!bytes.empty()) {
      EXPECT_EQ(
          aclrtMemcpy(bytes.data(), bytes.size(), block_, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST),
          ACL_SUCCESS);
    }
    Numbers values;
    for (std::size_t i = 0; i < count_; ++i) {
      values.push_back(test::get(bytes.data() + i * bytes_of(type_), type_));
    }
    return values;
  }
  Numbers values() const {
    const Numbers all = storage();
    Numbers view;
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes_) elements *= size;
    for (std::int64_t i = 0; i < elements; ++i) {
      std::int64_t rest = i, at = offset_;
      for (std::size_t d = sizes_.size(); d-- > 0; rest /= sizes_[d]) {
        at += rest % sizes_[d] * strides_[d];
      }
      view.push_back(all[static_cast<std::size_t>(at)]);
    }
    return view;
  }

  static Sizes contiguous(const Sizes& sizes) {
    Sizes strides(sizes.size(), 1);
    for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
    return strides;
  }

 private:
  aclDataType type_;
  Sizes sizes_, strides_;
  std::int64_t offset_;
  std::size_t count_ = 0;
  void* block_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

/// A number for a call.
class Scalar {
 public:
  explicit Scalar(double value, aclDataType type = ACL_FLOAT) {
    alignas(8) std::byte bytes[8] = {};
    put(bytes, type, value);
    scalar_ = aclCreateScalar(bytes, type);
  }
  ~Scalar() { aclDestroyScalar(scalar_); }
  Scalar(const Scalar&) = delete;
  Scalar& operator=(const Scalar&) = delete;
  operator aclScalar*() const { return scalar_; }

 private:
  aclScalar* scalar_;
};

/// An array of whole numbers for a call.
class Ints {
 public:
  Ints(std::initializer_list<std::int64_t> values) : Ints(Sizes(values)) {}
  explicit Ints(const Sizes& values) : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~Ints() { aclDestroyIntArray(array_); }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  operator aclIntArray*() const { return array_; }

 private:
  aclIntArray* array_;
};

/// A list for a call. It has copies of the tensors, because a list frees what it has.
class TensorList {
 public:
  TensorList(const aclTensor* const* tensors, std::size_t count) {
    std::vector<const aclTensor*> copies;
    for (std::size_t i = 0; i < count; ++i) {
      copies.push_back(tensors[i] == nullptr ? nullptr : new aclTensor(*tensors[i]));
    }
    list_ = aclCreateTensorList(copies.data(), copies.size());
  }
  ~TensorList() { aclDestroyTensorList(list_); }
  TensorList(const TensorList&) = delete;
  TensorList& operator=(const TensorList&) = delete;
  operator aclTensorList*() const { return list_; }

 private:
  aclTensorList* list_;
};

class BasicTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }

  /// Both phases of a function, up to its end. The code of what fails first.
  template <class First, class... Arguments>
  aclnnStatus run(First first,
                  aclnnStatus (*second)(void*, std::uint64_t, aclOpExecutor*, aclrtStream),
                  Arguments&&... arguments) {
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus prepared = first(std::forward<Arguments>(arguments)..., &bytes, &executor);
    if (prepared != ACL_SUCCESS) return prepared;
    void* workspace = nullptr;
    if (bytes > 0) {
      EXPECT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    }
    const aclnnStatus queued = second(workspace, bytes, executor, stream_);
    const aclError ended = aclrtSynchronizeStream(stream_);
    if (workspace != nullptr) aclrtFree(workspace);
    return queued != ACL_SUCCESS ? queued : ended;
  }

  aclrtStream stream_ = nullptr;
};

/// Both phases of aclnn<Name>.
#define DAVSIM_CALL(Name, ...) run(aclnn##Name##GetWorkspaceSize, aclnn##Name, __VA_ARGS__)

/// Numbers from `low` to `high` in a fixed disorder.
inline Numbers spread(std::size_t count, double low, double high) {
  Numbers values;
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    values.push_back(low + (high - low) * static_cast<double>(state >> 40) / 16777216.0);
  }
  return values;
}

/// `tolerance` is relative to the greater of 1 and the expected number.
inline void expect_near(const Numbers& found, const Numbers& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(found[i])) continue;
    if (expected[i] == found[i]) continue;
    ASSERT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::fabs(expected[i])))
        << "element " << i;
  }
}

}  // namespace davsim::test
