#include "runtime/opbuild/column_macros.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>

#include "graph/utils/type_utils.h"

namespace davsim::opbuild {
namespace {

using ge::TypeUtils;

struct KernelType {
  ge::DataType type;
  const char* name;  ///< in a kernel; null: kernels have none
};

constexpr KernelType kTypes[] = {
    {ge::DT_FLOAT, "float"},       {ge::DT_FLOAT16, "half"},
    {ge::DT_INT8, "int8_t"},       {ge::DT_INT32, "int32_t"},
    {ge::DT_UINT8, "uint8_t"},     {ge::DT_INT16, "int16_t"},
    {ge::DT_UINT16, "uint16_t"},   {ge::DT_UINT32, "uint32_t"},
    {ge::DT_INT64, "int64_t"},     {ge::DT_UINT64, "uint64_t"},
    {ge::DT_DOUBLE, "double"},     {ge::DT_BOOL, "bool"},
    {ge::DT_BF16, "bfloat16_t"},   {ge::DT_INT4, "AscendC::int4b_t"},
    {ge::DT_STRING, nullptr},      {ge::DT_COMPLEX64, nullptr},
    {ge::DT_COMPLEX128, nullptr},  {ge::DT_COMPLEX32, nullptr},
    {ge::DT_UINT1, nullptr},       {ge::DT_INT2, nullptr},
    {ge::DT_UINT2, nullptr},       {ge::DT_QINT8, nullptr},
    {ge::DT_QINT16, nullptr},      {ge::DT_QINT32, nullptr},
    {ge::DT_QUINT8, nullptr},      {ge::DT_QUINT16, nullptr},
    {ge::DT_UNDEFINED, nullptr},   {ge::DT_HIFLOAT8, nullptr},
    {ge::DT_FLOAT8_E5M2, nullptr}, {ge::DT_FLOAT8_E4M3FN, nullptr},
    {ge::DT_FLOAT8_E8M0, nullptr}, {ge::DT_FLOAT4_E2M1, nullptr},
    {ge::DT_FLOAT4_E1M2, nullptr},
};

constexpr ge::Format kFormats[] = {
    ge::FORMAT_NCHW,      ge::FORMAT_NHWC,  ge::FORMAT_ND,         ge::FORMAT_NC1HWC0,
    ge::FORMAT_FRACTAL_Z, ge::FORMAT_HWCN,  ge::FORMAT_NDHWC,      ge::FORMAT_FRACTAL_NZ,
    ge::FORMAT_NCDHW,     ge::FORMAT_DHWCN, ge::FORMAT_NDC1HWC0,   ge::FORMAT_FRACTAL_Z_3D,
    ge::FORMAT_NCL,       ge::FORMAT_NC,    ge::FORMAT_NC1HWC0_C04};

std::string upper(std::string name) {
  for (char& letter : name) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

void add(std::map<std::string, std::string>& macros, const op_host::Definition& definition,
         const op_host::Parameter& parameter, std::size_t column) {
  const ge::DataType type = parameter.types[column];
  const char* name = kernel_type(type);
  if (name == nullptr) {
    throw std::invalid_argument("operator " + definition.type + ": kernels have no type for " +
                                TypeUtils::DataTypeToSerialString(type) + " of " + parameter.name);
  }
  const std::string suffix = upper(parameter.name);
  macros["DTYPE_" + suffix] = name;
  macros["ORIG_DTYPE_" + suffix] = TypeUtils::DataTypeToSerialString(type);
  macros["FORMAT_" + suffix] =
      "FORMAT_" + TypeUtils::FormatToSerialString(parameter.formats[column]);
}

}  // namespace

const char* kernel_type(ge::DataType type) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const KernelType& row) { return row.type == type; });
  return found == std::end(kTypes) ? nullptr : found->name;
}

std::map<std::string, std::string> column_macros(const op_host::Definition& definition,
                                                 std::size_t column) {
  std::map<std::string, std::string> macros;
  for (const op_host::Parameter& input : definition.inputs) add(macros, definition, input, column);
  for (const op_host::Parameter& output : definition.outputs) {
    add(macros, definition, output, column);
  }
  return macros;
}

std::string constant_macros() {
  std::string text;
  for (const KernelType& row : kTypes) {
    text += "#define " + TypeUtils::DataTypeToSerialString(row.type) + " " +
            std::to_string(static_cast<int>(row.type)) + "\n";
  }
  for (const ge::Format format : kFormats) {
    text += "#define FORMAT_" + TypeUtils::FormatToSerialString(format) + " " +
            std::to_string(static_cast<int>(format)) + "\n";
  }
  return text;
}

bool has_foreign_type(const op_host::Definition& definition, std::size_t column) {
  const auto foreign = [&](const op_host::Parameter& parameter) {
    return kernel_type(parameter.types[column]) == nullptr;
  };
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), foreign) ||
         std::any_of(definition.outputs.begin(), definition.outputs.end(), foreign);
}

}  // namespace davsim::opbuild
