// The registers for atomic operations: moves into GM then combine with the present contents.
#pragma once

#include <array>

#include "ascendc/data_copy_emit.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// Element types in the order of AtomicDtype.
inline constexpr std::array kAtomicTypes = {isa::DType::kNone, isa::DType::kF32, isa::DType::kF16,
                                            isa::DType::kI16,  isa::DType::kI32, isa::DType::kI8,
                                            isa::DType::kBF16};

template <typename T>
void set_atomic(isa::AtomicOp op, Location where) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> ||
                    std::is_same_v<T, bfloat16_t> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, std::int16_t> || std::is_same_v<T, std::int8_t>,
                "atomics take float, half, bfloat16_t, int32_t, int16_t and int8_t");
  registers().atomic = op;
  registers().atomic_type = dtype_of<T>();
  emit_set_register(where);
}

/// Additions of elements of an AtomicDtype, or no atomic operation.
inline void set_atomic_additions(std::size_t type, Location where) {
  registers().atomic = type == 0 ? isa::AtomicOp::kNone : isa::AtomicOp::kAdd;
  registers().atomic_type = kAtomicTypes[type];
  emit_set_register(where);
}

}  // namespace davsim::api

namespace AscendC {

/// Moves to GM that follow add to what is there, as numbers of type T.
template <typename T>
void SetAtomicAdd(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kAdd, where);
}

/// Moves to GM that follow keep the greater of what is there and what they bring.
template <typename T>
void SetAtomicMax(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kMax, where);
}

/// Moves to GM that follow keep the lesser of what is there and what they bring.
template <typename T>
void SetAtomicMin(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kMin, where);
}

/// Changes the type of the atomic operation that is set.
template <typename T>
void SetAtomicType(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::api::registers().atomic, where);
}

/// Moves to GM overwrite again.
inline void SetAtomicNone(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().atomic = davsim::isa::AtomicOp::kNone;
  davsim::api::registers().atomic_type = davsim::isa::DType::kNone;
  davsim::api::emit_set_register(where);
}

/// Newer name of SetAtomicNone.
inline void DisableDmaAtomic(davsim::api::Location where = davsim::api::Location::current()) {
  SetAtomicNone(where);
}

/// SetAtomicAdd by numbers; ATOMIC_NONE is SetAtomicNone.
template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig(davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(op == AtomicOp::ATOMIC_SUM, "SetStoreAtomicConfig: only ATOMIC_SUM on 2201");
  davsim::api::set_atomic_additions(static_cast<std::size_t>(type), where);
}

/// The numbers of what SetStoreAtomicConfig has set.
inline void GetStoreAtomicConfig(std::uint16_t& atomicType, std::uint16_t& atomicOp,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  const auto& types = davsim::api::kAtomicTypes;
  atomicType = 0;
  while (atomicType < types.size() && types[atomicType] != davsim::api::registers().atomic_type) {
    ++atomicType;
  }
  atomicOp = static_cast<std::uint16_t>(AtomicOp::ATOMIC_SUM);
  davsim::api::emit_set_register(where);
}

}  // namespace AscendC
