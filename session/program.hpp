// The host side of a program of one's own that launches kernels with sim::Device. It has the
// options of `davsim run`: --report, --trace, --html, --vcd, --msprof, --explain, --check,
// --max-cycles and so on, or the variables of the environment that docs/runtime.md lists.
//
//   int main(int argc, char** argv) {
//     davsim::session::Program program(argc, argv);
//     return program.run([](davsim::sim::Device& device) {
//       ...  // tensors, device.launch(), a look at the results
//       return right;
//     });
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/device/device.hpp"

namespace davsim::session {

class Program {
 public:
  enum ExitStatus : int {
    kRight = 0,
    kWrongResult = 1,  ///< the body said so
    kUsage = 2,        ///< a wrong option, or a file that cannot be written
    kFaulted = 4,      ///< a kernel went wrong, or the checker found something
  };

  /// Takes the options that it knows out of the arguments; the others stay for the program, in
  /// their order. What is wrong about an option is told by run(). `soc`: where nobody chooses one.
  Program(int& argc, char** argv, const std::string& soc = "Ascend910B3");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The options, a line each.
  static std::string options_help();
  /// Chooses a SoC, as an argument of the program's own does.
  void choose_soc(const std::string& soc);
  /// Memory models of the device by kind, in place of those of its description.
  void choose_models(std::map<std::string, std::string> models);

  /// Makes the device, calls `body`, which returns whether the results are right, and writes the
  /// files, unless a kernel went wrong. What goes wrong is told on standard error. Returns the exit
  /// status of the program. To be called once.
  int run(const std::function<bool(sim::Device&)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace davsim::session
