#include "runtime/op_host/library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "runtime/op_host/registry.hpp"

namespace davsim::op_host {

void load_library(const std::string& path) {
  // A name without a folder would be looked for elsewhere.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    throw std::invalid_argument("the library of operators " + path + " can be loaded; " +
                                (reason == nullptr ? "it cannot" : reason));
  }
  for (const std::string& error : take_registration_errors()) {
    throw std::invalid_argument("the library of operators " + path + ": " + error);
  }
}

}  // namespace davsim::op_host
