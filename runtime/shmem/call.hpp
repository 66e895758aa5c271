// What the calls of SHMEM for host programs share: their errors, and the PE they are made for.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "runtime/core/api_error.hpp"
#include "runtime/shmem/pe.hpp"

namespace davsim::shmem {

/// Ends a call with `code`.
class CallError : public std::runtime_error {
 public:
  CallError(aclshmem_error_code_t code, const std::string& what)
      : std::runtime_error(what), code(code) {}
  aclshmem_error_code_t code;
};

inline aclshmem_error_code_t code_of(aclError code) {
  switch (code) {
    case ACL_ERROR_INVALID_PARAM:
    case ACL_ERROR_RT_PARAM_INVALID:
      return ACLSHMEM_INVALID_PARAM;
    case ACL_ERROR_RT_MEMORY_ALLOCATION:
    case ACL_ERROR_BAD_ALLOC:
      return ACLSHMEM_MALLOC_FAILED;
    default:
      return ACLSHMEM_INNER_ERROR;
  }
}

/// Runs the body of the interface's `function`. Most of them have no result, so that what it throws
/// is told on standard error.
template <class Body>
int call(const char* function, Body&& body) noexcept {
  int code = ACLSHMEM_SUCCESS;
  std::string what;
  try {
    body();
    return code;
  } catch (const CallError& error) {
    code = error.code;
    what = error.what();
  } catch (const runtime::ApiError& error) {
    code = code_of(error.code);
    what = error.what();
  } catch (const std::exception& error) {
    code = ACLSHMEM_INNER_ERROR;
    what = error.what();
  }
  std::fflush(stdout);
  std::fprintf(stderr, "davsim: %s: %s (error %d)\n", function, what.c_str(), code);
  return code;
}

/// The same with a result; `failed` where there is none.
template <class Result, class Body>
Result call_for(const char* function, Result failed, Body&& body) noexcept {
  Result result = failed;
  call(function, [&] { result = body(); });
  return result;
}

/// The PE of the calling thread. Throws CallError where there is none.
inline std::shared_ptr<Pe> own_pe() {
  auto pe = Pes::instance().of_thread();
  if (pe != nullptr) return pe;
  throw CallError(ACLSHMEM_NOT_INITED, "the thread's device is no PE: call aclshmemx_init_attr");
}

inline void require_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw CallError(ACLSHMEM_INVALID_PARAM, std::string(name) + " is a null pointer");
  }
}

/// A team of this PE. Throws CallError where it is in no such one.
inline const aclshmemx_team_t& require_team(const Pe& pe, aclshmem_team_t team) {
  const aclshmemx_team_t* const of = pe.team(team);
  if (of != nullptr) return *of;
  throw CallError(ACLSHMEM_INVALID_PARAM,
                  "team is " + std::to_string(team) + ", which this PE is not in");
}

}  // namespace davsim::shmem
