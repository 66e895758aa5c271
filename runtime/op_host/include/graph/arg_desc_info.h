// An argument of a task of a graph. There are no graphs here: functions that describe tasks
// compile, and none of them is called.
#pragma once

#include <cstdint>
#include <limits>

namespace ge {

enum class ArgDescType {
  kIrInput = 0,
  kIrOutput,
  kWorkspace,
  kTiling,
  kHiddenInput,
  kCustomValue,
  kIrInputDesc,
  kIrOutputDesc,
  kInputInstance,
  kOutputInstance,
  kEnd
};

enum class HiddenInputSubType { kHcom, kEnd };

class ArgDescInfo {
 public:
  explicit ArgDescInfo(ArgDescType type, std::int32_t ir_index = -1, bool is_folded = false)
      : type_(type), ir_index_(ir_index), is_folded_(is_folded) {}
  static ArgDescInfo CreateCustomValue(std::uint64_t value) {
    ArgDescInfo made(ArgDescType::kCustomValue);
    made.value_ = value;
    return made;
  }
  static ArgDescInfo CreateHiddenInput(HiddenInputSubType hidden_type) {
    ArgDescInfo made(ArgDescType::kHiddenInput);
    made.hidden_type_ = hidden_type;
    return made;
  }

  ArgDescType GetType() const { return type_; }
  std::uint64_t GetCustomValue() const {
    return type_ == ArgDescType::kCustomValue ? value_ : std::numeric_limits<std::uint64_t>::max();
  }
  // 0 as with graphStatus: it was set. A custom value is of kCustomValue alone, and so on.
  std::uint32_t SetCustomValue(std::uint64_t value) {
    if (type_ != ArgDescType::kCustomValue) return kFailed;
    value_ = value;
    return 0;
  }
  HiddenInputSubType GetHiddenInputSubType() const { return hidden_type_; }
  std::uint32_t SetHiddenInputSubType(HiddenInputSubType hidden_type) {
    if (type_ != ArgDescType::kHiddenInput) return kFailed;
    hidden_type_ = hidden_type;
    return 0;
  }
  void SetIrIndex(std::int32_t ir_index) { ir_index_ = ir_index; }
  std::int32_t GetIrIndex() const { return ir_index_; }
  void SetFolded(bool is_folded) { is_folded_ = is_folded; }
  bool IsFolded() const { return is_folded_; }

 private:
  static constexpr std::uint32_t kFailed = 0xFFFFFFFF;

  ArgDescType type_;
  std::int32_t ir_index_;
  bool is_folded_;
  std::uint64_t value_ = 0;
  HiddenInputSubType hidden_type_ = HiddenInputSubType::kEnd;
};

}  // namespace ge
