#include "driver/pass.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "driver/buffer_arrays.hpp"
#include "driver/core_conditions.hpp"
#include "driver/device_code.hpp"
#include "driver/file_states.hpp"
#include "driver/messages.hpp"
#include "driver/mixed_choices.hpp"

namespace davsim::driver {
namespace {

constexpr std::string_view kLaunchHeader = "runtime/kernel_launch.hpp";
constexpr std::string_view kKernelHeader = "kernel_operator.h";
/// What the vendor's compiler knows without a header.
constexpr const char* kIntrinsicsHeader = "ascendc/intrinsics.h";
constexpr const char* kArgumentHeader = "ascendc/launch_argument.h";
constexpr std::string_view kLanguageHeader = "/ascendc/language.h\"";

void append(Command& command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
}

/// Whether the source itself includes the kernel API, with no macro of its own before that, and it
/// can thus come before everything else.
bool includes_kernel_api(const std::string& source) {
  const std::string text = read_file(source);
  for (std::size_t at = text.find(kKernelHeader); at != text.npos;
       at = text.find(kKernelHeader, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find("include") == text.npos) continue;
    return text.substr(0, line).find("define") == text.npos;
  }
  return false;
}

/// Pointers into buffers are offsets that begin at 0, and an access through one may wait, and throw
/// where the launch ends meanwhile. Copies and fills become instructions, because functions of the
/// library use others than compilers make for a single access. See isa/core/local_pointer.hpp.
Command local_pointer_flags() {
  Command flags = {"-fno-isolate-erroneous-paths-dereference", "-fnon-call-exceptions",
                   "-fno-tree-loop-distribute-patterns", "-Wno-array-bounds",
                   "-Wno-stringop-overflow"};
#ifdef __x86_64__
  append(flags, {"-minline-all-stringops", "-mmemcpy-strategy=rep_8byte:-1:noalign",
                 "-mmemset-strategy=rep_8byte:-1:noalign"});
#endif
  return flags;
}

/// The folders of -isystem DIR and -isystemDIR that are not the host's; takes these options out.
std::vector<std::string> take_system_folders(Command& options) {
  constexpr std::string_view kOption = "-isystem";
  std::vector<std::string> folders;
  Command others;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string folder;
    if (options[i] == kOption && i + 1 < options.size()) {
      folder = options[++i];
    } else if (options[i].starts_with(kOption)) {
      folder = options[i].substr(kOption.size());
    }
    if (folder.empty()) {
      others.push_back(options[i]);
    } else if (folder.starts_with("/usr/")) {
      others.insert(others.end(), {std::string(kOption), folder});
    } else {
      folders.push_back(folder);
    }
  }
  options = std::move(others);
  return folders;
}

/// Marks what comes from the folders as headers of the system, in which nobody wants warnings.
std::string with_system_marks(const std::string& text, const std::vector<std::string>& folders) {
  if (folders.empty()) return text;
  std::string marked;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    marked += line;
    const std::size_t open = line.starts_with("# ") ? line.find('"') : line.npos;
    const bool is_theirs =
        open != line.npos && std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
          return line.substr(open + 1).starts_with(folder + "/");
        });
    if (is_theirs && line.find(" 3", line.rfind('"')) == line.npos) marked += " 3";
    marked += '\n';
    at = end + 1;
  }
  return marked;
}

}  // namespace

Command core_macros(Half half) {
  const std::string unit = half == Half::kCube ? "CUBE" : "VEC";
  return {"-D__CCE_AICORE__=220", "-D__CCE_IS_AICORE__=1", "-D__DAV_C220_" + unit + "__=1",
          "-D__DAV_" + unit + "__=1"};
}

Command profile_names(const Options& options, const std::string& source,
                      const std::string& object) {
  if (options.profile.empty()) return {};
  namespace fs = std::filesystem;
  // As g++ does: beside the object, or in this folder where the object is gone after the link.
  const fs::path name = options.action == Action::kCompile ? fs::path(object).replace_extension()
                                                           : fs::path(source).stem();
  const std::string folder = fs::absolute(name).parent_path();
  const std::string extension = fs::path(source).extension();
  return {"-dumpdir",      folder + "/", "-dumpbase", name.filename().string() + extension,
          "-dumpbase-ext", extension};
}

Command host_flags(const Options& options, const Toolchain& toolchain) {
  Command flags = {"-std=" + options.standard, "-D__NPU_HOST__=1"};
  if (!options.optimisation.empty()) flags.push_back(options.optimisation);
  append(flags, options.compiler);
  append(flags, options.profile);
  append(flags, options.sanitizers);
  flags.insert(flags.end(), options.preprocessor.begin(), options.preprocessor.end());
  for (const std::string& include : toolchain.includes) {
    flags.insert(flags.end(), {"-isystem", include});
  }
  return flags;
}

Pass::Pass(const Options& options, const Toolchain& toolchain, std::optional<Half> half,
           const std::string& source, const TemporaryFolder& temporary)
    : options_(options),
      toolchain_(toolchain),
      half_(half),
      source_(source),
      temporary_(temporary) {
  if (!includes_kernel_api(source)) return;
  std::vector<std::string> headers = {std::string(kKernelHeader)};
  if (!half_) headers.emplace_back(kLaunchHeader);
  header_ = cached_header(toolchain, headers, flags());
}

std::string Pass::name() const {
  if (!half_) return "host";
  return *half_ == Half::kCube ? "aic" : "aiv";
}

Command Pass::flags() const {
  Command flags = {"-std=" + options_.standard};
  append(flags, toolchain_.flags);
  // Kernels run millions of times: without a wish of the user's they are optimised.
  if (!options_.optimisation.empty()) {
    flags.push_back(options_.optimisation);
  } else if (half_) {
    flags.emplace_back("-O2");
  }
  append(flags, options_.compiler);
  if (!half_) {
    append(flags, options_.profile);
    append(flags, options_.sanitizers);
  }
  append(flags, {"-DDAVSIM_CC=1", "-D__CCE__=1", "-D__NPU_ARCH__=2201"});
  // Words of the device's language that need no header; those with a meaning stay as they are.
  flags.push_back("-D__aicore__=" + std::string(half_ ? "" : kDeviceMark));
  for (const char* word : {"__gm__", "__ubuf__", "__cbuf__", "__ca__", "__cb__", "__cc__",
                           "__fbuf__", "__biasbuf__", "__tf__", "__in__", "__out__"}) {
    flags.push_back("-D" + std::string(word) + "=");
  }
  for (const char* word : {"__global__", "__vector__", "__cube__"}) {
    flags.push_back("-D" + std::string(word) + "=" + word);
  }
  // Marks for the vendor's simulator. A trace here has every instruction with its line.
  for (const char* mark : {"TRACE_START", "TRACE_STOP"}) {
    flags.push_back("-D" + std::string(mark) + "(...)=static_cast<void>(0)");
  }
  if (options_.cpu_mode) append(flags, {"-DASCENDC_CPU_DEBUG=1", "-D__CCE_KT_TEST__=1"});
  if (!half_) {
    // The parameters of device functions are left unused, and so is what only these use.
    // GNU's unique symbols would be those of the copy that was loaded first, and a kernel of the
    // second one would be without parameters.
    append(flags, {"-D__NPU_HOST__=1", "-fno-gnu-unique", "-Wno-unused-parameter",
                   "-Wno-unused-function"});
  } else {
    flags.emplace_back("-D__NPU_DEVICE__=1");
    append(flags, core_macros(*half_));
    append(flags, toolchain_.kernel_flags);
    // Each half leaves the other's helpers unused. GNU's unique symbols cannot be made local.
    // Sections let go of what only the host uses. Kernels read the bits of a float through other
    // pointers.
    append(flags, {"-fno-gnu-unique", "-ffunction-sections", "-fdata-sections",
                   "-fno-strict-aliasing", "-Wno-unused-parameter", "-Wno-unused-variable",
                   "-Wno-unused-function", "-Wno-unused-but-set-variable", "-Wno-unused-value"});
  }
  if (half_) append(flags, local_pointer_flags());
  // What __forceinline__ stands before need not say inline, and no other function takes its place.
  append(flags, {"-fno-semantic-interposition", "-Wno-attributes", "-Wno-unknown-pragmas"});
  return flags;
}

std::string Pass::header_identity() const {
  return header_ ? header_->identity : "";
}

void Pass::look_at_failure(const std::string& log) const {
  if (!header_ || !blames_compiled_header(log)) return;
  // One that fits no address now may do so the next time.
  if (log.find("relocate") == log.npos) forget_header(*header_);
  throw CompiledHeaderFailed();
}

void Pass::run_with_header(Command command) const {
  if (isatty(STDERR_FILENO) != 0) command.emplace_back("-fdiagnostics-color=always");
  const int status = Process(command, file(".log")).wait();
  const std::string log = read_file(file(".log"));
  if (status != 0) look_at_failure(log);
  std::cerr << log;
  if (status != 0) throw Failed{status};
}

std::string Pass::preprocess(const Command& more) {
  Command command = {toolchain_.compiler, "-x", "c++", "-E"};
  append(command, flags());
  if (header_) {
    append(command, {"-fpch-preprocess", "-include", header_->header});
  } else if (!half_) {
    append(command, {"-include", std::string(kLaunchHeader)});
  }
  if (bare_) append(command, {"-include", kIntrinsicsHeader, "-include", kArgumentHeader});
  // Libraries of templates are read as the user's own files are, wherever they lie.
  Command own = options_.preprocessor;
  for (const std::string& folder : take_system_folders(own)) append(own, {"-I", folder});
  append(command, own);
  for (const std::string& include : toolchain_.includes) append(command, {"-isystem", include});
  append(command, more);
  append(command, {source_, "-o", file(".ii")});
  if (header_) {
    run_with_header(command);
  } else {
    run(command);
  }
  std::string text = read_file(file(".ii"));
  if (!bare_ && text.find(kLanguageHeader) == text.npos && uses_intrinsics(user_files(text))) {
    bare_ = true;
    return preprocess(more);
  }
  add_marked_files(text, files_);
  text = with_buffer_arrays(std::move(text));
  if (header_) files_.insert(header_->files.begin(), header_->files.end());
  return text;
}

Process Pass::compile(const std::string& text, const Command& more) const {
  Command own = options_.preprocessor;
  write_file(file(".ii"), with_system_marks(text, take_system_folders(own)));
  Command command = {toolchain_.compiler, "-x", "c++-cpp-output",
                     "-fpreprocessed",    "-c", kColumnsInBytes};
  append(command, flags());
  if (header_) command.emplace_back("-fpch-preprocess");
  if (isatty(STDERR_FILENO) != 0) command.emplace_back("-fdiagnostics-color=always");
  append(command, more);
  append(command, {file(".ii"), "-o", file(".o")});
  return Process(command, file(".log"));
}

}  // namespace davsim::driver
