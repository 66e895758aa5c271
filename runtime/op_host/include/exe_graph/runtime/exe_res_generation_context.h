// What functions are given that plan the streams and tasks of a graph's node. There are no graphs
// here: such functions compile, and none of them is called. So nothing that they ask for exists,
// and what they set has no place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/ascend_string.h"

namespace gert {

enum class ExecuteMode { kStaticOffloadExecute, kDynamicExecute, kEnd };

struct StreamInfo {
  ge::AscendString name, reuse_key;
  std::vector<std::int64_t> depend_value_input_indices = {};
  bool required = true, is_valid = false;
  std::int64_t stream_id = -1;
};

enum class SyncResType { SYNC_RES_EVENT, SYNC_RES_NOTIFY, END };

struct SyncResInfo {
  SyncResType type;
  ge::AscendString name, reuse_key;
  bool required = true, is_valid = false;
  std::int32_t sync_res_id = -1;
};

class ExeResGenerationContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  ExecuteMode GetExecuteMode() const { return ExecuteMode::kEnd; }
  bool IsConstInput(const ge::AscendString&) const { return false; }
  const StorageShape* GetInputShape(std::int64_t) const { return nullptr; }
  const StorageShape* GetOutputShape(std::int64_t) const { return nullptr; }
  ge::graphStatus SetAttachedStreamInfos(std::vector<StreamInfo>&) const {
    return ge::GRAPH_FAILED;
  }
  std::vector<StreamInfo> GetAttachedStreamInfos() const { return {}; }
  std::int64_t GetStreamId() const { return -1; }
  ge::graphStatus SetSyncResInfos(std::vector<SyncResInfo>&) const { return ge::GRAPH_FAILED; }
  std::vector<SyncResInfo> GetSyncResInfos() const { return {}; }
  std::vector<std::int64_t> GetWorkspaceBytes() const { return {}; }
  void SetWorkspaceBytes(const std::vector<std::int64_t>&) const {}
  std::int64_t GetOpId() const { return -1; }
  ge::graphStatus SetListStr(const std::string&, const std::vector<std::string>&) const {
    return ge::GRAPH_FAILED;
  }
  bool GetStrAttrVal(const char*, ge::AscendString&) const { return false; }
  bool SetStrAttrVal(const char*, const char*) const { return false; }
  bool GetIntAttrVal(const char*, std::int64_t&) const { return false; }
  bool SetIntAttrVal(const char*, std::int64_t) const { return false; }
};

/// Of functions that say whether a graph's node can have an operator's kernel.
class OpCheckContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const StorageShape* GetInputShape(std::int64_t) const { return nullptr; }
  const StorageShape* GetOutputShape(std::int64_t) const { return nullptr; }
};

}  // namespace gert
