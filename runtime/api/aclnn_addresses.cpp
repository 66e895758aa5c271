// Other addresses for the tensors of an executor that serves again.
#include <string>

#include "aclnn/acl_meta.h"
#include "opdev/op_executor.h"
#include "runtime/aclnn/executor.hpp"

using namespace davsim::runtime;

namespace {

using Place = aclOpExecutor::Place;
using Among = Place::Among;

void require_there(const void* pointer, const char* name) {
  if (pointer != nullptr) return;
  throw ApiError(ACLNN_ERR_INNER_NULLPTR, std::string(name) + " is a null pointer");
}

aclOpExecutor& living(aclOpExecutor* executor) {
  require_there(executor, "executor");
  if (Executor::lives(executor)) return *executor;
  refuse_aclnn("the executor comes from no first phase, or was used already");
}

void set_address(aclOpExecutor& executor, const Place& place, const aclTensor* tensor,
                 void* address) {
  if (executor.set_address(place, tensor, address)) return;
  std::string which = std::to_string(place.index);
  if (place.in_list) which += ", " + std::to_string(*place.in_list) + " of its list";
  refuse_aclnn("the operator has no tensor of the device at index " + which);
}

aclnnStatus set_tensor(const char* function, aclOpExecutor* executor, const Place& place,
                       aclTensor* tensor, void* address) {
  return api_call(function, [&] {
    require_there(tensor, "tensor");
    set_address(living(executor), place, tensor, address);
    tensor->data = address;
  });
}

aclnnStatus set_in_list(const char* function, aclOpExecutor* executor, const Place& place,
                        aclTensorList* list, void* address) {
  return api_call(function, [&] {
    require_there(list, "tensors");
    const bool is_there = *place.in_list < list->Size();
    auto* const tensor = is_there ? const_cast<aclTensor*>((*list)[*place.in_list]) : nullptr;
    set_address(living(executor), place, tensor, address);
    if (tensor != nullptr) tensor->data = address;
  });
}

}  // namespace

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return set_tensor("aclSetTensorAddr", executor, {Among::kAll, index}, tensor, addr);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return set_tensor("aclSetInputTensorAddr", executor, {Among::kInputs, index}, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return set_tensor("aclSetOutputTensorAddr", executor, {Among::kOutputs, index}, tensor, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return set_in_list("aclSetDynamicTensorAddr", executor, {Among::kAll, irIndex, relativeIndex},
                     tensors, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return set_in_list("aclSetDynamicInputTensorAddr", executor,
                     {Among::kInputs, irIndex, relativeIndex}, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return set_in_list("aclSetDynamicOutputTensorAddr", executor,
                     {Among::kOutputs, irIndex, relativeIndex}, tensors, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return aclSetTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
