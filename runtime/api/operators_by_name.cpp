// Operators of projects by name.
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "acl/acl_op_compiler.h"
#include "runtime/aclnn/named_call.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

struct aclopHandle {
  std::string type;
  std::vector<aclTensorDesc*> inputs, outputs;  ///< its own
  aclopAttr attributes;
  ~aclopHandle() {
    for (const auto* descs : {&inputs, &outputs}) {
      for (aclTensorDesc* desc : *descs) aclDestroyTensorDesc(desc);
    }
  }
};

namespace {

using Value = ops::OpAttrDef::Value;

void put(aclopAttr* attr, const char* name, Value value) {
  require_pointer(attr, "attr");
  require_pointer(name, "attrName");
  attr->values[name] = std::move(value);
}

aclError set_attribute(aclopAttr* attr, const char* name, Value value) {
  return api_call("aclopSetAttr", [&] { put(attr, name, std::move(value)); });
}

void require_list(int count, const void* values) {
  if (count >= 0 && (count == 0 || values != nullptr)) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "numValues is " + std::to_string(count) +
                                              (values == nullptr ? " and values is null" : ""));
}

template <class To, class From>
aclError set_list(aclopAttr* attr, const char* name, int count, const From* values) {
  return api_call("aclopSetAttrList", [&] {
    require_list(count, values);
    put(attr, name, std::vector<To>(values, values + count));
  });
}

template <class Desc, class Buffer>
std::vector<NamedTensor> tensors_of(int count, Desc* const* descs, Buffer* const* buffers,
                                    const char* name) {
  if (count < 0) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, std::string(name) + " is " + std::to_string(count));
  }
  std::vector<NamedTensor> tensors(static_cast<std::size_t>(count));
  if (count == 0) return tensors;
  require_pointer(descs, "desc");
  require_pointer(buffers, "buffers");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    require_pointer(descs[i], "a description");
    tensors[i] = {descs[i], buffers[i]};
  }
  return tensors;
}

template <class Desc, class Buffer, class OutBuffer>
aclError execute(const char* function, const char* type, int inputs, Desc* const* input_descs,
                 Buffer* const* input_buffers, int outputs, Desc* const* output_descs,
                 OutBuffer* const* output_buffers, const aclopAttr* attr, aclrtStream stream) {
  return api_call(function, [&] {
    require_pointer(type, "opType");
    run_named({type, tensors_of(inputs, input_descs, input_buffers, "numInputs"),
               tensors_of(outputs, output_descs, output_buffers, "numOutputs"), attr},
              stream);
  });
}

std::vector<aclTensorDesc*> copies_of(int count, const aclTensorDesc* const* descs) {
  std::vector<aclTensorDesc*> copies;
  for (int i = 0; i < count; ++i) {
    require_pointer(descs[i], "a description");
    std::vector<std::int64_t> shape(aclGetTensorDescNumDims(descs[i]));
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = aclGetTensorDescDim(descs[i], d);
    copies.push_back(aclCreateTensorDesc(aclGetTensorDescType(descs[i]),
                                         static_cast<int>(shape.size()), shape.data(),
                                         aclGetTensorDescFormat(descs[i])));
  }
  return copies;
}

/// Handles that live.
struct Handles {
  std::mutex mutex;
  std::set<const aclopHandle*> all;
};

Handles& handles() {
  static auto* known = new Handles;  // static variables of the program may still use it
  return *known;
}

}  // namespace

aclError aclopSetModelDir(const char* modelDir) {
  return api_call("aclopSetModelDir", [&] {
    require_pointer(modelDir, "modelDir");
    std::error_code ignored;
    if (std::filesystem::is_directory(modelDir, ignored)) return;
    throw ApiError(ACL_ERROR_INVALID_FILE, std::string(modelDir) + " is no folder");
  });
}

aclError aclopLoad(const void* model, size_t modelSize) {
  return api_call("aclopLoad", [&] {
    require_pointer(model, "model");
    if (modelSize == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "modelSize is 0");
  });
}

aclopAttr* aclopCreateAttr() {
  return new (std::nothrow) aclopAttr();
}

void aclopDestroyAttr(const aclopAttr* attr) {
  delete attr;
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
  return set_attribute(attr, attrName, attrValue != 0);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
  return set_attribute(attr, attrName, attrValue);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
  return set_attribute(attr, attrName, static_cast<double>(attrValue));
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return set_attribute(attr, attrName, std::string(attrValue == nullptr ? "" : attrValue));
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
  return set_attribute(attr, attrName, static_cast<std::int64_t>(attrValue));
}

aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues,
                                  const aclDataType values[]) {
  return set_list<std::int64_t>(attr, attrName, numValues, values);
}

aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues,
                                const char** values) {
  return api_call("aclopSetAttrListString", [&] {
    require_list(numValues, values);
    // No operator's definition has such a list: the call refuses the attribute by its name.
    put(attr, attrName, std::monostate());
  });
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues,
                              const uint8_t* values) {
  return set_list<bool>(attr, attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues,
                             const int64_t* values) {
  return set_list<std::int64_t>(attr, attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues,
                               const float* values) {
  return set_list<double>(attr, attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists,
                                 const int* numValues, const int64_t* const values[]) {
  const auto refuse = [](const std::string& what) {
    return api_call("aclopSetAttrListListInt",
                    [&] { throw ApiError(ACL_ERROR_INVALID_PARAM, what); });
  };
  if (numLists < 0 || (numLists > 0 && (numValues == nullptr || values == nullptr))) {
    return refuse("numLists is " + std::to_string(numLists) + ", or a pointer is null");
  }
  std::vector<ops::OpAttrDef::Ints> lists;
  for (int i = 0; i < numLists; ++i) {
    if (numValues[i] < 0 || (numValues[i] > 0 && values[i] == nullptr)) {
      return refuse("numValues[" + std::to_string(i) + "] is " + std::to_string(numValues[i]) +
                    ", or its values are null");
    }
    lists.emplace_back(values[i], values[i] + numValues[i]);
  }
  return set_attribute(attr, attrName, std::move(lists));
}

aclError aclopExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                      const aclDataBuffer* const inputs[], int numOutputs,
                      const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[],
                      const aclopAttr* attr, aclrtStream stream) {
  return execute("aclopExecute", opType, numInputs, inputDesc, inputs, numOutputs, outputDesc,
                 outputs, attr, stream);
}

aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                        aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                        aclDataBuffer* outputs[], aclopAttr* attr, aclrtStream stream) {
  return execute("aclopExecuteV2", opType, numInputs, inputDesc, inputs, numOutputs, outputDesc,
                 outputs, attr, stream);
}

aclError aclopCompile(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                      int numOutputs, const aclTensorDesc* const outputDesc[], const aclopAttr*,
                      aclopEngineType, aclopCompileType, const char*) {
  return api_call("aclopCompile", [&] {
    require_pointer(opType, "opType");
    if (numInputs > 0) require_pointer(inputDesc, "inputDesc");
    if (numOutputs > 0) require_pointer(outputDesc, "outputDesc");
    find_named(opType);
  });
}

aclError aclopCompileAndExecute(const char* opType, int numInputs,
                                const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs,
                                const aclTensorDesc* const outputDesc[],
                                aclDataBuffer* const outputs[], const aclopAttr* attr,
                                aclopEngineType, aclopCompileType, const char*,
                                aclrtStream stream) {
  return execute("aclopCompileAndExecute", opType, numInputs, inputDesc, inputs, numOutputs,
                 outputDesc, outputs, attr, stream);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                  aclDataBuffer* inputs[], int numOutputs,
                                  aclTensorDesc* outputDesc[], aclDataBuffer* outputs[],
                                  aclopAttr* attr, aclopEngineType, aclopCompileType, const char*,
                                  aclrtStream stream) {
  return execute("aclopCompileAndExecuteV2", opType, numInputs, inputDesc, inputs, numOutputs,
                 outputDesc, outputs, attr, stream);
}

aclError aclopCreateHandle(const char* opType, int numInputs,
                           const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* opAttr,
                           aclopHandle** handle) {
  return api_call("aclopCreateHandle", [&] {
    require_pointer(opType, "opType");
    require_pointer(handle, "handle");
    find_named(opType);
    auto made = std::make_unique<aclopHandle>();
    made->type = opType;
    made->inputs = copies_of(numInputs, inputDesc);
    made->outputs = copies_of(numOutputs, outputDesc);
    if (opAttr != nullptr) made->attributes = *opAttr;
    const std::lock_guard lock(handles().mutex);
    handles().all.insert(made.get());
    *handle = made.release();
  });
}

aclError aclopExecWithHandle(aclopHandle* handle, int numInputs,
                             const aclDataBuffer* const inputs[], int numOutputs,
                             aclDataBuffer* const outputs[], aclrtStream stream) {
  {
    const std::lock_guard lock(handles().mutex);
    if (!handles().all.contains(handle)) {
      return api_call("aclopExecWithHandle", [] {
        throw ApiError(ACL_ERROR_INVALID_RESOURCE_HANDLE, "the handle is of no operator");
      });
    }
  }
  if (numInputs != static_cast<int>(handle->inputs.size()) ||
      numOutputs != static_cast<int>(handle->outputs.size())) {
    return api_call("aclopExecWithHandle", [] {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "the handle was made for other numbers of tensors");
    });
  }
  return execute("aclopExecWithHandle", handle->type.c_str(), numInputs, handle->inputs.data(),
                 inputs, numOutputs, handle->outputs.data(), outputs, &handle->attributes, stream);
}

void aclopDestroyHandle(aclopHandle* handle) {
  const std::lock_guard lock(handles().mutex);
  if (handles().all.erase(handle) > 0) delete handle;
}

aclError aclSetCompileopt(aclCompileOpt, const char*) {
  return ACL_SUCCESS;
}
