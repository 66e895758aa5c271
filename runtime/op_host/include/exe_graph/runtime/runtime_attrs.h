// The attributes of a node by their place in the operator's definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class RuntimeAttrs {
 public:
  /// T is int64_t, float, bool, char (a string) or one of the lists. Null beyond the last one.
  template <class T>
  const T* GetAttrPointer(std::size_t i) const {
    return static_cast<const T*>(At(i));
  }
  const std::int64_t* GetInt(std::size_t i) const { return GetAttrPointer<std::int64_t>(i); }
  const float* GetFloat(std::size_t i) const { return GetAttrPointer<float>(i); }
  const bool* GetBool(std::size_t i) const { return GetAttrPointer<bool>(i); }
  const char* GetStr(std::size_t i) const { return GetAttrPointer<char>(i); }
  const TypedContinuousVector<std::int64_t>* GetListInt(std::size_t i) const {
    return GetAttrPointer<TypedContinuousVector<std::int64_t>>(i);
  }
  const TypedContinuousVector<float>* GetListFloat(std::size_t i) const {
    return GetAttrPointer<TypedContinuousVector<float>>(i);
  }
  const TypedContinuousVector<bool>* GetListBool(std::size_t i) const {
    return GetAttrPointer<TypedContinuousVector<bool>>(i);
  }
  const ContinuousVectorVector* GetListListInt(std::size_t i) const {
    return GetAttrPointer<ContinuousVectorVector>(i);
  }
  std::size_t GetAttrNum() const { return values_.size(); }

  /// One attribute more, of these bytes.
  void Append(std::vector<std::uint64_t> words) { values_.push_back(std::move(words)); }

 private:
  const void* At(std::size_t i) const { return i < values_.size() ? values_[i].data() : nullptr; }

  std::vector<std::vector<std::uint64_t>> values_;
};

}  // namespace gert
