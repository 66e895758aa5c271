#include "runtime/core/api_error.hpp"

#include <utility>

#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

namespace davsim::runtime {
namespace {

struct Texts {
  std::string recent, taken;
  aclError code = ACL_SUCCESS;
};

Texts& texts() {
  static thread_local Texts of_this_thread;
  return of_this_thread;
}

}  // namespace

void refuse_rt(const std::string& what) {
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID, what);
}

void refuse_aclnn(const std::string& what) {
  throw ApiError(ACLNN_ERR_PARAM_INVALID, what);
}

void remember_error(const char* function, aclError code, const std::string& message) {
  texts().code = code;
  texts().recent = std::string(function) + ": " + message + " (" + std::to_string(code) + ")";
}

const char* take_error() {
  Texts& mine = texts();
  if (mine.recent.empty()) return nullptr;
  mine.taken = std::move(mine.recent);
  mine.recent.clear();
  return mine.taken.c_str();
}

aclError last_code(bool forget) {
  return forget ? std::exchange(texts().code, ACL_SUCCESS) : texts().code;
}

}  // namespace davsim::runtime
