// What is inside the objects of aclnn/acl_meta.h, for code that makes aclnn functions of operators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"

/// A view of a storage; numbers in elements.
struct aclTensor {
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset = 0;
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  std::vector<std::int64_t> storage_shape;
  void* data = nullptr;  ///< of the storage

  /// Whether the elements of the view follow each other.
  bool is_contiguous() const;
};

struct aclScalar {
  aclDataType type = ACL_DT_UNDEFINED;
  alignas(16) std::array<std::byte, 16> value{};  ///< the first bytes, as many as the type has

  /// The value as a number; complex ones as their real part.
  double number() const;
};

struct aclIntArray {
  std::vector<std::int64_t> values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclBoolArray {
  std::vector<std::uint8_t> values;  ///< bool by bool in memory, unlike std::vector<bool>
};
/// Lists own what they hold.
struct aclTensorList {
  std::vector<const aclTensor*> values;
};
struct aclScalarList {
  std::vector<const aclScalar*> values;
};

/// What the first phase of an operator leaves to the second; operators derive theirs.
struct aclOpExecutor {
  virtual ~aclOpExecutor() = default;
  /// Gives the tensor at `index` another address; false: there is none.
  virtual bool set_address(std::size_t index, aclTensor* tensor, void* address) {
    static_cast<void>(index);
    static_cast<void>(tensor);
    static_cast<void>(address);
    return false;
  }
  bool repeatable = false;
};
