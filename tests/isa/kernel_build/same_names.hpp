// Names that every half of every kernel of this test defines, each in its own way: the linker must
// keep them apart. The including kernel defines KERNEL_ID.
#pragma once

#include <cstdint>

#include "ascendc/language.h"

/// Tens: the kernel; ones: the core type.
inline std::int32_t half_id() {
  return KERNEL_ID * 10 + g_coreType;
}

inline std::int32_t calls_of_half = 0;

inline std::int32_t count_in_inline_function() {
  static std::int32_t count = 0;
  return ++count;
}

template <class T>
struct Shared {
  static inline T count = 0;
};

class Role {
 public:
  virtual ~Role() = default;
  virtual std::int32_t id() const { return half_id(); }
};

/// Not inlined, so that the call goes through the table of whichever Role was linked.
__attribute__((noinline)) inline std::int32_t id_of(const Role& role) {
  return role.id();
}

/// What a half leaves behind.
struct Trace {
  std::int32_t id, virtual_id, calls, local_static, template_static;
};

inline Trace trace_half() {
  const Role role;
  return {half_id(), id_of(role), ++calls_of_half, count_in_inline_function(),
          ++Shared<std::int32_t>::count};
}
