// Copies of host programs between own memory and the heaps of other PEs, and signals.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/core/process.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/shmem/call.hpp"
#include "shmem/host.h"

using namespace davsim::shmem;
using davsim::runtime::ApiError;
using davsim::runtime::Demand;
using davsim::runtime::Direction;
using davsim::runtime::Process;
using davsim::runtime::Simulator;

namespace {

/// Bytes of a PE's heap, which another process may have.
class HeapBytes {
 public:
  HeapBytes(const Pe& pe, int of, std::uint64_t address)
      : die_(pe.rank().devices[static_cast<std::size_t>(of)]), address_(address) {
    const auto& spread = pe.rank().spread;
    if (spread == nullptr || spread->is_here(static_cast<std::size_t>(of))) return;
    file_ = spread->memories.files[static_cast<std::size_t>(of)].descriptor();
    if (file_ < 0 || !spread->memories.apart.empty()) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, spread->memories.apart);
    }
    place_ = static_cast<off_t>(address - Simulator::instance().memory().of(die_).base());
  }
  void write(const void* from, std::size_t bytes) const {
    if (file_ < 0) {
      std::memcpy(reinterpret_cast<void*>(address_), from, bytes);
      Simulator::instance().memory().host_wrote(reinterpret_cast<void*>(address_), bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes;) {
      const auto* const next = static_cast<const char*>(from) + done;
      done += moved(pwrite(file_, next, bytes - done, place_ + static_cast<off_t>(done)));
    }
  }
  void read(void* to, std::size_t bytes) const {
    if (file_ < 0) {
      std::memcpy(to, reinterpret_cast<const void*>(address_), bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes;) {
      auto* const next = static_cast<char*>(to) + done;
      done += moved(pread(file_, next, bytes - done, place_ + static_cast<off_t>(done)));
    }
  }

 private:
  static std::size_t moved(ssize_t bytes) {
    if (bytes > 0) return static_cast<std::size_t>(bytes);
    throw ApiError(ACL_ERROR_RT_FAILURE, "the host cannot reach the memory of another process: " +
                                             std::string(std::strerror(errno)));
  }

  std::uint32_t die_;
  std::uint64_t address_;
  int file_ = -1;  ///< none: it is of this process
  off_t place_ = 0;
};

/// Bytes from one memory to another at the rates of the link between them.
Demand over_link(const Pe& pe, int other, std::uint64_t bytes, bool reads) {
  Simulator& simulator = Simulator::instance();
  const std::uint32_t die = pe.rank().devices[static_cast<std::size_t>(other)];
  if (die == pe.die()) return simulator.copy_demand(Direction::kWithin, bytes);
  if (simulator.copy_demand(Direction::kWithin, bytes).duration == 0) return {};  // no clock
  const auto& link = simulator.communicators()->system().link(pe.die(), die);
  const double latency = reads ? link.read_seconds : link.write_seconds;
  Demand demand;
  demand.duration = 1e6 * (latency + static_cast<double>(bytes) / link.bytes_per_second);
  return demand;
}

/// Queues a copy between own memory and that of PE `pe`, which it reads or writes.
void queue_copy(const void* symmetric, void* own, std::size_t bytes, int pe, aclrtStream stream,
                bool reads) {
  require_pointer(symmetric, reads ? "src" : "dst");
  require_pointer(own, reads ? "dst" : "src");
  if (bytes == 0) return;
  const auto me = own_pe();
  const HeapBytes there(*me, pe, me->on_pe(symmetric, pe));
  me->on_pe(static_cast<const std::byte*>(symmetric) + bytes - 1, pe);
  Simulator& simulator = Simulator::instance();
  simulator.memory().require_room(own, bytes, reads ? "dst" : "src");
  const auto on = Process::instance().stream(stream);
  simulator.queue_on(on, [me, there, own, bytes, pe, reads] {
    if (reads) {
      there.read(own, bytes);
      Simulator::instance().memory().host_wrote(own, bytes);
    } else {
      there.write(own, bytes);
    }
    return over_link(*me, pe, bytes, reads);
  });
  simulator.touched(*on, own, symmetric);
}

void synchronise() {
  davsim::runtime::require_success(aclrtSynchronizeStream(nullptr));
}

void put(const char* function, void* dst, const void* src, std::size_t bytes, int pe, bool blocks,
         aclrtStream stream = nullptr) {
  call(function, [&] {
    queue_copy(dst, const_cast<void*>(src), bytes, pe, stream, false);
    if (blocks) synchronise();
  });
}
void get(const char* function, void* dst, const void* src, std::size_t bytes, int pe, bool blocks,
         aclrtStream stream = nullptr) {
  call(function, [&] {
    queue_copy(src, dst, bytes, pe, stream, true);
    if (blocks) synchronise();
  });
}

void queue_signal(void* address, std::int32_t signal, int op, int pe, aclrtStream stream) {
  require_pointer(address, "sig_addr");
  if (op != ACLSHMEM_SIGNAL_SET && op != ACLSHMEM_SIGNAL_ADD) {
    throw CallError(ACLSHMEM_INVALID_PARAM,
                    "sig_op is " + std::to_string(op) +
                        ", allowed are ACLSHMEM_SIGNAL_SET and ACLSHMEM_SIGNAL_ADD");
  }
  const auto me = own_pe();
  const HeapBytes there(*me, pe, me->on_pe(address, pe));
  Simulator::instance().queue_on(Process::instance().stream(stream), [=] {
    std::int32_t value = 0;
    if (op == ACLSHMEM_SIGNAL_ADD) there.read(&value, sizeof value);
    value += signal;
    there.write(&value, sizeof value);
    return over_link(*me, pe, sizeof value, false);
  });
}

void put_signal(const char* function, void* dst, const void* src, std::size_t bytes, void* address,
                std::int32_t signal, int op, int pe, bool blocks) {
  call(function, [&] {
    queue_copy(dst, const_cast<void*>(src), bytes, pe, nullptr, false);
    queue_signal(address, signal, op, pe, nullptr);
    if (blocks) synchronise();
  });
}

/// One element, which is the host's own.
void put_element(const char* function, void* dst, const void* value, std::size_t bytes, int pe) {
  call(function, [&] {
    require_pointer(dst, "dst");
    const auto me = own_pe();
    const HeapBytes there(*me, pe, me->on_pe(dst, pe));
    const auto* const first = static_cast<const std::byte*>(value);
    const std::vector<std::byte> element(first, first + bytes);
    Simulator::instance().queue_on(Process::instance().stream(nullptr), [me, there, element, pe] {
      there.write(element.data(), element.size());
      return over_link(*me, pe, element.size(), false);
    });
    synchronise();
  });
}
void get_element(const char* function, void* value, const void* src, std::size_t bytes, int pe) {
  call(function, [&] {
    require_pointer(src, "src");
    const auto me = own_pe();
    const HeapBytes there(*me, pe, me->on_pe(src, pe));
    Simulator::instance().queue_on(Process::instance().stream(nullptr), [=] {
      there.read(value, bytes);
      return over_link(*me, pe, bytes, true);
    });
    synchronise();
  });
}

}  // namespace

void aclshmem_putmem(void* dst, void* src, std::size_t elem_size, int pe) {
  put("aclshmem_putmem", dst, src, elem_size, pe, true);
}
void aclshmem_getmem(void* dst, void* src, std::size_t elem_size, int pe) {
  get("aclshmem_getmem", dst, src, elem_size, pe, true);
}
void aclshmem_putmem_nbi(void* dst, void* src, std::size_t elem_size, int pe) {
  put("aclshmem_putmem_nbi", dst, src, elem_size, pe, false);
}
void aclshmem_getmem_nbi(void* dst, void* src, std::size_t elem_size, int pe) {
  get("aclshmem_getmem_nbi", dst, src, elem_size, pe, false);
}
void aclshmemx_putmem_on_stream(void* dst, void* src, std::size_t elem_size, int pe,
                                aclrtStream stream) {
  put("aclshmemx_putmem_on_stream", dst, src, elem_size, pe, false, stream);
}
void aclshmemx_getmem_on_stream(void* dst, void* src, std::size_t elem_size, int pe,
                                aclrtStream stream) {
  get("aclshmemx_getmem_on_stream", dst, src, elem_size, pe, false, stream);
}

void aclshmem_quiet() {
  call("aclshmem_quiet", synchronise);
}
void aclshmem_fence() {
  call("aclshmem_fence", synchronise);
}

void aclshmemx_putmem_signal(void* dst, void* src, std::size_t elem_size, void* sig_addr,
                             std::int32_t signal, int sig_op, int pe) {
  put_signal("aclshmemx_putmem_signal", dst, src, elem_size, sig_addr, signal, sig_op, pe, true);
}
void aclshmemx_putmem_signal_nbi(void* dst, void* src, std::size_t elem_size, void* sig_addr,
                                 std::int32_t signal, int sig_op, int pe) {
  put_signal("aclshmemx_putmem_signal_nbi", dst, src, elem_size, sig_addr, signal, sig_op, pe,
             false);
}
void aclshmemx_signal_op_on_stream(std::int32_t* sig_addr, std::int32_t signal, int sig_op, int pe,
                                   aclrtStream stream) {
  call("aclshmemx_signal_op_on_stream",
       [&] { queue_signal(sig_addr, signal, sig_op, pe, stream); });
}

std::int32_t aclshmemx_mte_set_ub_params(std::uint64_t offset, std::uint32_t ub_size,
                                         std::uint32_t event_id) {
  return call("aclshmemx_mte_set_ub_params", [&] {
    own_pe()->change_state([&](aclshmem_device_host_state_t& state) {
      state.mte_config = {static_cast<std::int64_t>(offset), ub_size, {event_id}};
    });
  });
}

#define DAVSIM_SHMEM_HOST_OF_TYPE(NAME, TYPE)                                                     \
  void aclshmem_##NAME##_put(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {              \
    put("aclshmem_" #NAME "_put", dest, source, nelems * sizeof(TYPE), pe, true);                 \
  }                                                                                               \
  void aclshmem_##NAME##_put_nbi(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {          \
    put("aclshmem_" #NAME "_put_nbi", dest, source, nelems * sizeof(TYPE), pe, false);            \
  }                                                                                               \
  void aclshmem_##NAME##_get(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {              \
    get("aclshmem_" #NAME "_get", dest, source, nelems * sizeof(TYPE), pe, true);                 \
  }                                                                                               \
  void aclshmem_##NAME##_get_nbi(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {          \
    get("aclshmem_" #NAME "_get_nbi", dest, source, nelems * sizeof(TYPE), pe, false);            \
  }                                                                                               \
  void aclshmem_put_##NAME##_mem(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {          \
    aclshmem_##NAME##_put(dest, source, nelems, pe);                                              \
  }                                                                                               \
  void aclshmem_put_##NAME##_mem_nbi(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {      \
    aclshmem_##NAME##_put_nbi(dest, source, nelems, pe);                                          \
  }                                                                                               \
  void aclshmem_get_##NAME##_mem(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {          \
    aclshmem_##NAME##_get(dest, source, nelems, pe);                                              \
  }                                                                                               \
  void aclshmem_get_##NAME##_mem_nbi(TYPE* dest, TYPE* source, std::size_t nelems, int pe) {      \
    aclshmem_##NAME##_get_nbi(dest, source, nelems, pe);                                          \
  }                                                                                               \
  void aclshmem_##NAME##_put_signal(TYPE* dst, TYPE* src, std::size_t elem_size,                  \
                                    std::uint8_t* sig_addr, std::int32_t signal, int sig_op,      \
                                    int pe) {                                                     \
    put_signal("aclshmem_" #NAME "_put_signal", dst, src, elem_size * sizeof(TYPE), sig_addr,     \
               signal, sig_op, pe, true);                                                         \
  }                                                                                               \
  void aclshmem_##NAME##_put_signal_nbi(TYPE* dst, TYPE* src, std::size_t elem_size,              \
                                        std::uint8_t* sig_addr, std::int32_t signal, int sig_op,  \
                                        int pe) {                                                 \
    put_signal("aclshmem_" #NAME "_put_signal_nbi", dst, src, elem_size * sizeof(TYPE), sig_addr, \
               signal, sig_op, pe, false);                                                        \
  }                                                                                               \
  void aclshmem_##NAME##_p(TYPE* dst, const TYPE value, int pe) {                                 \
    put_element("aclshmem_" #NAME "_p", dst, &value, sizeof value, pe);                           \
  }                                                                                               \
  TYPE aclshmem_##NAME##_g(TYPE* src, int pe) {                                                   \
    TYPE value{};                                                                                 \
    get_element("aclshmem_" #NAME "_g", &value, src, sizeof value, pe);                           \
    return value;                                                                                 \
  }
DAVSIM_SHMEM_NUMBERS(DAVSIM_SHMEM_HOST_OF_TYPE)
DAVSIM_SHMEM_HOST_OF_TYPE(double, double)
#undef DAVSIM_SHMEM_HOST_OF_TYPE

#define DAVSIM_SHMEM_HOST_OF_SIZE(BITS)                                             \
  void aclshmem_put##BITS(void* dst, void* src, std::size_t nelems, int pe) {       \
    put("aclshmem_put" #BITS, dst, src, nelems*(BITS / 8), pe, true);               \
  }                                                                                 \
  void aclshmem_put##BITS##_nbi(void* dst, void* src, std::size_t nelems, int pe) { \
    put("aclshmem_put" #BITS "_nbi", dst, src, nelems*(BITS / 8), pe, false);       \
  }                                                                                 \
  void aclshmem_get##BITS(void* dst, void* src, std::size_t nelems, int pe) {       \
    get("aclshmem_get" #BITS, dst, src, nelems*(BITS / 8), pe, true);               \
  }                                                                                 \
  void aclshmem_get##BITS##_nbi(void* dst, void* src, std::size_t nelems, int pe) { \
    get("aclshmem_get" #BITS "_nbi", dst, src, nelems*(BITS / 8), pe, false);       \
  }
DAVSIM_SHMEM_SIZES(DAVSIM_SHMEM_HOST_OF_SIZE)
#undef DAVSIM_SHMEM_HOST_OF_SIZE
