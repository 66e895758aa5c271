// How functions that the Python module calls by ctypes tell that they failed.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace c10_npu {

/// Runs a function: null, or a text that is the thread's until its next call.
template <class Function>
const char* text_of_failure(Function function) {
  static thread_local std::string text;
  try {
    function();
    return nullptr;
  } catch (const c10::Error& error) {
    text = error.what_without_backtrace();
  } catch (const std::exception& error) {
    text = error.what();
  }
  return text.c_str();
}

}  // namespace c10_npu
