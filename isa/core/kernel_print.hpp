// Text that kernels print: printf, DumpTensor, PrintTimeStamp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/print_argument.hpp"
#include "isa/instr/source_location.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// Prints for the running kernel. Host code prints as usual: with `using namespace AscendC` its
/// printf is that of kernels.
void kernel_print(std::string_view text);

/// Whether the calling thread is the one that runs kernels, and runs one.
bool is_in_kernel();

/// The text that printf makes of `format`. Throws Fault(kParameter) if a conversion is not one of d
/// i u x X o f F e E g G c s p %, or lacks its argument. A * takes a width or precision.
std::string format_for_kernel(const char* format, std::span<const PrintArgument> arguments,
                              SourceLocation where);

/// An element of a tensor as DumpTensor prints it.
std::string element_text(DType type, const std::byte* bytes);

}  // namespace davsim::isa
