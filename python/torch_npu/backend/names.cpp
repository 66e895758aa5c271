// The name of the device: "npu". Torch 2 has a function for it. Torch 1.13 knows the backend as
// "privateuseone" only, so there the two functions of c10 that read and write names of devices are
// replaced: calls of libraries that are loaded already lead here by their tables of addresses, and
// libraries that are loaded later find these definitions before those of c10.
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR >= 2

namespace {
const bool named = [] {
  c10::register_privateuse1_backend("npu");
  return true;
}();
}  // namespace

#else

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#define DEVICE_OF_TEXT "_ZN3c106DeviceC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define DEVICE_TYPE_NAME "_ZN3c1014DeviceTypeNameB5cxx11ENS_10DeviceTypeEb"

namespace {

/// Programs that name cuda mean npu: torch_npu.contrib.transfer_to_npu.
std::atomic<bool> g_cuda_is_npu = false;

/// Whether `text` is a device of this name, with or without a number.
bool names(const std::string& text, const std::string& name) {
  return text.rfind(name, 0) == 0 && (text.size() == name.size() || text[name.size()] == ':');
}

using DeviceOfText = void (*)(c10::Device*, const std::string&);
using DeviceTypeName = std::string (*)(c10::DeviceType, bool);

template <class Function>
Function of_c10(const char* symbol) {
  static void* const library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function>(dlsym(library, symbol));
}

}  // namespace

__attribute__((visibility("default"))) void davsim_device_of_text(
    c10::Device* device, const std::string& text) __asm__(DEVICE_OF_TEXT);
__attribute__((visibility("default"))) std::string davsim_device_type_name(
    c10::DeviceType type, bool lower_case) __asm__(DEVICE_TYPE_NAME);

void davsim_device_of_text(c10::Device* device, const std::string& text) {
  static const auto original = of_c10<DeviceOfText>(DEVICE_OF_TEXT);
  if (names(text, "npu")) {
    original(device, "privateuseone" + text.substr(3));
  } else if (g_cuda_is_npu && names(text, "cuda")) {
    original(device, "privateuseone" + text.substr(4));
  } else {
    original(device, text);
  }
}

extern "C" void davsim_torch_cuda_is_npu(int on) {
  g_cuda_is_npu = on != 0;
}

std::string davsim_device_type_name(c10::DeviceType type, bool lower_case) {
  static const auto original = of_c10<DeviceTypeName>(DEVICE_TYPE_NAME);
  if (type == c10::DeviceType::PrivateUse1) return lower_case ? "npu" : "NPU";
  return original(type, lower_case);
}

namespace {

#if defined(__x86_64__)
constexpr unsigned kCallEntry = R_X86_64_JUMP_SLOT, kAddressEntry = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned kCallEntry = R_AARCH64_JUMP_SLOT, kAddressEntry = R_AARCH64_GLOB_DAT;
#else
#error "davsim: torch 1.13 with npu runs on x86-64 and AArch64; use torch 2 on other hosts"
#endif

struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {nullptr, nullptr};
  std::size_t bytes[2] = {0, 0};
};

Dynamic dynamic_of(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  Dynamic found;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      case DT_STRTAB:
        found.strings = reinterpret_cast<const char*>(address);
        break;
      case DT_JMPREL:
        found.tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_PLTRELSZ:
        found.bytes[0] = entry->d_un.d_val;
        break;
      case DT_RELA:
        found.tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_RELASZ:
        found.bytes[1] = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return found;
}

void lead_to(void** entry, void* function) {
  if (*entry == function) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const start =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(entry) & ~(page - 1));
  // The linker may have made the table read-only after it filled it. It is left writable.
  if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0) *entry = function;
}

int lead_calls(dl_phdr_info* object, std::size_t, void*) {
  // The kernel's own object has its tables elsewhere and calls nothing of c10.
  if (object->dlpi_name == nullptr || std::strstr(object->dlpi_name, ".so") == nullptr) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const Dynamic dynamic = dynamic_of(*object, object->dlpi_phdr[i]);
    for (int table = 0; table < 2; ++table) {
      const auto* entry = dynamic.tables[table];
      if (entry == nullptr || dynamic.symbols == nullptr || dynamic.strings == nullptr) continue;
      for (const auto* end = entry + dynamic.bytes[table] / sizeof *entry; entry != end; ++entry) {
        const unsigned type = ELF64_R_TYPE(entry->r_info);
        if (type != kCallEntry && type != kAddressEntry) continue;
        const char* const name =
            dynamic.strings + dynamic.symbols[ELF64_R_SYM(entry->r_info)].st_name;
        auto** const at = reinterpret_cast<void**>(object->dlpi_addr + entry->r_offset);
        if (std::strcmp(name, DEVICE_OF_TEXT) == 0) {
          lead_to(at, reinterpret_cast<void*>(&davsim_device_of_text));
        } else if (std::strcmp(name, DEVICE_TYPE_NAME) == 0) {
          lead_to(at, reinterpret_cast<void*>(&davsim_device_type_name));
        }
      }
    }
  }
  return 0;
}

const bool led = [] {
  dl_iterate_phdr(lead_calls, nullptr);
  return true;
}();

}  // namespace

#endif
