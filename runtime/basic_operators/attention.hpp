// Functions of attention as calls of davsim's operator fused_infer_attention_score_v2.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/basic_operators/device_operators.hpp"

namespace davsim::basic {

/// Tokens without limit.
inline constexpr std::int64_t kAllTokens = 2147483647;

/// Parameters of all versions of the functions, as those of fused_infer_attention_score_v2.
class Attention {
 public:
  void query(const aclTensor* tensor, const char* layout);
  void keys(const aclTensorList* key, const aclTensorList* value);
  void keys(const aclTensor* key, const aclTensor* value);
  void masks(const aclTensor* shift, const char* shift_name, const aclTensor* mask,
             const char* mask_name, std::int64_t sparse_mode, std::int64_t pre_tokens,
             std::int64_t next_tokens);
  void lengths(const aclIntArray* of_query, const aclIntArray* of_key);
  void pages(const aclTensor* table, const char* name, std::int64_t rows);
  void quantised_output(const aclTensor* scale, const char* scale_name, const aclTensor* offset,
                        const char* offset_name);
  void heads(std::int64_t of_query, std::int64_t of_key, double scale, std::int64_t precise);
  void quantised_keys(const aclTensor* scale, const aclTensor* offset, std::int64_t mode);
  void quantised_values(const aclTensor* scale, const aclTensor* offset, std::int64_t mode);
  /// One tensor that has those of the keys and behind them those of the values.
  void quantised_both(WorkList& work, const aclTensor* scale, const aclTensor* offset,
                      std::int64_t mode);
  void rope(const aclTensor* query, const aclTensor* key);
  void add(WorkList& work, const aclTensor* out, const aclTensor* lse, bool wants_lse);

 private:
  void add(const char* name, const aclTensor* tensor, const char* parameter);
  /// Decode keeps a first dimension of 1 in each half, prefill none.
  void add_halves(WorkList& work, const aclTensor* both, const char* parameter,
                  const std::string& name);

  OperatorCall call_{"fused_infer_attention_score_v2", {}, {}, {}};
  const aclTensor* query_ = nullptr;
  std::string layout_;
};

}  // namespace davsim::basic
