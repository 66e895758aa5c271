// What the two phases of an aclnn function have in common, whatever carries the operator out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "opdev/op_executor.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/stream.hpp"

namespace davsim::runtime {

/// What a first phase leaves to the second.
class Executor : public aclOpExecutor {
 public:
  Executor();
  ~Executor() override;

  /// Whether an executor lives at the address: programs may use one twice.
  static bool lives(const aclOpExecutor* executor);

  virtual const std::string& type() const = 0;  ///< of the operator
  /// Queues the operator on a stream. Throws ApiError.
  virtual void launch(const std::shared_ptr<Stream>& stream, void* workspace,
                      std::uint64_t bytes) = 0;
};

/// Throws ApiError(161001) for a null pointer.
void require_aclnn(const void* pointer, const char* name);

/// The second phase of the operator `type`, of any if it is empty: queues it. An executor serves
/// once unless it is repeatable.
void run_executor(const std::string& type, void* workspace, std::uint64_t bytes,
                  aclOpExecutor* executor, aclrtStream stream);

/// Whether a code is one of aclnn: 161xxx, 361xxx and 561xxx.
inline bool is_aclnn(aclError code) {
  const int family = code / 1000;
  return family == 161 || family == 361 || family == 561;
}

/// Runs a phase. Codes of the runtime are one code of aclnn; the text has the runtime's.
template <class Body>
aclnnStatus phase(const std::string& function, Body&& body) {
  return api_call(function.c_str(), [&] {
    try {
      body();
    } catch (const ApiError& error) {
      if (is_aclnn(error.code)) throw;
      throw ApiError(ACLNN_ERR_RUNTIME_ERROR,
                     std::string(error.what()) + " (" + std::to_string(error.code) + ")");
    } catch (const std::exception& error) {
      throw ApiError(ACLNN_ERR_INNER, error.what());
    }
  });
}

}  // namespace davsim::runtime
