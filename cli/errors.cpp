#include "cli/errors.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "io/file_error.hpp"
#include "isa/instr/fault.hpp"
#include "kernels/registry/operator.hpp"

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

std::string fault_rule(isa::FaultClass cls) {
  switch (cls) {
    case isa::FaultClass::kAddress:
      return "accesses stay inside buffers and allocations";
    case isa::FaultClass::kAlignment:
      return "addresses and lengths have the documented alignment";
    case isa::FaultClass::kParameter:
      return "parameters keep to their documented limits";
    case isa::FaultClass::kFlag:
      return "every flag that is set is waited for, in order";
    case isa::FaultClass::kQueue:
      return "queues and buffers are used as TPipe, TQue and TBuf allow";
    case isa::FaultClass::kAssert:
      return "what the kernel asserts is true";
    case isa::FaultClass::kDeadlock:
      return "some pipe or core can always go on";
    case isa::FaultClass::kLimit:
      return "the run stays within the limits of the command line";
  }
  return "";
}

Failure fault_failure(const isa::Fault& fault) {
  const std::string cls(isa::fault_class_name(fault.cls));
  Failure result = failure(kFaulted, cls, fault.message, fault_rule(fault.cls));
  json::object& error = result.error;
  std::string place;
  const auto add = [&](const char* name, const std::string& value) {
    error[name] = value;
    if (!value.empty()) place += std::string("  ") + name + ": " + value + "\n";
  };
  add("kernel", fault.kernel);
  add("core", fault.core);
  add("pipe", fault.pipe);
  add("instruction", fault.instruction);
  const std::string file = fault.where.file_name();
  error["file"] = file;
  error["line"] = fault.where.line();
  if (!file.empty()) place += "  at: " + file + ":" + std::to_string(fault.where.line()) + "\n";
  result.text = "davsim: the kernel went wrong (" + cls + "): " + fault.message + "\n" + place;
  return result;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto differ = [](unsigned char x, unsigned char y) {
    return std::tolower(x) != std::tolower(y);
  };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + differ(a[i - 1], b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
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
    result.text = found.text;
    return result;
  } catch (const WrongResultError& error) {
    return failure(kWrongResult, "check", error.what(), "results agree with the reference");
  } catch (const std::invalid_argument& error) {
    return failure(kUsage, "usage", error.what(), "values are such that the models can take them");
  } catch (const std::bad_alloc&) {
    return failure(kInternal, "internal", "the host ran out of memory", "");
  } catch (const std::exception& error) {
    return failure(kInternal, "internal", std::string("internal error: ") + error.what(), "");
  } catch (...) {
    return failure(kInternal, "internal", "internal error of an unknown kind", "");
  }
}

Failure stopped(const std::string& cls, const std::string& rule, const std::string& message) {
  return failure(kFaulted, cls, message, rule);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) best = &candidate, best_distance = distance;
  }
  return best == nullptr ? "" : "; did you mean '" + *best + "'?";
}

std::vector<std::string> nearest(const std::string& word, std::vector<std::string> candidates,
                                 std::size_t count) {
  // A word such as "bandwidth" or "l2" may be a part of the name that is meant. Short names come
  // first.
  using Rank = std::tuple<std::size_t, std::size_t, std::string>;
  std::set<Rank> ranked;
  for (std::string& candidate : candidates) {
    const bool part = candidate.find(word) != std::string::npos;
    const std::size_t length = candidate.size();
    ranked.emplace(part ? 0 : edit_distance(word, candidate), length, std::move(candidate));
  }
  std::vector<std::string> names;
  for (const Rank& rank : ranked) {
    if (names.size() == count) break;
    names.push_back(std::get<2>(rank));
  }
  return names;
}

}  // namespace davsim::cli
