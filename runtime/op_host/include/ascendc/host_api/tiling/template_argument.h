// Kernels that are templates: their parameters, the combinations of values that are compiled, and
// the tiling key of a combination. The host's sources and the kernel's include the same header with
// these macros; in the kernel's compilation they say nothing.
//
// A tiling key holds the values in the order of the declaration, the first in the lowest bits, each
// in as many bits as are declared: 8 for types and formats, 1 for bool.
#pragma once

#include "graph/c_types.h"

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_16_BW 16
#define ASCENDC_TPL_32_BW 32

/// How the numbers behind describe values: n pairs of first and last; the values themselves; n
/// pairs and then values.
#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5

#ifdef DAVSIM_KERNEL_COMPILATION

#define ASCENDC_TPL_ARGS_DECL(op_type, ...) static_assert(true)
#define ASCENDC_TPL_SEL(...) static_assert(true)

#else

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace davsim::op_host {

/// A parameter of a template with the values that are declared or selected.
struct TemplateParameter {
  enum class Kind { kType, kNumber, kKernelType, kTilingStruct };

  Kind kind;
  std::string name;
  unsigned bits;
  std::vector<std::uint64_t> values;
};

/// Marks a parameter whose values are the types of an input or output of the operator.
constexpr std::uint64_t kTypesOfInput = std::uint64_t{1} << 40;
constexpr std::uint64_t kTypesOfOutput = std::uint64_t{1} << 41;

using TemplateSelection = std::vector<TemplateParameter>;

/// `values` behind one of the ASCENDC_TPL_UI macros, written out.
std::vector<std::uint64_t> ListedValues(const std::vector<std::uint64_t>& values);

/// Declares the template of an operator, again if a header is included again; selections that
/// follow belong to it.
bool RegisterTemplate(const char* op_type, TemplateSelection parameters);
bool RegisterTemplateSelections(std::vector<TemplateSelection> selections);

/// The tiling key of a combination. Throws std::invalid_argument for another number of values than
/// the template of the operator has parameters, or for a value that exceeds its bits.
std::uint64_t TemplateKey(const char* op_type, std::initializer_list<std::uint64_t> values);
template <class... Values>
std::uint64_t TemplateKeyOf(const char* op_type, Values... values) {
  return TemplateKey(op_type, {static_cast<std::uint64_t>(values)...});
}
inline std::uint64_t TemplateKeyOf(const char* op_type,
                                   std::initializer_list<std::uint64_t> values) {
  return TemplateKey(op_type, values);
}

}  // namespace davsim::op_host

#define DAVSIM_TPL(kind, name, bits, ...)                            \
  ::davsim::op_host::TemplateParameter {                             \
    ::davsim::op_host::TemplateParameter::Kind::kind, #name, bits, { \
      __VA_ARGS__                                                    \
    }                                                                \
  }
#define DAVSIM_TPL_UINT(name, bits, ...)                              \
  ::davsim::op_host::TemplateParameter {                              \
    ::davsim::op_host::TemplateParameter::Kind::kNumber, #name, bits, \
        ::davsim::op_host::ListedValues({__VA_ARGS__})                \
  }

#define ASCENDC_TPL_INPUT(i) (::davsim::op_host::kTypesOfInput + (i))
#define ASCENDC_TPL_OUTPUT(i) (::davsim::op_host::kTypesOfOutput + (i))

#define ASCENDC_TPL_DATATYPE_DECL(name, ...) DAVSIM_TPL(kType, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_DECL(name, ...) DAVSIM_TPL(kNumber, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(name, ...) DAVSIM_TPL(kNumber, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(name, bits, ...) DAVSIM_TPL_UINT(name, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(name, ...) DAVSIM_TPL(kNumber, name, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(name, ...) DAVSIM_TPL(kKernelType, name, 8, __VA_ARGS__)

#define ASCENDC_TPL_DATATYPE_SEL(name, ...) DAVSIM_TPL(kType, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(name, ...) DAVSIM_TPL(kNumber, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(name, ...) DAVSIM_TPL(kNumber, name, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(name, ...) DAVSIM_TPL_UINT(name, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(name, ...) DAVSIM_TPL(kNumber, name, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) DAVSIM_TPL(kKernelType, , 0, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(name) DAVSIM_TPL(kTilingStruct, name, 0, 0)

#define ASCENDC_TPL_ARGS_SEL(...)        \
  ::davsim::op_host::TemplateSelection { \
    __VA_ARGS__                          \
  }

#define ASCENDC_TPL_ARGS_DECL(op_type, ...)                                      \
  [[maybe_unused]] static const char* const davsim_template_operator = #op_type; \
  [[maybe_unused]] static const bool davsim_template_declared =                  \
      ::davsim::op_host::RegisterTemplate(#op_type, {__VA_ARGS__})
#define ASCENDC_TPL_SEL(...)                                    \
  [[maybe_unused]] static const bool davsim_template_selected = \
      ::davsim::op_host::RegisterTemplateSelections({__VA_ARGS__})

#define GET_TPL_TILING_KEY(...) \
  ::davsim::op_host::TemplateKeyOf(davsim_template_operator, __VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))

#endif
