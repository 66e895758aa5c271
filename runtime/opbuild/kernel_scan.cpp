#include "runtime/opbuild/kernel_scan.hpp"

#include <sys/wait.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "runtime/opbuild/key_expression.hpp"

namespace davsim::opbuild {
namespace {

// What a macro of isa/include/ascendc/operator_tiling.h becomes under DAVSIM_SCAN_KERNEL.
constexpr std::string_view kKey = "davsim_scan_tiling_key(";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

struct Output {
  std::string text;
  int status = 0;
};

Output output_of(const std::string& command) {
  Output output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::invalid_argument("cannot run: " + command);
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), count);
  }
  output.status = pclose(pipe);
  return output;
}

std::string preprocess(const CompilerCommand& compiler, const std::filesystem::path& source,
                       const std::string& core) {
  std::string command;
  for (const std::string& word : compiler) command += quoted(word) + " ";
  command += "-E -dU -x c++ -DASCENDC_CPU_DEBUG=1 -DDAVSIM_SCAN_KERNEL -D__DAV_C220_" + core +
             "__=1 -D__DAV_" + core + "__=1 " + quoted(source.string());
  const Output output = output_of(command + " 2>/dev/null");
  if (!WIFEXITED(output.status) || WEXITSTATUS(output.status) != 0) {
    // Again for what was said, without the source up to there.
    throw std::invalid_argument("the kernel's source cannot be preprocessed: " + command + "\n" +
                                output_of(command + " 2>&1 >/dev/null").text);
  }
  return output.text;
}

/// Lines of files of others than davsim and the compiler, and directives of all.
struct Lines {
  std::string code;
  std::vector<std::string> defines;
};

bool is_foreign(const std::string& marker) {
  for (const char* known :
       {"/isa/include/", "/isa/core/", "/isa/instr/", "/isa/numeric/", "/isa/exec/",
        "/runtime/op_host/include/", "\"/usr/include/", "\"/usr/lib/", "\"<"}) {
    if (marker.find(known) != std::string::npos) return false;
  }
  return true;
}

Lines split(const std::string& text) {
  Lines lines;
  bool foreign = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      foreign = is_foreign(line);
    } else if (line.starts_with("#define ")) {
      if (foreign) lines.defines.push_back(line.substr(8));
    } else if (foreign && !line.starts_with("#")) {
      lines.code += line + "\n";
    }
  }
  return lines;
}

/// What stands in the parentheses that open before `from`, split at its outermost commas.
std::vector<std::string> arguments_at(const std::string& text, std::size_t from) {
  std::vector<std::string> arguments(1);
  int depth = 1;
  bool in_text = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_text = !in_text;
    if (!in_text) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0) break;
      if (c == ',' && depth == 1) {
        arguments.emplace_back();
        continue;
      }
    }
    arguments.back() += c;
  }
  return arguments;
}

bool names(const std::string& code, std::string_view word) {
  const auto is_word = [&](std::size_t i) {
    return i < code.size() &&
           (std::isalnum(static_cast<unsigned char>(code[i])) != 0 || code[i] == '_');
  };
  for (std::size_t i = code.find(word); i != std::string::npos; i = code.find(word, i + 1)) {
    if ((i == 0 || !is_word(i - 1)) && !is_word(i + word.size())) return true;
  }
  return false;
}

bool names_any(const std::string& code, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (names(code, word)) return true;
  }
  return false;
}

/// What KERNEL_TASK_TYPE says, preprocessed: on which types of cores a kernel runs.
struct TaskType {
  std::string_view name;
  bool cube, vector;
};
constexpr TaskType kTaskTypes[] = {{"kAivOnly", false, true},
                                   {"kAicOnly", true, false},
                                   {"kMix11", true, true},
                                   {"kMix12", true, true}};

/// What a source says of its cores, and else what it names.
void look_for_cores(const std::string& code, KernelScan& scan) {
  for (const TaskType& type : kTaskTypes) {
    if (!names(code, type.name)) continue;
    scan.multiplies |= type.cube;
    scan.computes_vectors |= type.vector;
  }
  if (names(code, "davsim_kernel_type_mark_default")) return;
  scan.multiplies |= names_any(code, {"Mmad", "Matmul", "MatmulImpl", "mad", "ASCEND_IS_AIC"});
  scan.computes_vectors |= names_any(code, {"VECIN", "VECOUT", "VECCALC", "ASCEND_IS_AIV"});
}

void look_at(const Lines& lines, const std::set<std::string>& interesting, KernelScan& scan) {
  const std::string& code = lines.code;
  for (std::size_t i = code.find(kKey); i != std::string::npos; i = code.find(kKey, i + 1)) {
    for (const std::string& key : arguments_at(code, i + kKey.size())) {
      try {
        scan.keys.insert(evaluate(key, 0));
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(std::string("TILING_KEY_IS takes a number; ") + error.what());
      }
    }
  }
  for (const std::string& define : lines.defines) {
    const std::string name = define.substr(0, define.find_first_of(" ("));
    if (interesting.count(name) > 0) scan.used_macros.insert(name);
  }
  look_for_cores(code, scan);
}

}  // namespace

KernelScan scan_kernel(const CompilerCommand& compiler, const std::filesystem::path& source,
                       const std::set<std::string>& interesting) {
  KernelScan scan;
  for (const char* core : {"VEC", "CUBE"}) {
    look_at(split(preprocess(compiler, source, core)), interesting, scan);
  }
  return scan;
}

}  // namespace davsim::opbuild
