// The format of a tensor as its user sees it, and as it lies in memory.
#pragma once

#include "exe_graph/runtime/expand_dims_type.h"
#include "graph/types.h"

namespace gert {

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& expand = {})
      : origin_(origin), storage_(storage), expand_(expand) {}

  ge::Format GetOriginFormat() const { return origin_; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  /// How the shape that the user sees becomes the one that is laid out.
  ExpandDimsType GetExpandDimsType() const { return expand_; }
  void SetExpandDimsType(const ExpandDimsType& expand) { expand_ = expand; }

 private:
  ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
  ExpandDimsType expand_;
};

}  // namespace gert
