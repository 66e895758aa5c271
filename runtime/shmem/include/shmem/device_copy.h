// Copies between symmetric memories by the engines of the own core: MTE2 into UB and MTE3 out of
// it. A copy that ends in UB or begins there needs one of them.
#ifndef DAVSIM_SHMEM_DEVICE_COPY_H
#define DAVSIM_SHMEM_DEVICE_COPY_H

#include <algorithm>
#include <type_traits>

#include "shmem/device_state.h"

namespace davsim::shmem {

/// The UB that a copy goes through, and the event by which its engines wait for each other.
struct Way {
  std::uint64_t ub = 0;
  std::uint32_t bytes = 0;
  AscendC::TEventID event = 0;
};

/// Rows of a copy, in bytes.
struct Rows {
  std::uint64_t count = 1, bytes = 0;
  std::uint64_t src_step = 0, dst_step = 0;  ///< from the start of a row to that of the next
};

/// How much a copy moves, in elements: a number of them, or rows.
class Amount {
 public:
  template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number> Amount(Number elements)
      : rows_{1, static_cast<std::uint64_t>(elements), 0, 0} {}  // NOLINT
  Amount(const non_contiguous_copy_param& of)  // NOLINT(google-explicit-constructor)
      : rows_{of.repeat, of.length, of.src_ld, of.dst_ld} {}
  Amount(std::uint32_t repeat, std::uint32_t length, std::uint32_t src_ld, std::uint32_t dst_ld)
      : rows_{repeat, length, src_ld, dst_ld} {}
  Rows of_elements(std::size_t bytes) const {
    return {rows_.count, rows_.bytes * bytes, rows_.src_step * bytes, rows_.dst_step * bytes};
  }

 private:
  Rows rows_;  ///< in elements
};

/// Pointers into UB are offsets; no global memory lies so low.
inline bool in_ub(std::uint64_t address) {
  return address < (1u << 20);
}

/// Where a pointer or a tensor points to.
template <class T>
std::uint64_t address_of(const T& place) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uint64_t>(place);
  } else if constexpr (std::is_integral_v<decltype(place.GetPhyAddr())>) {
    return place.GetPhyAddr();
  } else {
    return reinterpret_cast<std::uint64_t>(place.GetPhyAddr());
  }
}
/// Bytes of an element that a pointer or a tensor has.
template <class T>
struct ElementBytes {
  static constexpr std::size_t value = sizeof(typename T::PrimType);
};
template <class T>
struct ElementBytes<T*> {
  static constexpr std::size_t value = sizeof(T);
};

namespace parts {

constexpr std::uint64_t kMostRows = 4095;  ///< of a DataCopyPad
constexpr std::uint64_t whole_blocks(std::uint64_t bytes) {
  return (bytes + isa::kBlockBytes - 1) / isa::kBlockBytes * isa::kBlockBytes;
}
/// From the end of a row in UB to the start of the next, in DataBlocks.
inline std::uint32_t gap_in_ub(const Rows& rows, std::uint64_t step, Location where) {
  if (rows.count == 1) return 0;
  const std::uint64_t taken = whole_blocks(rows.bytes);
  if (step < taken || step % isa::kBlockBytes != 0) {
    api::refuse("SHMEM", "bytes from a row in UB to the next", static_cast<std::int64_t>(step),
                "whole DataBlocks of 32 bytes that hold the row", where);
  }
  return static_cast<std::uint32_t>((step - taken) / isa::kBlockBytes);
}
inline std::uint32_t gap(const Rows& rows, std::uint64_t step) {
  return rows.count == 1 ? 0 : static_cast<std::uint32_t>(step - rows.bytes);
}
/// Of global memory: rows do not lie within each other.
inline void require_step(const Rows& rows, std::uint64_t step, Location where) {
  if (rows.count == 1) return;
  api::require_range("SHMEM", "bytes from the start of a row to that of the next",
                     static_cast<std::int64_t>(step), static_cast<std::int64_t>(rows.bytes),
                     UINT32_MAX, where);
}

/// At most kMostRows rows into UB.
inline void fetch(std::uint64_t ub, std::uint64_t from, const Rows& rows, std::uint32_t ub_gap,
                  Location where) {
  api::emit_copy_pad_in(
      {isa::Space::kUb, isa::DType::kU8, ub}, {isa::Space::kGm, isa::DType::kU8, from},
      {static_cast<std::uint16_t>(rows.count), static_cast<std::uint32_t>(rows.bytes),
       gap(rows, rows.src_step), ub_gap, 0},
      {false, 0, 0, 0}, where);
}
inline void store(std::uint64_t to, std::uint64_t ub, const Rows& rows, std::uint32_t ub_gap,
                  isa::DType type, Location where) {
  api::emit_copy_pad_out(
      {isa::Space::kGm, type, to}, {isa::Space::kUb, type, ub},
      {static_cast<std::uint16_t>(rows.count), static_cast<std::uint32_t>(rows.bytes), ub_gap,
       gap(rows, rows.dst_step), 0},
      where);
}

template <AscendC::HardEvent event>
void order(AscendC::TEventID id, Location where) {
  AscendC::SetFlag<event>(id, where);
  AscendC::WaitFlag<event>(id, where);
}

/// Calls `one` for parts of at most `most` rows, with those and with what lies before them.
template <class One>
void in_parts(const Rows& rows, std::uint64_t most, One one) {
  for (std::uint64_t done = 0; done < rows.count; done += most) {
    Rows part = rows;
    part.count = std::min(most, rows.count - done);
    one(part, done * rows.src_step, done * rows.dst_step);
  }
}

/// From one global memory to another: the engines take turns at the UB.
inline void through(std::uint64_t to, std::uint64_t from, const Rows& rows, const Way& way,
                    Location where) {
  const auto one = [&](const Rows& part, std::uint64_t src, std::uint64_t dst) {
    order<AscendC::HardEvent::MTE3_MTE2>(way.event, where);  // what was there has left
    fetch(way.ub, from + src, part, 0, where);
    order<AscendC::HardEvent::MTE2_MTE3>(way.event, where);
    store(to + dst, way.ub, part, 0, isa::DType::kU8, where);
  };
  const std::uint64_t room = way.bytes / isa::kBlockBytes * isa::kBlockBytes;
  api::require_range("SHMEM", "bytes of the UB for the copy", way.bytes, isa::kBlockBytes,
                     AscendC::GetUBSizeInBytes(), where);
  if (rows.bytes <= room) {
    return in_parts(rows, std::min(kMostRows, room / whole_blocks(rows.bytes)), one);
  }
  for (std::uint64_t row = 0; row < rows.count; ++row) {
    for (std::uint64_t done = 0; done < rows.bytes; done += room) {
      const std::uint64_t bytes = std::min(room, rows.bytes - done);
      one({1, bytes, bytes, bytes}, row * rows.src_step + done, row * rows.dst_step + done);
    }
  }
}

}  // namespace parts

/// Copies between two global memories, or one and UB. Cores without a UB copy nothing.
inline void copy(std::uint64_t to, std::uint64_t from, Rows rows, const Way& way, Location where) {
  if (!api::core_has(isa::Pipe::V) || rows.count == 0 || rows.bytes == 0) return;
  if (rows.src_step == rows.bytes && rows.dst_step == rows.bytes) {
    rows.bytes *= rows.count;
    rows.count = 1;
  }
  if (!in_ub(to)) parts::require_step(rows, rows.dst_step, where);
  if (!in_ub(from)) parts::require_step(rows, rows.src_step, where);
  if (in_ub(to)) {
    const std::uint32_t gap = parts::gap_in_ub(rows, rows.dst_step, where);
    return parts::in_parts(rows, parts::kMostRows,
                           [&](const Rows& part, std::uint64_t src, std::uint64_t dst) {
                             parts::fetch(to + dst, from + src, part, gap, where);
                           });
  }
  if (in_ub(from)) {
    const std::uint32_t gap = parts::gap_in_ub(rows, rows.src_step, where);
    return parts::in_parts(rows, parts::kMostRows,
                           [&](const Rows& part, std::uint64_t src, std::uint64_t dst) {
                             parts::store(to + dst, from + src, part, gap, isa::DType::kU8, where);
                           });
  }
  parts::through(to, from, rows, way, where);
}

/// The UB of copies that name none.
inline Way usual_way(Location where) {
  const aclshmem_mte_config_t& config = aclshmemi_get_state(where)->mte_config;
  return {static_cast<std::uint64_t>(config.aclshmem_ub), config.ub_size,
          static_cast<AscendC::TEventID>(config.sync_id)};
}

template <class Dst, class Src>
void put(const Dst& dst, const Src& src, const Rows& rows, int pe, const Way& way, Location where) {
  copy(symmetric(address_of(dst), pe, where), address_of(src), rows, way, where);
}
template <class Dst, class Src>
void get(const Dst& dst, const Src& src, const Rows& rows, int pe, const Way& way, Location where) {
  copy(address_of(dst), symmetric(address_of(src), pe, where), rows, way, where);
}

/// All that the core has asked for is done, and seen by the other PEs.
inline void quiet(Location where) {
  isa::current_core().clean_and_invalidate(0, 0, where);
  AscendC::PipeBarrier<PIPE_ALL>(where);
}

}  // namespace davsim::shmem

#ifdef DAVSIM_SHMEM_KERNEL
inline void aclshmem_quiet(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::shmem::quiet(where);
}
inline void aclshmem_fence(davsim::api::Location where = davsim::api::Location::current()) {
  aclshmem_quiet(where);
}
#endif

// Sets the UB that copies go through which name none. All cores of a PE have the same one.
#define DAVSIM_SHMEM_CONFIG(engine)                                       \
  inline void aclshmemx_set_##engine##_config(                            \
      std::uint64_t offset, std::uint32_t ub_size, std::uint32_t sync_id, \
      davsim::api::Location where = davsim::api::Location::current()) {   \
    aclshmemi_get_state(where)->engine##_config = {                       \
        static_cast<std::int64_t>(offset), ub_size, {sync_id}};           \
  }
DAVSIM_SHMEM_CONFIG(mte)
DAVSIM_SHMEM_CONFIG(sdma)
DAVSIM_SHMEM_CONFIG(rdma)
#undef DAVSIM_SHMEM_CONFIG

// Copies that name their UB, those of tensors, and those from or to UB itself. `older` is a name of
// earlier releases.
#define DAVSIM_SHMEM_MTE_COPY(name, older, direction)                                             \
  template <typename T>                                                                           \
  void name(__gm__ T* dst, __gm__ T* src, __ubuf__ T* buf, std::uint32_t ub_size,                 \
            const davsim::shmem::Amount& amount, int pe, std::uint32_t sync_id,                   \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::shmem::direction(                                                                     \
        dst, src, amount.of_elements(sizeof(T)), pe,                                              \
        {reinterpret_cast<std::uint64_t>(buf), ub_size, static_cast<AscendC::TEventID>(sync_id)}, \
        where);                                                                                   \
  }                                                                                               \
  template <typename T>                                                                           \
  void name(AscendC::GlobalTensor<T> dst, AscendC::GlobalTensor<T> src,                           \
            AscendC::LocalTensor<T> buf, const davsim::shmem::Amount& amount, int pe,             \
            std::uint32_t sync_id,                                                                \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    davsim::shmem::direction(                                                                     \
        dst, src, amount.of_elements(sizeof(T)), pe,                                              \
        {buf.GetPhyAddr(), static_cast<std::uint32_t>(buf.GetSize() * sizeof(T)),                 \
         static_cast<AscendC::TEventID>(sync_id)},                                                \
        where);                                                                                   \
  }                                                                                               \
  template <typename Dst, typename Src>                                                           \
  void name(Dst dst, Src src, const davsim::shmem::Amount& amount, int pe,                        \
            [[maybe_unused]] std::uint32_t sync_id,                                               \
            davsim::api::Location where = davsim::api::Location::current()) {                     \
    const std::size_t element = davsim::shmem::ElementBytes<Dst>::value;                          \
    davsim::shmem::direction(dst, src, amount.of_elements(element), pe, {}, where);               \
  }                                                                                               \
  template <typename... Arguments>                                                                \
  void older(const Arguments&... arguments) {                                                     \
    name(arguments...);                                                                           \
  }
DAVSIM_SHMEM_MTE_COPY(aclshmemx_mte_put_nbi, aclshmemx_mte_put_mem_nbi, put)
DAVSIM_SHMEM_MTE_COPY(aclshmemx_mte_get_nbi, aclshmemx_mte_get_mem_nbi, get)
// The same by the names of other engines, which are not modelled for kernels: the core moves the
// bytes itself, through the UB that the call names.
DAVSIM_SHMEM_MTE_COPY(aclshmemx_sdma_put_nbi, aclshmemx_sdma_put_mem_nbi, put)
DAVSIM_SHMEM_MTE_COPY(aclshmemx_sdma_get_nbi, aclshmemx_sdma_get_mem_nbi, get)
DAVSIM_SHMEM_MTE_COPY(aclshmemx_roce_put_nbi, aclshmemx_roce_put_mem_nbi, put)
DAVSIM_SHMEM_MTE_COPY(aclshmemx_roce_get_nbi, aclshmemx_roce_get_mem_nbi, get)
#undef DAVSIM_SHMEM_MTE_COPY

// They are done behind these, whose arguments are a UB for messages to the engine and its event.
template <typename... Arguments>
void aclshmemx_sdma_quiet(const Arguments&...) {
  davsim::shmem::quiet(davsim::api::Location::current());
}
template <typename... Arguments>
void aclshmemx_roce_quiet(const Arguments&...) {
  davsim::shmem::quiet(davsim::api::Location::current());
}

#endif  // DAVSIM_SHMEM_DEVICE_COPY_H
