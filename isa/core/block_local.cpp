// The section tables of the files say where the sections are, because nothing in memory names them.
// A file that was seen once is not read again. Static variables of functions follow behind the
// sections. A core whose values were put aside before a variable became known has that variable at
// the end.
#include "isa/core/block_local.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace davsim::isa {

bool BlockLocals::exist_ = false;
BlockLocals* BlockLocals::running_ = nullptr;

namespace {

using Section = std::span<std::byte>;

/// What language.h calls them, each with a number behind it.
constexpr std::string_view kSectionName = "davsim_block_local";

template <typename T>
std::vector<T> read_table(std::ifstream& file, std::uint64_t at, std::size_t count) {
  std::vector<T> table(count);
  file.seekg(static_cast<std::streamoff>(at));
  file.read(reinterpret_cast<char*>(table.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) table.clear();
  return table;
}

/// Of the file that is loaded at `base`.
std::vector<Section> sections_of_file(const std::string& path, std::uint64_t base) {
  std::vector<Section> found;
  std::ifstream file(path, std::ios::binary);
  const auto head = read_table<ElfW(Ehdr)>(file, 0, 1);
  if (head.empty() || std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto sections = read_table<ElfW(Shdr)>(file, head[0].e_shoff, head[0].e_shnum);
  if (sections.empty() || head[0].e_shstrndx >= sections.size()) return found;
  const auto& strings = sections[head[0].e_shstrndx];
  auto names = read_table<char>(file, strings.sh_offset, strings.sh_size);
  names.push_back('\0');
  for (const auto& section : sections) {
    if (section.sh_name >= names.size() || (section.sh_flags & SHF_ALLOC) == 0) continue;
    if (!std::string_view(&names[section.sh_name]).starts_with(kSectionName)) continue;
    found.emplace_back(reinterpret_cast<std::byte*>(base + section.sh_addr), section.sh_size);
  }
  return found;
}

struct Found {
  std::vector<Section> sections;
  std::vector<std::byte> initial;  ///< what they held when they were found
};

struct Binaries {
  unsigned long long loads = 0, unloads = 0;  ///< of the process, when they were looked at
  std::map<std::pair<std::string, std::uint64_t>, Found> files;
  std::vector<Found> statics;  ///< variables of functions, a section each
  std::vector<Section> sections;
  std::vector<std::byte> initial;

  void append(const Found& found) {
    sections.insert(sections.end(), found.sections.begin(), found.sections.end());
    initial.insert(initial.end(), found.initial.begin(), found.initial.end());
  }
  void append_all() {
    sections.clear();
    initial.clear();
    for (const auto& [file, found] : files) append(found);
    for (const Found& found : statics) append(found);
  }
};

Binaries& binaries() {
  static Binaries all;
  return all;
}

std::vector<std::byte> values_of(const std::vector<Section>& sections) {
  std::vector<std::byte> values;
  for (const Section section : sections) {
    values.insert(values.end(), section.begin(), section.end());
  }
  return values;
}

/// Variables that were told of later than `values` were put aside have their initial values.
void set_values(const Binaries& all, const std::vector<std::byte>& values) {
  std::size_t at = 0;
  for (const Section section : all.sections) {
    const auto& from = at + section.size() <= values.size() ? values : all.initial;
    std::memcpy(section.data(), from.data() + at, section.size());
    at += section.size();
  }
}

int look_at(dl_phdr_info* info, std::size_t, void* loaded) {
  // The program itself has no name.
  const std::string path = *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
  static_cast<std::vector<std::pair<std::string, std::uint64_t>>*>(loaded)->emplace_back(
      path, info->dlpi_addr);
  return 0;
}

int count_loads(dl_phdr_info* info, std::size_t, void* counts) {
  auto& all = *static_cast<Binaries*>(counts);
  all.loads = info->dlpi_adds;
  all.unloads = info->dlpi_subs;
  return 1;
}

/// Looks again if a library was loaded or unloaded since.
const Binaries& current_binaries() {
  Binaries& all = binaries();
  const auto loads = all.loads, unloads = all.unloads;
  dl_iterate_phdr(count_loads, &all);
  if (loads == all.loads && unloads == all.unloads) return all;
  std::vector<std::pair<std::string, std::uint64_t>> loaded;
  dl_iterate_phdr(look_at, &loaded);
  std::map<std::pair<std::string, std::uint64_t>, Found> files;
  for (const auto& key : loaded) {
    const auto known = all.files.find(key);
    Found found;
    if (known != all.files.end()) {
      found = known->second;
    } else {
      found.sections = sections_of_file(key.first, key.second);
      found.initial = values_of(found.sections);
    }
    files.emplace(key, std::move(found));
  }
  all.files = std::move(files);
  all.append_all();
  return all;
}

}  // namespace

std::vector<std::span<std::byte>> block_local_sections() {
  return current_binaries().sections;
}

BlockLocals::~BlockLocals() {
  if (running_ == this) running_ = nullptr;
}

void BlockLocals::begin_block() {
  const Binaries& all = current_binaries();
  exist_ = !all.sections.empty();
  if (!exist_) return;
  values_ = all.initial;
  bring_back();
  running_ = this;
}

void BlockLocals::end_block() {
  if (running_ == this) running_ = nullptr;
}

void BlockLocals::bring_back() {
  const Binaries& all = binaries();
  if (running_ != nullptr && running_ != this) running_->values_ = values_of(all.sections);
  set_values(all, values_);
}

}  // namespace davsim::isa

extern "C" void davsim_tell_static(void* place, std::size_t bytes) {
  using namespace davsim::isa;
  const Section section(static_cast<std::byte*>(place), bytes);
  Found found{{section}, {section.begin(), section.end()}};
  Binaries& all = binaries();
  all.append(found);
  all.statics.push_back(std::move(found));
  BlockLocals::exist_ = true;
}

extern "C" void davsim_forget_static(void* place) {
  using namespace davsim::isa;
  Binaries& all = binaries();
  std::erase_if(all.statics, [&](const Found& found) { return found.sections[0].data() == place; });
  all.append_all();
}
