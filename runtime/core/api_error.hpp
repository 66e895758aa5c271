// How the functions of the interface fail: a code of the documentation, and a text for
// aclGetRecentErrMsg.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "acl/acl_base.h"

namespace davsim::runtime {

/// Ends a call of the interface with `code`.
class ApiError : public std::runtime_error {
 public:
  ApiError(aclError code, const std::string& message) : std::runtime_error(message), code(code) {}
  aclError code;
};

/// Keeps the text about a failure for the calling thread.
void remember_error(const char* function, aclError code, const std::string& message);
/// The text that is kept, which is forgotten; null if there is none.
const char* take_error();
/// The code of the calling thread's last call that failed; ACL_SUCCESS if none did.
aclError last_code(bool forget);

/// Throws ApiError for a wrong argument: with ACL_ERROR_RT_PARAM_INVALID in functions of the
/// runtime, with ACLNN_ERR_PARAM_INVALID in those of tensors and operators.
[[noreturn]] void refuse_rt(const std::string& what);
[[noreturn]] void refuse_aclnn(const std::string& what);

/// Runs the body of the interface's `function`; what it throws becomes the code that is returned.
template <class Body>
aclError api_call(const char* function, Body&& body) noexcept {
  aclError code = ACL_SUCCESS;
  std::string message;
  try {
    body();
    return ACL_SUCCESS;
  } catch (const ApiError& error) {
    code = error.code;
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = ACL_ERROR_BAD_ALLOC;
    message = "the host ran out of memory";
  } catch (const std::exception& error) {
    code = ACL_ERROR_INTERNAL_ERROR;
    message = error.what();
  }
  remember_error(function, code, message);
  return code;
}

/// Passes on what went wrong with a call of the interface that this one makes; `part` says which.
inline void require_success(aclError code, const std::string& part = "") {
  if (code == ACL_SUCCESS) return;
  const char* const why = take_error();
  throw ApiError(code, part + (why == nullptr ? "it failed" : why));
}

/// Throws ApiError(ACL_ERROR_INVALID_PARAM) for a null pointer.
inline void require_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, std::string(name) + " is a null pointer");
  }
}

/// The same for a size of 0.
inline void require_size(std::size_t size) {
  if (size == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "size is 0");
}

}  // namespace davsim::runtime
