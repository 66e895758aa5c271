// Models of the vendor's compiler, which davsim refuses, and the data sets that programs make for
// them.
#include <string>
#include <vector>

#include "acl/acl_mdl.h"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

struct aclmdlDataset {
  std::vector<aclDataBuffer*> buffers;
};
struct aclmdlDesc {};

namespace {

aclError refuse_model(const char* function) {
  return api_call(function, [] {
    throw ApiError(ACL_ERROR_FEATURE_UNSUPPORTED,
                   "davsim runs kernels and operators, and no models of graphs (.om)");
  });
}

}  // namespace

aclError aclmdlLoadFromFile(const char*, uint32_t*) {
  return refuse_model("aclmdlLoadFromFile");
}
aclError aclmdlLoadFromMem(const void*, size_t, uint32_t*) {
  return refuse_model("aclmdlLoadFromMem");
}
aclError aclmdlLoadFromFileWithMem(const char*, uint32_t*, void*, size_t, void*, size_t) {
  return refuse_model("aclmdlLoadFromFileWithMem");
}
aclError aclmdlLoadFromMemWithMem(const void*, size_t, uint32_t*, void*, size_t, void*, size_t) {
  return refuse_model("aclmdlLoadFromMemWithMem");
}
aclError aclmdlQuerySize(const char*, size_t*, size_t*) {
  return refuse_model("aclmdlQuerySize");
}
aclError aclmdlUnload(uint32_t) {
  return refuse_model("aclmdlUnload");
}
aclError aclmdlExecute(uint32_t, const aclmdlDataset*, aclmdlDataset*) {
  return refuse_model("aclmdlExecute");
}
aclError aclmdlExecuteAsync(uint32_t, const aclmdlDataset*, aclmdlDataset*, aclrtStream) {
  return refuse_model("aclmdlExecuteAsync");
}
aclError aclmdlSetDynamicBatchSize(uint32_t, aclmdlDataset*, size_t, uint64_t) {
  return refuse_model("aclmdlSetDynamicBatchSize");
}

aclmdlDesc* aclmdlCreateDesc() {
  return new aclmdlDesc;
}
aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
  return api_call("aclmdlDestroyDesc", [&] {
    require_pointer(modelDesc, "modelDesc");
    delete modelDesc;
  });
}
aclError aclmdlGetDesc(aclmdlDesc*, uint32_t) {
  return refuse_model("aclmdlGetDesc");
}
size_t aclmdlGetNumInputs(aclmdlDesc*) {
  return 0;
}
size_t aclmdlGetNumOutputs(aclmdlDesc*) {
  return 0;
}
size_t aclmdlGetInputSizeByIndex(aclmdlDesc*, size_t) {
  return 0;
}
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc*, size_t) {
  return 0;
}
const char* aclmdlGetInputNameByIndex(const aclmdlDesc*, size_t) {
  return "";
}
const char* aclmdlGetOutputNameByIndex(const aclmdlDesc*, size_t) {
  return "";
}
aclError aclmdlGetInputIndexByName(const aclmdlDesc*, const char*, size_t*) {
  return refuse_model("aclmdlGetInputIndexByName");
}
aclDataType aclmdlGetInputDataType(const aclmdlDesc*, size_t) {
  return ACL_DT_UNDEFINED;
}
aclDataType aclmdlGetOutputDataType(const aclmdlDesc*, size_t) {
  return ACL_DT_UNDEFINED;
}
aclFormat aclmdlGetInputFormat(const aclmdlDesc*, size_t) {
  return ACL_FORMAT_UNDEFINED;
}
aclFormat aclmdlGetOutputFormat(const aclmdlDesc*, size_t) {
  return ACL_FORMAT_UNDEFINED;
}
aclError aclmdlGetInputDims(const aclmdlDesc*, size_t, aclmdlIODims*) {
  return refuse_model("aclmdlGetInputDims");
}
aclError aclmdlGetOutputDims(const aclmdlDesc*, size_t, aclmdlIODims*) {
  return refuse_model("aclmdlGetOutputDims");
}
aclError aclmdlGetCurOutputDims(const aclmdlDesc*, size_t, aclmdlIODims*) {
  return refuse_model("aclmdlGetCurOutputDims");
}

aclmdlDataset* aclmdlCreateDataset() {
  return new aclmdlDataset;
}
aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
  return api_call("aclmdlDestroyDataset", [&] {
    require_pointer(dataset, "dataset");
    delete dataset;
  });
}
aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
  return api_call("aclmdlAddDatasetBuffer", [&] {
    require_pointer(dataset, "dataset");
    require_pointer(dataBuffer, "dataBuffer");
    dataset->buffers.push_back(dataBuffer);
  });
}
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
  return dataset == nullptr ? 0 : dataset->buffers.size();
}
aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
  if (dataset == nullptr || index >= dataset->buffers.size()) return nullptr;
  return dataset->buffers[index];
}
