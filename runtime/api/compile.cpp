// Kernels that a program compiles while it runs.
#include "acl/acl_rt_compile.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/api_error.hpp"
#include "runtime/core/compiler.hpp"
#include "runtime/core/kernel_binaries.hpp"

using namespace davsim::runtime;

namespace {

constexpr int kUsageError = 2;  // of davsim-cc

struct Program {
  std::string source, name;
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  bool compiled = false;
  std::string log, binary;
};

class Programs {
 public:
  static Programs& instance() {
    static auto* all = new Programs();  // static variables of the program may still use it
    return *all;
  }
  Program* add(Program program) {
    const std::lock_guard lock(mutex_);
    auto made = std::make_unique<Program>(std::move(program));
    Program* const handle = made.get();
    programs_[handle] = std::move(made);
    return handle;
  }
  Program& at(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(handle);
    if (found == programs_.end()) {
      throw ApiError(ACL_ERROR_RTC_INVALID_PROG, "the program does not exist, or not any more");
    }
    return *found->second;
  }
  void remove(void* handle) {
    at(handle);
    const std::lock_guard lock(mutex_);
    programs_.erase(handle);
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::unique_ptr<Program>> programs_;
};

void require_input(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw ApiError(ACL_ERROR_RTC_INVALID_INPUT, std::string(name) + " is a null pointer");
  }
}

Program& compiled(void* handle) {
  Program& program = Programs::instance().at(handle);
  if (!program.compiled) {
    throw ApiError(ACL_ERROR_RTC_INVALID_PROG,
                   "the program is not compiled; aclrtcCompileProg does that");
  }
  return program;
}

/// The source with a function for each name, whose address of the kernel instantiates templates.
std::string text_of(Program& program) {
  std::string text = program.source + "\n";
  for (std::size_t i = 0; i < program.expressions.size(); ++i) {
    const std::string name = kNamedKernel + std::to_string(i);
    program.lowered[program.expressions[i]] = name;
    text += "extern \"C\" __attribute__((visibility(\"default\"))) void* " + name +
            "() { const auto kernel = &" + program.expressions[i] +
            "; return reinterpret_cast<void*>(kernel); }\n";
  }
  return text;
}

void compile(Program& program, int count, const char** options) {
  const CompilerFolder folder;
  const std::string source = folder.file(program.name), binary = folder.file("kernels.so");
  std::ofstream(source) << text_of(program);
  std::vector<std::string> arguments = {"-x", "asc", source, "--davsim-module", "-fPIC"};
  for (int i = 0; i < count; ++i) {
    require_input(options[i], "an option");
    arguments.emplace_back(options[i]);
  }
  arguments.insert(arguments.end(), {"-o", binary});
  const CompilerRun run = run_compiler(arguments);
  program.log = run.log;
  if (run.status != 0) {
    throw ApiError(
        run.status == kUsageError ? ACL_ERROR_RTC_INVALID_OPTION : ACL_ERROR_RTC_COMPILATION,
        "the program does not compile; aclrtcGetCompileLog says why");
  }
  std::ifstream file(binary, std::ios::binary);
  program.binary.assign(std::istreambuf_iterator<char>(file), {});
  program.compiled = true;
}

}  // namespace

aclError aclrtcCreateProg(aclrtcProg* prog, const char* src, const char* name, int numHeaders,
                          const char**, const char**) {
  return api_call("aclrtcCreateProg", [&] {
    require_input(prog, "prog");
    require_input(src, "src");
    if (numHeaders != 0) {
      throw ApiError(ACL_ERROR_RTC_INVALID_INPUT,
                     "numHeaders is " + std::to_string(numHeaders) + ", allowed is 0");
    }
    std::string own = name == nullptr ? "" : name;
    own = own.substr(own.rfind('/') + 1);
    *prog = Programs::instance().add(
        {src, own.empty() ? "default_program" : own, {}, {}, false, {}, {}});
  });
}

aclError aclrtcDestroyProg(aclrtcProg* prog) {
  return api_call("aclrtcDestroyProg", [&] {
    require_input(prog, "prog");
    Programs::instance().remove(*prog);
    *prog = nullptr;
  });
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char** options) {
  return api_call("aclrtcCompileProg", [&] {
    Program& program = Programs::instance().at(prog);
    if (numOptions > 0) require_input(options, "options");
    compile(program, numOptions, options);
  });
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char* nameExpression) {
  return api_call("aclrtcAddNameExpr", [&] {
    Program& program = Programs::instance().at(prog);
    require_input(nameExpression, "nameExpression");
    program.expressions.emplace_back(nameExpression);
  });
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char* nameExpression,
                              const char** loweredName) {
  return api_call("aclrtcGetLoweredName", [&] {
    const Program& program = compiled(prog);
    require_input(nameExpression, "nameExpression");
    require_input(loweredName, "loweredName");
    const auto found = program.lowered.find(nameExpression);
    if (found == program.lowered.end()) {
      throw ApiError(ACL_ERROR_RTC_INVALID_INPUT,
                     "aclrtcAddNameExpr was not given " + std::string(nameExpression));
    }
    *loweredName = found->second.c_str();
  });
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t* binDataSizeRet) {
  return api_call("aclrtcGetBinDataSize", [&] {
    require_input(binDataSizeRet, "binDataSizeRet");
    *binDataSizeRet = compiled(prog).binary.size();
  });
}

aclError aclrtcGetBinData(aclrtcProg prog, char* binData) {
  return api_call("aclrtcGetBinData", [&] {
    require_input(binData, "binData");
    const std::string& binary = compiled(prog).binary;
    std::memcpy(binData, binary.data(), binary.size());
  });
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t* logSizeRet) {
  return api_call("aclrtcGetCompileLogSize", [&] {
    require_input(logSizeRet, "logSizeRet");
    *logSizeRet = Programs::instance().at(prog).log.size() + 1;
  });
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char* log) {
  return api_call("aclrtcGetCompileLog", [&] {
    require_input(log, "log");
    const std::string& text = Programs::instance().at(prog).log;
    std::memcpy(log, text.c_str(), text.size() + 1);
  });
}
