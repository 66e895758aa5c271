// A task of a graph, which nothing here runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exe_graph/runtime/exe_res_generation_context.h"
#include "graph/arg_desc_info.h"
#include "graph/ge_error_codes.h"

namespace ge {

class KernelLaunchInfo {
 public:
  static KernelLaunchInfo LoadFromData(const gert::ExeResGenerationContext*,
                                       const std::vector<std::uint8_t>&) {
    return {};
  }
  static KernelLaunchInfo CreateAicpuKfcTask(const gert::ExeResGenerationContext*, const char*,
                                             const char*) {
    return {};
  }
  static KernelLaunchInfo CreateHcomRecordTask(const gert::ExeResGenerationContext*,
                                               const char* = "group") {
    return {};
  }
  static KernelLaunchInfo CreateHcomWaitTask(const gert::ExeResGenerationContext*,
                                             const char* = "group") {
    return {};
  }

  std::vector<std::uint8_t> Serialize() { return {}; }
  std::uint32_t GetStreamId() const { return stream_; }
  void SetStreamId(std::uint32_t stream_id) { stream_ = stream_id; }
  std::uint32_t GetBlockDim() const { return block_dim_; }
  graphStatus SetBlockDim(std::uint32_t block_dim) {
    block_dim_ = block_dim;
    return GRAPH_SUCCESS;
  }
  const char* GetArgsFormat() const { return format_.c_str(); }
  graphStatus SetArgsFormat(const char* args_format) {
    format_ = args_format == nullptr ? "" : args_format;
    return GRAPH_SUCCESS;
  }

 private:
  std::uint32_t stream_ = 0, block_dim_ = 0;
  std::string format_;
};

/// The arguments as the text that SetArgsFormat takes, and back. davsim makes no tasks of graphs,
/// so the text is empty.
class ArgsFormatSerializer {
 public:
  static std::string Serialize(const std::vector<ArgDescInfo>&) { return ""; }
  static std::vector<ArgDescInfo> Deserialize(const std::string&) { return {}; }
};

}  // namespace ge
