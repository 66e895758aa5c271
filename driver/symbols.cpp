#include "driver/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "driver/process.hpp"

namespace davsim::driver {
namespace {

/// Reads plain structures from a file's bytes.
class Reader {
 public:
  Reader(std::string bytes, const std::string& path) : bytes_(std::move(bytes)), path_(path) {}

  template <class T>
  T at(std::size_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
      throw std::runtime_error(path_ + " is no ELF object, or it is cut off");
    }
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::string string(std::size_t offset) const {
    if (offset >= bytes_.size()) throw std::runtime_error(path_ + " is cut off");
    return {bytes_.data() + offset};
  }

 private:
  std::string bytes_;
  std::string path_;
};

/// Takes a list of template arguments off the end of a demangled name.
void drop_arguments(std::string& name) {
  if (name.empty() || name.back() != '>') return;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return name.resize(i);
  }
}

}  // namespace

std::vector<Symbol> defined_functions(const std::string& path) {
  const Reader file(read_file(path), path);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw std::runtime_error(path + " is no ELF object of 64 bits");
  }
  std::vector<Symbol> symbols;
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    const auto section = file.at<Elf64_Shdr>(header.e_shoff + s * header.e_shentsize);
    if (section.sh_type != SHT_SYMTAB || section.sh_entsize == 0) continue;
    const auto strings = file.at<Elf64_Shdr>(header.e_shoff + section.sh_link * header.e_shentsize);
    for (std::size_t at = 0; at < section.sh_size; at += section.sh_entsize) {
      const auto symbol = file.at<Elf64_Sym>(section.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      symbols.push_back({file.string(strings.sh_offset + symbol.st_name),
                         ELF64_ST_BIND(symbol.st_info) == STB_LOCAL});
    }
  }
  return symbols;
}

namespace {

/// Empty if the name is not mangled, or is that of a clone of a function ([clone .part.0]).
std::string demangled_name(const std::string& mangled) {
  // The function takes types as well: a C function named f would be float.
  if (!mangled.starts_with("_Z")) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return {};
  return demangled.get();
}

/// Where the last parentheses of a demangled name open: those of the parameters.
std::size_t parameters_of(const std::string& name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

/// Where the name begins: a template's return type stands before it, behind a space that is in no
/// brackets.
std::size_t behind_return_type(const std::string& name, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (name[i] == ')' || name[i] == '>') ++depth;
    if (name[i] == '(' || name[i] == '<') --depth;
    if (name[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

}  // namespace

std::string plain_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  std::string name = readable_name(mangled, false);
  drop_arguments(name);
  return name;
}

std::string readable_name(const std::string& mangled, bool with_parameters) {
  const std::string name = demangled_name(mangled);
  if (name.empty()) return mangled;
  if (name.ends_with(']')) return {};
  const std::size_t end = parameters_of(name);
  const std::size_t begin = behind_return_type(name, end);
  return name.substr(begin, with_parameters ? name.npos : end - begin);
}

std::string symbol_spelling(const std::string& name) {
  std::string spelled;
  for (std::size_t at = 0; at < name.size();) {
    const bool is_long = name.compare(at, 2, "\\U") == 0;
    if (!is_long && name.compare(at, 2, "\\u") != 0) {
      spelled += name[at++];
      continue;
    }
    const std::size_t digits = is_long ? 8 : 4;
    const unsigned long letter = std::strtoul(name.substr(at + 2, digits).c_str(), nullptr, 16);
    at += 2 + digits;
    const auto byte = [&](unsigned long marker, int shift, unsigned long mask) {
      spelled += static_cast<char>(marker | (letter >> shift & mask));
    };
    if (letter < 0x800) {
      byte(0xc0, 6, 0x1f);
    } else if (letter < 0x10000) {
      byte(0xe0, 12, 0xf);
      byte(0x80, 6, 0x3f);
    } else {
      byte(0xf0, 18, 0x7);
      byte(0x80, 12, 0x3f);
      byte(0x80, 6, 0x3f);
    }
    byte(0x80, 0, 0x3f);
  }
  return spelled;
}

}  // namespace davsim::driver
