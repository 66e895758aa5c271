// What the examples share on the host side: arguments, the device, its memory, a trace, how a run
// ends. `example [SOC] [--trace FILE] [--check]`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "checker/checker.hpp"
#include "isa/instr/fault.hpp"
#include "isa/numeric/half.hpp"
#include "sim/device/device.hpp"
#include "traces/chrome/chrome_trace.hpp"

namespace example {

using davsim::isa::half;
using davsim::sim::Device;

/// `count` elements of the device's global memory, set to `value(i)`.
template <class T, class Value>
std::span<T> tensor(Device& device, std::size_t count, const char* name, Value value) {
  T* data = reinterpret_cast<T*>(device.memory().allocate(count * sizeof(T), name));
  for (std::size_t i = 0; i < count; ++i) data[i] = T(value(i));
  return {data, count};
}

/// The tensor as a kernel's parameter.
template <class T>
std::uint8_t* gm(std::span<T> tensor) {
  return reinterpret_cast<std::uint8_t*>(tensor.data());
}

/// Says which element is wrong; true if `wrong` is false.
inline bool right(bool wrong, const char* what, std::size_t index, double expected, double got) {
  if (wrong) {
    std::printf("%s, element %zu: expected %.9g, the kernel gave %.9g\n", what, index, expected,
                got);
  }
  return !wrong;
}

inline void print(const char* what, const davsim::observe::LaunchReport& report) {
  std::printf("%s: right; %llu cycles, %.2f us on %u blocks of %s\n", what,
              static_cast<unsigned long long>(report.cycles), report.time_us(), report.block_dim,
              report.soc.c_str());
}

/// The trace that --trace asks for.
class Trace {
 public:
  explicit Trace(const std::string& file) : stream_(file), trace_(stream_), file_(file) {
    if (!stream_) throw std::runtime_error("cannot write " + file);
  }
  davsim::traces::ChromeTrace& observer() { return trace_; }
  void finish() {
    trace_.finish();
    std::printf("trace in %s: open it with https://ui.perfetto.dev\n", file_.c_str());
  }

 private:
  std::ofstream stream_;
  davsim::traces::ChromeTrace trace_;
  std::string file_;
};

/// Makes the device and runs `body`, which launches kernels and checks their results. `models`: the
/// memory models of the device, where they are not those of its description. Exit status:
/// 0 all right, 1 a wrong result, 2 wrong usage, 4 the kernel did what the hardware forbids.
inline int run(int argc, char** argv, const std::function<bool(Device&)>& body,
               const std::map<std::string, std::string>& models = {}) {
  std::string soc = "Ascend910B3", trace_file;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--trace" && i + 1 < argc) {
      trace_file = argv[++i];
    } else if (argument == "--check") {
      check = true;
    } else if (argument.rfind("--", 0) != 0) {
      soc = argument;
    } else {
      std::fprintf(stderr, "usage: %s [SOC] [--trace FILE] [--check]\n", argv[0]);
      return 2;
    }
  }
  try {
    davsim::sim::SocConfig config = davsim::sim::SocConfig::named(soc);
    for (const auto& [kind, model] : models) config.set("Models", kind, model);
    Device device(std::move(config));
    std::unique_ptr<Trace> trace;
    if (!trace_file.empty()) {
      trace = std::make_unique<Trace>(trace_file);
      device.attach(&trace->observer());
    }
    davsim::checker::Checker checker;
    if (check) device.check(&checker);
    const bool all_right = body(device);
    device.check(nullptr);
    if (trace != nullptr) {
      device.attach(nullptr);
      trace->finish();
    }
    if (check) std::printf("%s", davsim::checker::text_of(checker.findings()).c_str());
    if (checker.findings().open() > 0) return 4;
    return all_right ? 0 : 1;
  } catch (const davsim::isa::Fault& fault) {
    std::fprintf(stderr, "%s:%u: %s\n", fault.where.file_name(),
                 static_cast<unsigned>(fault.where.line()), fault.what());
    return 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace example
