#include <cstdio>

#include "register/tilingdata_base.h"

namespace optiling {

void TilingDef::SaveToBuffer(void* data, std::size_t capacity) const {
  if (data == nullptr || capacity < GetDataSize()) {
    std::fprintf(stderr,
                 "davsim: tiling data %s needs a buffer of %zu bytes, SaveToBuffer was given %zu\n",
                 class_name_, GetDataSize(), data == nullptr ? std::size_t{0} : capacity);
    return;
  }
  auto* bytes = static_cast<char*>(data);
  std::memset(bytes, 0, GetDataSize());
  for (const Field& field : fields_) {
    const void* value = field.value(*this);
    if (field.nested) {
      static_cast<const TilingDef*>(value)->SaveToBuffer(bytes + field.offset, field.size);
    } else {
      std::memcpy(bytes + field.offset, value, field.size);
    }
  }
}

void TilingDef::SetDataPtr(void* data) {
  if (data == nullptr) return;
  SaveToBuffer(data, GetDataSize());
  data_ = static_cast<char*>(data);
  for (const Field& field : fields_) {
    if (!field.nested) continue;
    // The nested object is a part of this one, which is not const.
    auto* nested = static_cast<TilingDef*>(const_cast<void*>(field.value(*this)));
    nested->SetDataPtr(data_ + field.offset);
  }
}

}  // namespace optiling
