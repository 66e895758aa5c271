// Exit statuses of the command, and the errors that lead to them.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "session/suggest.hpp"

namespace davsim::cli {

enum ExitStatus : int {
  kDone = 0,
  kWrongResult = 1,  ///< the run ended, but the result is not what the reference says
  kUsage = 2,        ///< wrong command line or input file
  kRefused = 3,      ///< the operator refused the call; nothing was written
  kFaulted = 4,      ///< the kernel went wrong; nothing was written
  kInternal = 70,    ///< an error in davsim itself
};

/// The command line is wrong. `message` says what is wrong and, if possible, what to type instead.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message,
                      std::string rule = "the command line follows `davsim help`")
      : std::runtime_error(message), rule(std::move(rule)) {}
  std::string rule;
};

/// The result of a case differs from its reference, or the operator accepted a call that it must
/// refuse.
class WrongResultError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What --check found: `text` for people, `list` for tools. `verdict`: of the comparison with the
/// reference, Result::verdict().
class FindingsError : public std::runtime_error {
 public:
  FindingsError(std::string text, boost::json::array list, std::size_t open,
                std::string verdict = "not checked")
      : std::runtime_error(std::to_string(open) + " findings"),
        text(std::move(text)),
        list(std::move(list)),
        verdict(std::move(verdict)) {}
  std::string text;
  boost::json::array list;
  std::string verdict;
};

/// An error as it is shown.
struct Failure {
  ExitStatus status = kInternal;
  boost::json::object error;  ///< class, message, rule; for faults core, pipe, instruction, ...
  std::string text;           ///< for people; ends in a newline

  /// One line of JSON: {"error": {...}}.
  std::string json() const;
};

Failure failure_of(const std::exception_ptr& exception);
/// A kernel that was stopped from outside: `cls` "timeout" or "crash".
Failure stopped(const std::string& cls, const std::string& rule, const std::string& message);

using session::did_you_mean;
using session::nearest;

}  // namespace davsim::cli
