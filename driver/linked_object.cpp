#include "driver/linked_object.hpp"

#include <algorithm>
#include <filesystem>

#include "driver/symbols.hpp"

namespace davsim::driver {
namespace {

std::string half_name(Half half, const std::string& symbol) {
  return (half == Half::kCube ? "davsim_aic_" : "davsim_aiv_") + symbol;
}

std::string type_number(CoreType type) {
  return std::to_string(static_cast<int>(type));
}

}  // namespace

const Kernel* LinkedObject::kernel_of(const std::string& symbol) const {
  const std::string plain = plain_name(symbol);
  for (const Kernel& kernel : scan_.kernels) {
    const std::size_t colon = kernel.name.rfind(':');
    const std::string name =
        kernel.c_linkage && colon != kernel.name.npos ? kernel.name.substr(colon + 1) : kernel.name;
    if (symbol_spelling(name) == plain && (kernel.defined || kernel.is_instantiation))
      return &kernel;
  }
  return nullptr;
}

void LinkedObject::add_half(Half half, const Pass& pass) {
  Command link = {toolchain_.linker, "-r", "--force-group-allocation",
                  "--gc-sections",   "-o", pass.file(".linked.o"),
                  pass.file(".o")};
  // Host code of the source is in the half too. It is not to be initialised once more.
  Command hide = {toolchain_.objcopy, "--remove-section=.init_array*", "--remove-section=.ctors*",
                  "--remove-section=.rela.init_array*"};
  // Static functions and those of a namespace without name are kernels like others.
  Command show = {toolchain_.objcopy};
  bool any = false;
  for (const Symbol& symbol : defined_functions(pass.file(".o"))) {
    const Kernel* kernel = kernel_of(symbol.name);
    if (kernel == nullptr || !needs(*kernel, half)) continue;
    any = true;
    Entry& entry = entries_[symbol.name];
    entry.kernel = kernel;
    (half == Half::kCube ? entry.in_cube : entry.in_vector) = true;
    const std::string own = half_name(half, symbol.name);
    link.insert(link.end(), {"-u", symbol.name});
    hide.push_back("--redefine-sym=" + symbol.name + "=" + own);
    if (symbol.local) show.push_back("--globalize-symbol=" + symbol.name);
    hide.push_back("--keep-global-symbol=" + own);
  }
  if (!any) return;
  if (show.size() > 1) {
    show.push_back(pass.file(".o"));
    run(show);
  }
  run(link);
  hide.insert(hide.end(), {pass.file(".linked.o"), pass.file(".kernels.o")});
  run(hide);
  objects_.push_back(pass.file(".kernels.o"));
}

void LinkedObject::link(const Pass& host, const std::string& object) {
  if (entries_.empty()) {
    std::filesystem::copy_file(host.file(".o"), object,
                               std::filesystem::copy_options::overwrite_existing);
    return;
  }
  Functions host_functions;
  for (const Symbol& symbol : defined_functions(host.file(".o"))) {
    host_functions[symbol.name] = symbol.local;
  }
  Command show = {toolchain_.objcopy};
  Command hide = {toolchain_.objcopy, "--wildcard", "--localize-symbol=davsim_aic_*",
                  "--localize-symbol=davsim_aiv_*"};
  for (const auto& [symbol, entry] : entries_) {
    if (const auto found = host_functions.find(symbol);
        found != host_functions.end() && found->second) {
      show.push_back("--globalize-symbol=" + symbol);
      hide.push_back("--localize-symbol=" + symbol);
    }
  }
  if (show.size() > 1) {
    show.push_back(host.file(".o"));
    run(show);
  }
  compile_list(host_functions);
  Command link = {toolchain_.linker, "-r", "-o", temporary_.file("all.o"), host.file(".o")};
  link.insert(link.end(), objects_.begin(), objects_.end());
  link.push_back(temporary_.file("list.o"));
  run(link);
  hide.insert(hide.end(), {temporary_.file("all.o"), object});
  run(hide);
}

void LinkedObject::compile_list(const Functions& host_functions) const {
  write_file(temporary_.file("list.cpp"), kernel_list(host_functions));
  Command compile = {toolchain_.compiler, "-std=gnu++20", "-c", "-fPIC"};
  for (const std::string& include : toolchain_.includes) {
    compile.insert(compile.end(), {"-isystem", include});
  }
  compile.insert(compile.end(), {temporary_.file("list.cpp"), "-o", temporary_.file("list.o")});
  run(compile);
}

/// The kernels of this source, by the functions that launch them on the host.
std::string LinkedObject::kernel_list(const Functions& host_functions) const {
  std::string functions, keys, kernels;
  std::size_t number = 0;
  const auto function = [&](const std::string& symbol, char kind) {
    const std::string own = kind + std::to_string(number);
    functions += "void " + own + "() __asm__(\"" + symbol + "\");\n";
    return "&" + own;
  };
  for (const auto& [symbol, entry] : entries_) {
    const std::string id = std::to_string(number);
    keys += "const DavsimKeyedType k" + id + "[] = {";
    for (const KeyedType& key : entry.kernel->cores.keyed) {
      keys += "{" + key.key + ", " + type_number(key.type) + "}, ";
    }
    keys += "{0, 0}};\n";
    kernels += "    {\"" + shown_name(symbol) + "\", " +
               (host_functions.contains(symbol) ? function(symbol, 'h') : "nullptr") + ", " +
               (entry.in_cube ? function(half_name(Half::kCube, symbol), 'c') : "nullptr") + ", " +
               (entry.in_vector ? function(half_name(Half::kVector, symbol), 'v') : "nullptr") +
               ", " + type_number(entry.kernel->cores.type) + ", k" + id + ", " +
               std::to_string(entry.kernel->cores.keyed.size()) +
               (facts_.auto_sync ? ", DAVSIM_AUTO_SYNC" : ", 0") +
               (facts_.local_pointers ? " | DAVSIM_LOCAL_POINTERS" : "") +
               (facts_.symmetric_memory ? " | DAVSIM_SYMMETRIC_MEMORY},\n" : "},\n");
    ++number;
  }
  // A variable and no functions of the linker's, so that it leaves before the registry does.
  const std::string count = std::to_string(number);
  return "#include \"runtime/kernel_module.hpp\"\nextern \"C\" {\n" + functions +
         "}\nnamespace {\n" + keys + "const DavsimKernel kernels[] = {\n" + kernels +
         "};\nconst struct Module {\n  Module() { davsim_add_module(DAVSIM_KERNEL_VERSION, "
         "kernels, " +
         count + "); }\n  ~Module() { davsim_remove_kernels(kernels, " + count +
         "); }\n} module;\n}\n";
}

/// What reports and traces call the kernel: with template arguments, and with parameters where
/// there is an overload.
std::string LinkedObject::shown_name(const std::string& symbol) const {
  const std::string full = readable_name(symbol, true);
  const std::string name = readable_name(symbol, false);
  const auto same = std::count_if(entries_.begin(), entries_.end(), [&](const auto& other) {
    return readable_name(other.first, false) == name;
  });
  return same > 1 ? full : name;
}

}  // namespace davsim::driver
