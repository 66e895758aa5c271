#include "driver/help_text.hpp"

namespace davsim::driver {

std::string help_text() {
  return R"(usage: davsim-cc [OPTIONS] FILE...

Compiles and links C++ sources with kernels and the host code that launches them. The program runs
its kernels on a simulated device.

  -o FILE                     the executable, object or library to write; a.out if there is none
  -c, -dc                     compile into an object, which holds host code and kernels
  -shared, --shared           link a shared library
  -lib                        make a static library
  -x asc, -xcce               the sources that follow hold kernels; so do .asc and .cce files, and
                              others in which __global__ or <<< stands, or in a file of the
                              user's that they include
  -I -D -U -include -isystem  as for g++
  -O -g -std -f -m -W -w      as for g++; kernels are optimised by -O2 unless an -O is given, and
                              the standard is C++20 at least
  -l -L -Wl, -Xlinker         as for g++
  -M -MM -MD -MMD -MF -MT -MP as for g++
  -E                          write what the compiler gets of the host code
  --npu-arch=dav-2201, --cce-aicore-arch=dav-c220[-vec|-cube]
                              the architecture; there is one
  --cce-auto-sync[=on|off]    whether synchronisation is inserted where the kernel has none (on)
  --run-mode=npu|sim|cpu      cpu: ASCENDC_CPU_DEBUG is defined, and main() uses ICPU_RUN_KF
  --davsim-launch-headers=DIR write DIR/aclrtlaunch_<kernel>.h for each kernel without template
                              parameters, and define the function that it declares
  --davsim-launch-functions   only define these functions
  --davsim-module             link a shared library for a process that has the simulator itself,
                              such as a device of Python
  -v                          show the commands
  --help, --version

Other options of the vendor's compilers are accepted: --cce-soc-version, --cce-soc-core-type and the
like mean nothing here, unknown values of -mllvm and unknown --cce- options are ignored with a
warning.

DAVSIM_CXX names another compiler than g++, DAVSIM_CC_CACHE the folder of compiled headers and
objects (~/.cache/davsim; empty: nothing is kept). See davsim-cc(1) and docs/porting.md.
)";
}

}  // namespace davsim::driver
