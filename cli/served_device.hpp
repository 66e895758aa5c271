// A device that answers requests: `davsim serve`. docs/python.md lists the messages.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/kept_call.hpp"
#include "cli/result.hpp"
#include "cli/served_kernels.hpp"
#include "kernels/registry/operator.hpp"
#include "sim/device/device.hpp"

namespace davsim::cli {

struct ServeOptions {
  std::string soc;
  std::vector<std::string> set;  ///< "NAME=VALUE", parameters of the SoC
  bool functional = false;
  std::uint64_t max_cycles = 0;
  std::uint32_t threads = 2;
  int memory_file = memory::GlobalMemory::kNotShared;
  int socket = -1;  ///< of the client; messages about crashes go there
};

class ServedDevice {
 public:
  /// Throws UsageError. The process must not have another device.
  explicit ServedDevice(const ServeOptions& options);

  /// What the client learns first: the SoC and the size of its memory.
  boost::json::object hello() const;
  /// The lines that answer a request, each with its end. Errors of any kind become an answer.
  std::string answer(std::string_view request);

 private:
  std::string answer_to(const boost::json::object& request);
  boost::json::object allocate(const boost::json::object& request);
  std::string run(const boost::json::object& request);
  std::string launch(const boost::json::object& request);
  std::string run(const boost::json::object& request, const operators::Operator& op,
                  operators::Call call);
  KernelLaunch kernel_launch(const boost::json::object& request) const;
  boost::json::object load_operators(const boost::json::object& request);
  void release(const boost::json::object& request);
  /// The tensor in whose bytes the device address lies, and where it starts.
  std::pair<std::uint64_t, const operators::Tensor&> holder_of(std::uint64_t offset) const;
  operators::TensorMap tensors_of(const boost::json::object& request);
  operators::RunResult simulate(const boost::json::object& request, operators::Call& call,
                                Result& result, boost::json::object& printed);
  boost::json::array hold(const operators::Operator& op, const operators::TensorMap& outputs);

  ServeOptions options_;
  sim::SocConfig soc_;
  sim::Device device_;
  ServedKernels kernels_;
  KeptCall kept_;
  std::set<std::string> loaded_operators_;
  std::map<std::uint64_t, operators::Tensor> held_;  ///< by device address
  bool launched_ = false;                            ///< L2 holds what earlier runs left
};

}  // namespace davsim::cli
