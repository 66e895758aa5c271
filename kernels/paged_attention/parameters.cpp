// Attributes: their values, and which features may be combined.
#include <string>

#include "kernels/paged_attention/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::paged_attention {
namespace {

using E = ErrorClass;

/// An attribute that is one of `count` numbers from 0 on.
template <class Enum>
Enum choice(const Request& r, const char* name, std::int64_t count) {
  const std::int64_t value = int_attribute(r.call, name);
  require(value >= 0 && value < count, E::kAttr,
          std::string(name) + " is 0 to " + std::to_string(count - 1),
          "found " + std::to_string(value));
  return static_cast<Enum>(value);
}

void read_heads(Request& r) {
  r.heads = int_attribute(r.call, "headNum");
  require(r.heads > 0, E::kAttr, "headNum is above 0", "found " + std::to_string(r.heads));
  r.kv_heads = int_attribute(r.call, "kvHeadNum");
  require(r.kv_heads >= 0, E::kAttr, "kvHeadNum is not negative",
          "found " + std::to_string(r.kv_heads));
  if (r.kv_heads == 0) r.kv_heads = r.heads;
  require(r.heads % r.kv_heads == 0, E::kAttr, "kvHeadNum divides headNum",
          "headNum is " + std::to_string(r.heads) + ", kvHeadNum is " + std::to_string(r.kv_heads));
}

void read_values(Request& r) {
  read_heads(r);
  r.mask = choice<MaskType>(r, "maskType", 6);
  r.quant = choice<Quant>(r, "quantType", 4);
  r.razor = choice<Razor>(r, "compressType", 3);
  r.parallel = choice<std::uint8_t>(r, "calcType", 2) == 1;
  r.logn = choice<std::uint8_t>(r, "scaleType", 2) == 1;
  r.bnsd = choice<std::uint8_t>(r, "inputLayout", 2) == 1;
  r.batch_run = bool_attribute(r.call, "batchRunStatusEnable");
  r.offsets = bool_attribute(r.call, "hasQuantOffset");
  r.merged_width = int_attribute(r.call, "mlaVHeadSize");
  require(r.merged_width >= 0, E::kAttr, "mlaVHeadSize is not negative",
          "found " + std::to_string(r.merged_width));
}

/// Refuses two features that may not be combined.
void exclude(bool one, bool other, const std::string& first, const std::string& second) {
  require(!(one && other), E::kAttr, first + " is not combined with " + second,
          "both are asked for");
}

void validate_batch_run(const Request& r) {
  const char* name = "batchRunStatusEnable";
  exclude(r.batch_run, r.razor == Razor::kHeadsRope, name, "compressType 2");
  exclude(r.batch_run, r.parallel, name, "calcType 1");
}

void validate_razor(const Request& r) {
  const bool used = r.razor != Razor::kNone;
  exclude(used, r.parallel, "compressType", "calcType 1");
  exclude(used, r.full_quant(), "compressType", "quantType 2 and 3");
  exclude(used, r.logn, "compressType", "scaleType 1");
  exclude(used, r.bnsd, "compressType", "inputLayout 1");
  exclude(used, r.merged(), "compressType", "mlaVHeadSize");
  exclude(r.razor == Razor::kHeadsRope, r.quant != Quant::kNone, "compressType 2", "quantType");
  exclude(r.razor == Razor::kHeadsRope, r.mask != MaskType::kNone, "compressType 2", "a mask");
}

void validate_quant(const Request& r) {
  const bool used = r.quant != Quant::kNone;
  exclude(used, r.parallel, "quantType", "calcType 1");
  exclude(used, r.logn, "quantType", "scaleType 1");
  exclude(used, r.bnsd, "quantType", "inputLayout 1");
  exclude(r.quant == Quant::kDequantFusion, r.merged(), "quantType 1", "mlaVHeadSize");
  require(!r.offsets || r.quant == Quant::kDequantFusion, E::kAttr,
          "hasQuantOffset goes with quantType 1",
          "quantType is " + std::to_string(static_cast<int>(r.quant)));
}

void validate_remaining_pairs(const Request& r) {
  exclude(r.logn, r.parallel, "scaleType 1", "calcType 1");
  exclude(r.logn, r.bnsd, "scaleType 1", "inputLayout 1");
  exclude(r.logn, r.merged(), "scaleType 1", "mlaVHeadSize");
  exclude(r.bnsd, r.parallel, "inputLayout 1", "calcType 1");
  exclude(r.bnsd, r.merged(), "inputLayout 1", "mlaVHeadSize");
}

void validate_merged(const Request& r) {
  if (!r.merged()) return;
  require(r.kv_heads == 1, E::kAttr, "kvHeadNum is 1 with mlaVHeadSize",
          "found " + std::to_string(r.kv_heads));
  exclude(true, r.mask == MaskType::kAlibi, "mlaVHeadSize", "maskType ALIBI");
}

/// The older series' features, and its masks: those of one row a batch, and those of several.
void validate_older(const Request& r) {
  const std::string series = "the older inference series";
  exclude(r.batch_run, true, "batchRunStatusEnable", series);
  exclude(r.razor != Razor::kNone, true, "compressType", series);
  exclude(r.quant != Quant::kNone, true, "quantType", series);
  exclude(r.merged(), true, "mlaVHeadSize", series);
  const bool single = r.mask == MaskType::kNorm || r.mask == MaskType::kAlibi;
  require(r.mask == MaskType::kNone || single != r.parallel, E::kAttr,
          "maskType of the older inference series is 0, NORM or ALIBI, with calcType 1 0, SPEC, "
          "MASK_FREE or NORM_COMPRESS",
          "maskType is " + std::to_string(static_cast<int>(r.mask)));
}

/// Which masks go with one row a batch, and with several.
void validate_mask_type(const Request& r) {
  if (r.older()) return validate_older(r);
  const std::string found = "maskType is " + std::to_string(static_cast<int>(r.mask));
  require(r.mask <= MaskType::kSpec, E::kAttr,
          "maskType MASK_FREE and NORM_COMPRESS are those of the older inference series", found);
  if (!r.parallel) {
    require(r.mask != MaskType::kSpec, E::kAttr, "maskType SPEC goes with calcType 1", found);
  } else if (r.merged()) {
    require(r.mask == MaskType::kNone || r.mask == MaskType::kSpec, E::kAttr,
            "with calcType 1 and mlaVHeadSize, maskType is 0 or SPEC", found);
  } else {
    require(r.mask == MaskType::kNorm || r.mask == MaskType::kSpec, E::kAttr,
            "with calcType 1, maskType is NORM or SPEC", found);
  }
}

void read_out_type(Request& r) {
  const std::string type = string_attribute(r.call, "outDataType");
  require(type.empty() || type == "fp16" || type == "bf16", E::kAttr, "outDataType is fp16 or bf16",
          "found '" + type + "'");
  if (!r.full_quant()) return;
  require(!type.empty(), E::kAttr, "outDataType is given with quantType 2 and 3", "it is missing");
  r.out_type = type == "fp16" ? isa::DType::kF16 : isa::DType::kBF16;
}

/// A tensor that is given if, and only if, something is asked for.
void require_with(const Request& r, const char* name, bool wanted, const std::string& condition) {
  const bool given = has_tensor(r.call, name);
  require(given || !wanted, E::kNull, std::string(name) + " is required with " + condition,
          "it is missing");
  require(wanted || !given, E::kAttr, std::string(name) + " is given only with " + condition,
          "it is given");
}

}  // namespace

void read_parameters(Request& r) {
  read_values(r);
  validate_mask_type(r);
  validate_batch_run(r);
  validate_razor(r);
  validate_quant(r);
  validate_remaining_pairs(r);
  validate_merged(r);
  read_out_type(r);
}

void validate_presence(const Request& r) {
  const bool quantised = r.quant != Quant::kNone;
  require_with(r, "valueCache", !r.merged(), "mlaVHeadSize 0");
  require_with(r, "mask", r.mask != MaskType::kNone, "a maskType");
  require_with(r, "batchRunStatus", r.batch_run, "batchRunStatusEnable");
  require_with(r, "kDescale", quantised, "a quantType");
  require_with(r, "vDescale", quantised, "a quantType");
  require_with(r, "kOffset", r.offsets, "hasQuantOffset");
  require_with(r, "vOffset", r.offsets, "hasQuantOffset");
  require_with(r, "qSeqLens", r.parallel, "calcType 1");
  require_with(r, "razorOffset", r.razor == Razor::kHeadsRope, "compressType 2");
  require_with(r, "pScale", r.quant == Quant::kOffline, "quantType 2");
  require_with(r, "logN", r.logn, "scaleType 1");
}

}  // namespace davsim::operators::paged_attention
