// Tiling data as macros describe it: a class with a setter and a getter a field, and the layout
// that the kernel's struct has.
//
// Fields lie in the order of their declaration, each at a multiple of its size, a nested class at a
// multiple of 8. The whole is a multiple of 8. Holes are zero.
//
// Programs of both layouts of std::string (_GLIBCXX_USE_CXX11_ABI) share these classes with the
// library, so that there is no string in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace optiling {

class TilingDef {
 public:
  struct Field {
    const char* type;  ///< as a kernel writes it: "uint32_t", or a nested class
    const char* name;
    std::size_t count;         ///< of an array; 0: a single value
    std::size_t offset, size;  ///< bytes
    const void* (*value)(const TilingDef&);
    bool nested;
  };

  explicit TilingDef(const char* class_name) : class_name_(class_name) {}
  virtual ~TilingDef() = default;

  const char* GetTilingClassName() const { return class_name_; }
  /// The header of the kernel API that has the struct of this class; null where there is none and
  /// the struct is made from the fields.
  virtual const char* KernelHeader() const { return nullptr; }
  /// Bytes.
  std::size_t GetDataSize() const { return (end_ + 7) / 8 * 8; }
  /// Writes the values where the kernel's struct has them. Nothing is written where `capacity` is
  /// less than GetDataSize(); a message on standard error says so.
  void SaveToBuffer(void* data, std::size_t capacity) const;
  /// Writes the values there, and from now on each one that is set. The buffer has room for
  /// GetDataSize() bytes.
  void SetDataPtr(void* data);
  const std::vector<Field>& Fields() const { return fields_; }

 protected:
  std::size_t AddField(Field field, std::size_t alignment) {
    field.offset = (end_ + alignment - 1) / alignment * alignment;
    end_ = field.offset + field.size;
    fields_.push_back(field);
    return field.offset;
  }
  void Written(std::size_t offset, const void* value, std::size_t size) {
    if (data_ != nullptr) std::memcpy(data_ + offset, value, size);
  }

 private:
  const char* class_name_;
  std::vector<Field> fields_;
  std::size_t end_ = 0;
  char* data_ = nullptr;  ///< what SetDataPtr was given
};

/// Says that `make` gives the tiling data of an operator; "Operator_3" means its tiling key 3.
bool RegisterTilingClass(const char* op_type, std::unique_ptr<TilingDef> (*make)());

/// The name of a field's type in a kernel; `written` for what is no number.
template <class T>
const char* TilingTypeName(const char* written) {
  if (std::is_same<T, bool>::value) return "bool";
  if (std::is_floating_point<T>::value) return sizeof(T) == sizeof(float) ? "float" : "double";
  if (!std::is_integral<T>::value) return written;
  constexpr const char* kNames[2][4] = {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
                                        {"int8_t", "int16_t", "int32_t", "int64_t"}};
  const std::size_t width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return kNames[std::is_signed<T>::value ? 1 : 0][width];
}

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)           \
  class class_name : public ::optiling::TilingDef { \
    using DavsimTilingClass = class_name;           \
                                                    \
   public:                                          \
    class_name() : TilingDef(#class_name) {}

// The value of a field as the base class finds it, whatever object it is asked about.
#define DAVSIM_TILING_VALUE(member)                                         \
  [](const ::optiling::TilingDef& def) {                                    \
    return static_cast<const void*>(                                        \
        std::addressof(static_cast<const DavsimTilingClass&>(def).member)); \
  }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                  \
 public:                                                                              \
  void set_##field_name(data_type field_name) {                                       \
    field_name##_ = field_name;                                                       \
    Written(field_name##_offset_, &field_name##_, sizeof(field_name##_));             \
  }                                                                                   \
  data_type get_##field_name() const {                                                \
    return field_name##_;                                                             \
  }                                                                                   \
                                                                                      \
 private:                                                                             \
  data_type field_name##_ = {};                                                       \
  std::size_t field_name##_offset_ =                                                  \
      AddField({::optiling::TilingTypeName<data_type>(#data_type), #field_name, 0, 0, \
                sizeof(data_type), DAVSIM_TILING_VALUE(field_name##_), false},        \
               alignof(data_type))

#define TILING_DATA_FIELD_DEF_ARR(data_type, array_size, field_name)                           \
 public:                                                                                       \
  void set_##field_name(const data_type* field_name) {                                         \
    std::memcpy(field_name##_, field_name, sizeof(field_name##_));                             \
    Written(field_name##_offset_, field_name##_, sizeof(field_name##_));                       \
  }                                                                                            \
  data_type* get_##field_name() {                                                              \
    return field_name##_;                                                                      \
  }                                                                                            \
                                                                                               \
 private:                                                                                      \
  data_type field_name##_[array_size] = {};                                                    \
  std::size_t field_name##_offset_ =                                                           \
      AddField({::optiling::TilingTypeName<data_type>(#data_type), #field_name, array_size, 0, \
                sizeof(field_name##_), DAVSIM_TILING_VALUE(field_name##_), false},             \
               alignof(data_type))

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                 \
 public:                                                                                      \
  struct_type field_name;                                                                     \
                                                                                              \
 private:                                                                                     \
  std::size_t field_name##_offset_ =                                                          \
      AddField({field_name.GetTilingClassName(), #field_name, 0, 0, field_name.GetDataSize(), \
                DAVSIM_TILING_VALUE(field_name), true},                                       \
               8)

#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                          \
  [[maybe_unused]] static const bool davsim_tiling_class_##op_type##_of_##class_name =           \
      ::optiling::RegisterTilingClass(#op_type, []() -> std::unique_ptr<::optiling::TilingDef> { \
        return std::make_unique<class_name>();                                                   \
      });
