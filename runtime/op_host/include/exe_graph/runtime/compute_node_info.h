// What a node is apart from the contents of its tensors.
#pragma once

#include <cstddef>

#include "exe_graph/runtime/storage_format.h"

namespace gert {

/// Type and format of a tensor.
class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() = default;
  CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format)
      : type_(type), format_(format) {}

  ge::DataType GetDataType() const { return type_; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }

 private:
  ge::DataType type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
};

/// Which of the node's tensors belong to a parameter of the operator: none of an optional one that
/// is missing, several of a dynamic one.
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(std::size_t start, std::size_t count) : start_(start), count_(count) {}

  std::size_t GetInstanceStart() const { return start_; }
  std::size_t GetInstanceNum() const { return count_; }

 private:
  std::size_t start_ = 0, count_ = 0;
};

}  // namespace gert
