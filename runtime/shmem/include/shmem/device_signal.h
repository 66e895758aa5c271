// Single elements of other PEs, signals, and how kernels wait for them.
#ifndef DAVSIM_SHMEM_DEVICE_SIGNAL_H
#define DAVSIM_SHMEM_DEVICE_SIGNAL_H

#include "shmem/device_copy.h"

namespace davsim::shmem {

/// Past the data cache of the scalar unit.
template <typename T>
T load(std::uint64_t address, Location where) {
  T value{};
  isa::current_core().clean_and_invalidate(address, sizeof(T), where);
  isa::current_core().scalar_load({isa::Space::kGm, isa::DType::kU8, address}, &value, sizeof(T),
                                  where);
  return value;
}
template <typename T>
void store(std::uint64_t address, T value, Location where) {
  isa::current_core().scalar_store({isa::Space::kGm, isa::DType::kU8, address}, &value, sizeof(T),
                                   where);
  isa::current_core().clean_and_invalidate(address, sizeof(T), where);
}

/// By such stores other cores know what this one has waited for.
inline void store_word(std::uint64_t address, std::int32_t value, Location where) {
  if (isa::CoreWatcher* const watcher = isa::current_watcher()) watcher->word_at(address);
  store(address, value, where);
}

/// Adds where the element lies, from UB at `ub`. What the core has under way is done before.
template <typename T>
void add(std::uint64_t address, T value, std::uint64_t ub, Location where) {
  AscendC::PipeBarrier<PIPE_ALL>(where);
  const isa::DType type = api::dtype_of<T>();
  isa::current_core().scalar_store({isa::Space::kUb, type, ub}, &value, sizeof(T), where);
  isa::Registers& registers = api::registers();
  const isa::AtomicOp op = registers.atomic;
  const isa::DType of = registers.atomic_type;
  registers.atomic = isa::AtomicOp::kAdd;
  registers.atomic_type = type;
  parts::order<AscendC::HardEvent::S_MTE3>(usual_way(where).event, where);
  parts::store(address, ub, {1, sizeof(T), sizeof(T), sizeof(T)}, 0, type, where);
  registers.atomic = op;
  registers.atomic_type = of;
  AscendC::PipeBarrier<PIPE_ALL>(where);
}

template <typename T>
bool compares(T value, int cmp, T with, Location where) {
  switch (cmp) {
    case ACLSHMEM_CMP_EQ:
      return value == with;
    case ACLSHMEM_CMP_NE:
      return value != with;
    case ACLSHMEM_CMP_GT:
      return value > with;
    case ACLSHMEM_CMP_GE:
      return value >= with;
    case ACLSHMEM_CMP_LT:
      return value < with;
    case ACLSHMEM_CMP_LE:
      return value <= with;
    default:
      api::refuse("SHMEM", "cmp", cmp, "ACLSHMEM_CMP_EQ to ACLSHMEM_CMP_LE", where);
  }
}

/// Looks until `found()`. A launch in which everybody looks in vain ends there.
template <class Found>
void poll(Found found, Location where) {
  for (bool over = false; !over;) {
    over = found();
    isa::current_core().polled(over, where);
  }
}

/// Waits for an element of the own heap.
template <typename T>
T wait_until(const T* at, int cmp, T with, Location where) {
  T value{};
  poll(
      [&] {
        value = load<T>(reinterpret_cast<std::uint64_t>(at), where);
        return compares(value, cmp, with, where);
      },
      where);
  return value;
}

/// The elements of a list that count: those whose `status` is 0, or all where there is none.
template <typename T>
class Waited {
 public:
  Waited(const T* at, std::size_t count, const int* status, Location where)
      : at_(at), count_(count), status_(status), where_(where) {}
  /// How many of them compare so; their numbers go to `indices` unless that is null.
  template <class With>
  std::size_t found(int cmp, With with, std::size_t* indices) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (left_out(i)) continue;
      const T value = load<T>(reinterpret_cast<std::uint64_t>(at_ + i), where_);
      if (!compares<T>(value, cmp, with(i), where_)) continue;
      if (indices != nullptr) indices[number] = i;
      ++number;
    }
    return number;
  }
  std::size_t size() const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < count_; ++i) number += left_out(i) ? 0 : 1;
    return number;
  }

 private:
  bool left_out(std::size_t i) const { return status_ != nullptr && status_[i] != 0; }

  const T* at_;
  std::size_t count_;
  const int* status_;
  Location where_;
};

/// Other cores know by the sum what those have waited for that added to it.
inline void add_word(std::uint64_t address, std::int32_t value, Location where) {
  // A cube core has no UB to add from.
  if (!api::core_has(isa::Pipe::V)) {
    return store_word(address, load<std::int32_t>(address, where) + value, where);
  }
  AscendC::PipeBarrier<PIPE_ALL>(where);
  isa::CoreWatcher* const watcher = isa::current_watcher();
  if (watcher != nullptr) watcher->words_follow(true);
  add(address, value, ACLSHMEM_INTERNAL_UB_BUF_START_ADDR, where);
  if (watcher != nullptr) watcher->words_follow(false);
}

inline void signal(std::uint64_t at, std::int32_t value, int op, Location where) {
  switch (op) {
    case ACLSHMEM_SIGNAL_SET:
      return store_word(at, value, where);
    case ACLSHMEM_SIGNAL_ADD:
      return add_word(at, value, where);
    default:
      api::refuse("SHMEM", "sig_op", op, "ACLSHMEM_SIGNAL_SET or ACLSHMEM_SIGNAL_ADD", where);
  }
}

/// Does what is under way before the signal is seen.
inline void done_then_signal(const void* at, std::int32_t value, int op, int pe, Location where) {
  AscendC::PipeBarrier<PIPE_ALL>(where);
  signal(symmetric(reinterpret_cast<std::uint64_t>(at), pe, where), value, op, where);
}

}  // namespace davsim::shmem

/// Sets or adds to a signal of PE `pe`.
inline void aclshmemx_signal_op(__gm__ std::int32_t* sig_addr, std::int32_t signal, int sig_op,
                                int pe,
                                davsim::api::Location where = davsim::api::Location::current()) {
  davsim::shmem::signal(
      davsim::shmem::symmetric(reinterpret_cast<std::uint64_t>(sig_addr), pe, where), signal,
      sig_op, where);
}
/// Waits for a signal of the own PE, and returns it.
inline std::int32_t aclshmem_signal_wait_until(
    __gm__ std::int32_t* sig_addr, int cmp, std::int32_t cmp_val,
    davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::shmem::wait_until(sig_addr, cmp, cmp_val, where);
}
inline std::int32_t aclshmem_signal_fetch(
    __gm__ std::int32_t* sig_addr, davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::shmem::load<std::int32_t>(reinterpret_cast<std::uint64_t>(sig_addr), where);
}

// Waits of the standard: for one element; for all or some of a list, with one value or, behind
// `_vector`, one for each. A test looks once.
#define DAVSIM_SHMEM_WAITS(NAME, TYPE)                                                          \
  inline void aclshmem_##NAME##_wait_until(                                                     \
      __gm__ TYPE* ivar, int cmp, TYPE cmp_value,                                               \
      davsim::api::Location where = davsim::api::Location::current()) {                         \
    davsim::shmem::wait_until(ivar, cmp, cmp_value, where);                                     \
  }                                                                                             \
  inline int aclshmem_##NAME##_test(                                                            \
      __gm__ TYPE* ivar, int cmp, TYPE cmp_value,                                               \
      davsim::api::Location where = davsim::api::Location::current()) {                         \
    const auto value = davsim::shmem::load<TYPE>(reinterpret_cast<std::uint64_t>(ivar), where); \
    return davsim::shmem::compares<TYPE>(value, cmp, cmp_value, where) ? 1 : 0;                 \
  }                                                                                             \
  DAVSIM_SHMEM_WAITS_OF_LIST(NAME, , TYPE, TYPE cmp_value, cmp_value)                           \
  DAVSIM_SHMEM_WAITS_OF_LIST(NAME, _vector, TYPE, __gm__ const TYPE* cmp_values, cmp_values[i])
#define DAVSIM_SHMEM_WAITS_OF_LIST(NAME, VECTOR, TYPE, Parameter, value)                        \
  inline void aclshmem_##NAME##_wait_until_all##VECTOR(                                         \
      __gm__ TYPE* ivars, std::size_t nelems, const int* status, int cmp, Parameter,            \
      davsim::api::Location where = davsim::api::Location::current()) {                         \
    const davsim::shmem::Waited<TYPE> all(ivars, nelems, status, where);                        \
    const auto with = [&]([[maybe_unused]] std::size_t i) -> TYPE { return value; };            \
    davsim::shmem::poll([&] { return all.found(cmp, with, nullptr) == all.size(); }, where);    \
  }                                                                                             \
  inline std::size_t aclshmem_##NAME##_wait_until_some##VECTOR(                                 \
      __gm__ TYPE* ivars, std::size_t nelems, std::size_t* indices, const int* status, int cmp, \
      Parameter, davsim::api::Location where = davsim::api::Location::current()) {              \
    const davsim::shmem::Waited<TYPE> all(ivars, nelems, status, where);                        \
    const auto with = [&]([[maybe_unused]] std::size_t i) -> TYPE { return value; };            \
    std::size_t found = 0;                                                                      \
    if (all.size() == 0) return 0;                                                              \
    davsim::shmem::poll([&] { return (found = all.found(cmp, with, indices)) != 0; }, where);   \
    return found;                                                                               \
  }                                                                                             \
  inline int aclshmem_##NAME##_test_all##VECTOR(                                                \
      __gm__ TYPE* ivars, std::size_t nelems, const int* status, int cmp, Parameter,            \
      davsim::api::Location where = davsim::api::Location::current()) {                         \
    const davsim::shmem::Waited<TYPE> all(ivars, nelems, status, where);                        \
    const auto with = [&]([[maybe_unused]] std::size_t i) -> TYPE { return value; };            \
    return all.found(cmp, with, nullptr) == all.size() ? 1 : 0;                                 \
  }                                                                                             \
  inline std::size_t aclshmem_##NAME##_test_some##VECTOR(                                       \
      __gm__ TYPE* ivars, std::size_t nelems, std::size_t* indices, const int* status, int cmp, \
      Parameter, davsim::api::Location where = davsim::api::Location::current()) {              \
    const davsim::shmem::Waited<TYPE> all(ivars, nelems, status, where);                        \
    const auto with = [&]([[maybe_unused]] std::size_t i) -> TYPE { return value; };            \
    return all.found(cmp, with, indices);                                                       \
  }
DAVSIM_SHMEM_NUMBERS(DAVSIM_SHMEM_WAITS)
#undef DAVSIM_SHMEM_WAITS
#undef DAVSIM_SHMEM_WAITS_OF_LIST

// Adds to one element of a PE, by way of the UB that aclshmemx_set_mte_config names.
#define DAVSIM_SHMEM_ADD(NAME, TYPE)                                                              \
  inline void aclshmem_##NAME##_atomic_add(                                                       \
      __gm__ TYPE* dst, TYPE value, std::int32_t pe,                                              \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;                                     \
    davsim::shmem::add(davsim::shmem::symmetric(reinterpret_cast<std::uint64_t>(dst), pe, where), \
                       value, davsim::shmem::usual_way(where).ub, where);                         \
  }
DAVSIM_SHMEM_ADD(int8, std::int8_t)
DAVSIM_SHMEM_ADD(int16, std::int16_t)
DAVSIM_SHMEM_ADD(int32, std::int32_t)
DAVSIM_SHMEM_ADD(half, half)
DAVSIM_SHMEM_ADD(bfloat16, bfloat16_t)
DAVSIM_SHMEM_ADD(float, float)
#undef DAVSIM_SHMEM_ADD

#endif  // DAVSIM_SHMEM_DEVICE_SIGNAL_H
