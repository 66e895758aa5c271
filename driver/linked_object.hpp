// The object of a source with kernels: its host code, the halves of its kernels and their list.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/core_type.hpp"
#include "driver/pass.hpp"
#include "driver/process.hpp"
#include "driver/scan.hpp"
#include "driver/toolchain.hpp"

namespace davsim::driver {

class LinkedObject {
 public:
  /// What the runtime is told about all kernels of the source.
  struct Facts {
    bool auto_sync;
    bool local_pointers;
    bool symmetric_memory;
  };

  /// `scan` says which kernels the source has.
  LinkedObject(const Toolchain& toolchain, const TemporaryFolder& temporary, const Scan& scan,
               Facts facts)
      : toolchain_(toolchain), temporary_(temporary), scan_(scan), facts_(facts) {}

  /// Makes everything of a compiled half local but its kernels, which get names of their own.
  void add_half(Half half, const Pass& pass);
  /// Writes `object` of the host's code, the halves and the list of kernels.
  void link(const Pass& host, const std::string& object);

 private:
  /// One kernel, or one instance of a template.
  struct Entry {
    const Kernel* kernel;
    bool in_cube = false;
    bool in_vector = false;
  };
  /// Functions of the host's code, and whether they are local.
  using Functions = std::map<std::string, bool>;

  const Kernel* kernel_of(const std::string& symbol) const;
  void compile_list(const Functions& host_functions) const;
  std::string kernel_list(const Functions& host_functions) const;
  std::string shown_name(const std::string& symbol) const;

  const Toolchain& toolchain_;
  const TemporaryFolder& temporary_;
  const Scan& scan_;
  Facts facts_;
  std::map<std::string, Entry> entries_;  ///< by the symbol of the function
  std::vector<std::string> objects_;      ///< of the halves
};

}  // namespace davsim::driver
