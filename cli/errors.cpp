#include "cli/errors.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "io/file_error.hpp"
#include "isa/instr/fault.hpp"
#include "kernels/registry/operator.hpp"
#include "session/chosen_soc.hpp"
#include "session/fault_text.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

Failure failure(ExitStatus status, std::string_view cls, const std::string& message,
                const std::string& rule) {
  Failure result;
  result.status = status;
  result.error = {{"class", cls}, {"message", message}, {"rule", rule}};
  result.text = "davsim: " + message + "\n";
  return result;
}

Failure fault_failure(const isa::Fault& fault) {
  const std::string cls(isa::fault_class_name(fault.cls));
  Failure result = failure(kFaulted, cls, fault.message, session::fault_rule(fault.cls));
  json::object& error = result.error;
  error["kernel"] = fault.kernel;
  error["core"] = fault.core;
  error["pipe"] = fault.pipe;
  error["instruction"] = fault.instruction;
  error["file"] = fault.where.file_name();
  error["line"] = fault.where.line();
  result.text = session::fault_text(fault);
  return result;
}

}  // namespace

std::string Failure::json() const {
  return json::serialize(json::object{{"error", error}}) + "\n";
}

Failure failure_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const UsageError& error) {
    return failure(kUsage, "usage", error.what(), error.rule);
  } catch (const session::WrongChoice& error) {
    return failure(kUsage, "usage", error.what(), "SoCs, systems and their parameters exist");
  } catch (const io::FileError& error) {
    return failure(kUsage, "file", error.what(), error.rule);
  } catch (const operators::Refusal& refusal) {
    const std::string cls(operators::error_class_name(refusal.cls));
    Failure result = failure(kRefused, cls, refusal.what(), refusal.rule);
    result.text = "davsim: the operator refused the call (" + cls + "): " + refusal.what() + "\n";
    return result;
  } catch (const isa::Fault& fault) {
    return fault_failure(fault);
  } catch (const FindingsError& found) {
    Failure result = failure(kFaulted, "findings", found.what(),
                             "what --check looks for (docs/checker.md) is not in the kernel");
    result.error["findings"] = found.list;
    result.error["check"] = found.verdict;
    result.text = found.text;
    return result;
  } catch (const WrongResultError& error) {
    return failure(kWrongResult, "check", error.what(), "results agree with the reference");
  } catch (const std::filesystem::filesystem_error& error) {
    return failure(kUsage, "file", error.path1().string() + ": " + error.code().message(),
                   "files and folders that the command needs can be used");
  } catch (const std::system_error& error) {
    return failure(kUsage, "host", error.what(), "the host grants what a run needs");
  } catch (const boost::system::system_error& error) {
    // Its text names source files of the library.
    return failure(kInternal, "internal", "internal error: " + error.code().message(), "");
  } catch (const std::invalid_argument& error) {
    return failure(kUsage, "usage", error.what(), "values are such that the models can take them");
  } catch (const std::bad_alloc&) {
    return failure(kUsage, "host", "the host ran out of memory",
                   "the host grants what a run needs");
  } catch (const std::exception& error) {
    // SystemC adds where in its sources a report was made.
    std::string text = error.what();
    text.resize(std::min(text.size(), text.find("\nIn file:")));
    return failure(kInternal, "internal", "internal error: " + text, "");
  } catch (...) {
    return failure(kInternal, "internal", "internal error of an unknown kind", "");
  }
}

Failure stopped(const std::string& cls, const std::string& rule, const std::string& message) {
  return failure(kFaulted, cls, message, rule);
}

}  // namespace davsim::cli
