#include "isa/core/local_pointer.hpp"

#ifdef __x86_64__
#include <pthread.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>

#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_frame.hpp"
#include "isa/core/running_kernel.hpp"
#include "isa/core/x86_access.hpp"
#endif

namespace davsim::isa {

#ifdef __x86_64__
namespace {

/// Addresses below are offsets in a buffer; no buffer is as large.
constexpr std::uint64_t kLocalBytes = 1 << 20;
constexpr std::size_t kCodeBytes = 1 << 20;
/// Below a stack pointer, a function without calls may keep data.
constexpr std::uint64_t kRedZone = 128;
constexpr std::size_t kPage = 4096;

/// What the kernel's accesses are carried out on: host memory that stands for the lowest addresses.
/// It has an access's bytes only while that access is carried out, so all cores share it.
struct Window {
  std::uint8_t* bytes = nullptr;
  std::uint8_t* behind = nullptr;  ///< faults: where a store tells that it is done
  std::uint8_t* code = nullptr;    ///< copies of instructions, with what follows them
  std::size_t code_used = 0;
};
Window g_window;

struct Copy {
  X86Access access;
  std::array<std::uint8_t, X86Access::kMostBytes> original;
  std::uint8_t* code;
};
std::unordered_map<std::uint64_t, Copy>& copies() {
  static std::unordered_map<std::uint64_t, Copy> all;
  return all;
}

/// A store whose instruction is being carried out on the window.
struct Pending {
  std::uint64_t addr = 0;
  std::uint8_t bytes = 0;
  std::uint64_t rip = 0;   ///< the kernel's instruction
  std::uint64_t next = 0;  ///< the one behind it
};
Pending g_pending;

pthread_t g_thread;
struct sigaction g_before;

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

bool make_window() {
  if (g_window.bytes != nullptr) return true;
  // Copies reach the window by a displacement of 32 bits.
  void* bytes = mmap(nullptr, kLocalBytes + kPage + kCodeBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) return false;
  g_window.bytes = static_cast<std::uint8_t*>(bytes);
  g_window.behind = g_window.bytes + kLocalBytes;
  g_window.code = g_window.behind + kPage;
  mprotect(g_window.behind, kPage, PROT_NONE);
  return true;
}

[[noreturn]] void refuse(const std::string& what) {
  stop_kernel(Fault(FaultClass::kParameter,
                    what + "; GetValue and SetValue of a LocalTensor do the same",
                    g_running_kernel.call));
}

/// The copy of the instruction at `rip`, made once.
const Copy& copy_of(std::uint64_t rip) {
  const auto* code = reinterpret_cast<const std::uint8_t*>(rip);
  const auto found = copies().find(rip);
  if (found != copies().end() &&
      std::memcmp(found->second.original.data(), code, found->second.access.length) == 0) {
    return found->second;
  }
  const auto access = decode_x86_access(code);
  if (!access) {
    std::string bytes;
    for (std::size_t i = 0; i < 8; ++i) {
      constexpr char kDigits[] = "0123456789abcdef";
      bytes += {' ', kDigits[code[i] >> 4], kDigits[code[i] & 15]};
    }
    refuse("a pointer into a buffer of the core is used by an instruction of the host (" +
           bytes.substr(1) + ") that davsim does not carry out on UB");
  }
  Copy copy{*access, {}, nullptr};
  std::memcpy(copy.original.data(), code, access->length);
  if (access->modrm != 0) {
    std::array<std::uint8_t, 48> text{};
    std::uint8_t size = 0;
    const auto moved = access->moved(code, static_cast<std::int32_t>(number(g_window.bytes)), size);
    std::memcpy(text.data(), moved.data(), size);
    if (access->stores) {
      // mov byte [behind], 0: it faults, and changes neither registers nor flags.
      const auto behind = static_cast<std::uint32_t>(number(g_window.behind));
      const std::uint8_t tell[] = {0xc6, 0x04, 0x25};
      std::memcpy(text.data() + size, tell, sizeof tell);
      std::memcpy(text.data() + size + 3, &behind, 4);
      size = static_cast<std::uint8_t>(size + 8);
    } else {
      // jmp [rip]: to the instruction behind the original.
      const std::uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
      const std::uint64_t next = rip + access->length;
      std::memcpy(text.data() + size, jump, sizeof jump);
      std::memcpy(text.data() + size + 6, &next, 8);
      size = static_cast<std::uint8_t>(size + 14);
    }
    if (g_window.code_used + size > kCodeBytes) {
      g_window.code_used = 0;
      copies().clear();
    }
    copy.code = g_window.code + g_window.code_used;
    mprotect(g_window.code, kCodeBytes, PROT_READ | PROT_WRITE);
    std::memcpy(copy.code, text.data(), size);
    if (mprotect(g_window.code, kCodeBytes, PROT_READ | PROT_EXEC) != 0) {
      refuse("the host does not allow davsim to carry out an access through a pointer into UB");
    }
    g_window.code_used += size;
  }
  return copies().insert_or_assign(rip, copy).first->second;
}

Operand operand_at(std::uint64_t addr) {
  if (current_core().buffer_size(Space::kUb) == 0) {
    refuse(
        "a pointer into a buffer of a cube core is dereferenced, which has no UB; its scalar "
        "unit reads and writes global memory only");
  }
  return {Space::kUb, DType::kU8, addr};
}

void load(std::uint64_t addr, void* to, std::size_t bytes) {
  current_core().scalar_load(operand_at(addr), to, bytes, g_running_kernel.call);
}
void store(std::uint64_t addr, const void* from, std::size_t bytes) {
  current_core().scalar_store(operand_at(addr), from, bytes, g_running_kernel.call);
}

/// movs and stos, element by element; both are made of plain copies and fills.
void carry_out_string(const X86Access& access, greg_t* registers) {
  const bool repeats = access.repeats_string;
  auto left = repeats ? static_cast<std::uint64_t>(registers[REG_RCX]) : 1;
  auto to = static_cast<std::uint64_t>(registers[REG_RDI]);
  auto from = static_cast<std::uint64_t>(registers[REG_RSI]);
  for (; left > 0; --left) {
    std::array<std::uint8_t, 8> element{};
    if (!access.string_moves) {
      std::memcpy(element.data(), &registers[REG_RAX], sizeof element);
    } else if (from < kLocalBytes) {
      load(from, element.data(), access.bytes);
    } else {
      std::memcpy(element.data(), reinterpret_cast<const void*>(from), access.bytes);
    }
    if (to < kLocalBytes) {
      store(to, element.data(), access.bytes);
    } else {
      std::memcpy(reinterpret_cast<void*>(to), element.data(), access.bytes);
    }
    to += access.bytes;
    if (access.string_moves) from += access.bytes;
  }
  registers[REG_RDI] = static_cast<greg_t>(to);
  registers[REG_RSI] = static_cast<greg_t>(from);
  if (repeats) registers[REG_RCX] = 0;
  registers[REG_RIP] += access.length;
}

/// Carries the kernel's access out; on the kernel's own stack, because the scalar unit may have to
/// wait and other kernels run meanwhile.
void serve(int, siginfo_t* info, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto addr = number(info->si_addr);
  if (addr == number(g_window.behind)) {
    const Pending done = g_pending;
    std::array<std::uint8_t, 64> value;
    std::memcpy(value.data(), g_window.bytes + done.addr, done.bytes);
    // Where the kernel is, if the store throws.
    registers[REG_RIP] = static_cast<greg_t>(done.rip);
    store(done.addr, value.data(), done.bytes);
    registers[REG_RIP] = static_cast<greg_t>(done.next);
    return;
  }
  const auto rip = static_cast<std::uint64_t>(registers[REG_RIP]);
  const Copy copy = copy_of(rip);
  if (copy.code == nullptr) return carry_out_string(copy.access, registers);
  const std::uint8_t bytes = copy.access.bytes;
  if (copy.access.loads) {
    std::array<std::uint8_t, 64> value;
    load(addr, value.data(), bytes);
    std::memcpy(g_window.bytes + addr, value.data(), bytes);
  }
  if (copy.access.stores) g_pending = {addr, bytes, rip, rip + copy.access.length};
  registers[REG_RIP] = static_cast<greg_t>(number(copy.code));
}

/// The head of the frame of a signal, as the kernel of Linux puts it on a stack: the address to
/// return to, the context and the information; the state of the vector registers lies behind it.
struct SignalFrame {
  static constexpr std::size_t kContextBytes = 304;
  static constexpr std::size_t kBytes = 8 + kContextBytes + sizeof(siginfo_t);
};

/// Bytes of the vector registers' state at `state`.
std::size_t state_bytes(const std::uint8_t* state) {
  constexpr std::uint32_t kExtended = 0x46505853;
  std::uint32_t magic = 0, bytes = 0;
  std::memcpy(&magic, state + 464, 4);
  std::memcpy(&bytes, state + 468, 4);
  return magic == kExtended ? bytes : 512;
}

/// Lets serve() run as if the signal had been delivered on the stack of the kernel: moves the frame
/// of the signal there. Handlers have a stack of their own, which may not be kept while other
/// kernels run.
void serve_on_kernel_stack(void* context) {
  auto* uc = static_cast<ucontext_t*>(context);
  greg_t* registers = uc->uc_mcontext.gregs;
  const auto* frame = static_cast<std::uint8_t*>(context) - 8;
  const auto* state = reinterpret_cast<const std::uint8_t*>(uc->uc_mcontext.fpregs);
  const std::size_t bytes = state_bytes(state);
  const std::uint64_t top = static_cast<std::uint64_t>(registers[REG_RSP]) - kRedZone;
  const std::uint64_t new_state = (top - bytes) & ~std::uint64_t{63};
  // As behind a call: 8 below a multiple of 16.
  const std::uint64_t new_frame = ((new_state - SignalFrame::kBytes) & ~std::uint64_t{15}) - 8;
  std::memcpy(reinterpret_cast<void*>(new_state), state, bytes);
  std::memcpy(reinterpret_cast<void*>(new_frame), frame, SignalFrame::kBytes);
  auto* moved = reinterpret_cast<ucontext_t*>(new_frame + 8);
  moved->uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(new_state);
  registers[REG_RSP] = static_cast<greg_t>(new_frame);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uint64_t>(&serve));
  registers[REG_RDI] = SIGSEGV;
  registers[REG_RSI] = static_cast<greg_t>(new_frame + 8 + SignalFrame::kContextBytes);
  registers[REG_RDX] = static_cast<greg_t>(new_frame + 8);
  constexpr greg_t kDirection = 0x400;
  registers[REG_EFL] &= ~kDirection;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((g_before.sa_flags & SA_SIGINFO) != 0) return g_before.sa_sigaction(signal, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
    return g_before.sa_handler(signal);
  }
  // The access is repeated and ends the process.
  std::signal(signal, SIG_DFL);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto addr = number(info->si_addr);
  const bool local = g_running_kernel.local_pointers && pthread_equal(pthread_self(), g_thread) &&
                     (addr < kLocalBytes || addr == number(g_window.behind)) && info->si_code > 0;
  if (!local) return pass_on(signal, info, context);
  const auto stack =
      static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  // Without a stack of its own, the handler runs on the kernel's already.
  constexpr std::uint64_t kNear = 32768;
  if (number(context) < stack && stack - number(context) < kNear) {
    return serve(signal, info, context);
  }
  serve_on_kernel_stack(context);
}

}  // namespace

void serve_local_pointers() {
  if (!make_window()) return;
  g_thread = pthread_self();
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  g_before = now;
  struct sigaction own {};
  own.sa_sigaction = on_fault;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &own, nullptr);
}

#else

void serve_local_pointers() {}

#endif

}  // namespace davsim::isa
