// The functions of a compiled object.
#pragma once

#include <string>
#include <vector>

namespace davsim::driver {

struct Symbol {
  std::string name;  ///< mangled
  bool local = false;
};

/// The functions that an ELF object defines. Throws std::runtime_error if it is none.
std::vector<Symbol> defined_functions(const std::string& path);

/// The qualified name of a function without template arguments, parameters and return type:
/// _ZN2ns1kIfEEvPT_ is ns::k. Names of C functions stay.
std::string plain_name(const std::string& mangled);

/// The name as C++ writes it, ns::k<half>, with or without parameters and without return type.
std::string readable_name(const std::string& mangled, bool with_parameters);

/// A name of a preprocessed source as symbols have it: \U0000043e as a letter in UTF-8.
std::string symbol_spelling(const std::string& name);

}  // namespace davsim::driver
