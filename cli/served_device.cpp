#include "cli/served_device.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "cli/checking.hpp"
#include "cli/errors.hpp"
#include "cli/guard.hpp"
#include "cli/operator_json.hpp"
#include "cli/roofline.hpp"
#include "cli/served_message.hpp"
#include "cli/work.hpp"
#include "io/strict_json.hpp"
#include "runtime/operator_library/load.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
using namespace message;

isa::DType dtype_named(const std::string& name) {
  for (auto type = isa::DType::kF16; type <= isa::DType::kF64;
       type = static_cast<isa::DType>(static_cast<int>(type) + 1)) {
    if (isa::dtype_name(type) == name) return type;
  }
  refuse("there is no dtype '" + name + "'");
}

operators::Shape shape_of(const json::object& tensor) {
  operators::Shape shape;
  for (const json::value& dim : list_of(tensor, "shape")) {
    shape.push_back(static_cast<std::int64_t>(number(dim, "shape")));
  }
  return shape;
}

std::string line(const json::object& object) {
  return json::serialize(object) + "\n";
}

}  // namespace

ServedDevice::ServedDevice(const ServeOptions& options)
    : options_(options),
      soc_(soc_config(options.soc, options.set)),
      device_(soc_, {.mode = options.functional ? sim::Mode::kFunctional : sim::Mode::kTimed,
                     .max_cycles = options.max_cycles,
                     .threads = options.threads,
                     .lines = true,
                     .memory_file = options.memory_file}) {}

json::object ServedDevice::hello() const {
  json::array names;
  for (const operators::Operator* op : operators::all_operators()) {
    names.push_back(json::value(op->info().name));
  }
  return {{"soc", soc_.name()},
          {"product", soc_.product()},
          {"memory_bytes", soc_.hbm_bytes()},
          {"operators", std::move(names)}};
}

std::string ServedDevice::answer(std::string_view request) {
  try {
    const json::value message = io::parse_strict_json(request);
    return answer_to(object_in(message, "a message"));
  } catch (...) {
    Failure failure = failure_of(std::current_exception());
    failure.error["status"] = static_cast<int>(failure.status);
    return failure.json();
  }
}

std::string ServedDevice::answer_to(const json::object& request) {
  release(request);
  const std::string what = text_of(request, "do");
  if (what == "run") return run(request);
  if (what == "launch") return launch(request);
  if (what == "allocate") return line(allocate(request));
  if (what == "describe") return line(operator_json(operator_named(text_of(request, "operator"))));
  if (what == "flush_l2") {
    device_.flush_l2();
    launched_ = false;
    return line({});
  }
  if (what == "release") return line({{"allocated_bytes", device_.memory().allocated_bytes()}});
  if (what == "load_kernels") {
    return line({{"kernels", kernels_.load(text_of(request, "library"))}});
  }
  if (what == "load_operators") return line(load_operators(request));
  if (what == "export") return line({{"printed", kept_.write(exports_of(request))}});
  refuse("'do' is '" + what +
         "'; it is run, launch, export, allocate, describe, flush_l2, release, load_kernels or "
         "load_operators");
}

/// Every request may give back tensors. They are gone before anything new is placed, so that equal
/// calls find the same addresses.
void ServedDevice::release(const json::object& request) {
  if (!request.contains("free")) return;
  for (const json::value& offset : list_of(request, "free")) held_.erase(number(offset, "free"));
}

/// Places tensors in the order of their names, as load_call() does.
json::object ServedDevice::allocate(const json::object& request) {
  std::map<std::string, std::uint64_t> sizes;
  for (const json::value& value : list_of(request, "tensors")) {
    const json::object& tensor = object_in(value, "a tensor");
    sizes[text_of(tensor, "name")] = number_of(tensor, "bytes");
  }
  std::map<std::string, operators::Tensor> placed;
  try {
    for (const auto& [name, bytes] : sizes) {
      const operators::Shape shape = {static_cast<std::int64_t>(bytes)};
      placed.emplace(name, operators::Tensor(device_.memory(), isa::DType::kU8, shape, name));
    }
  } catch (const std::bad_alloc&) {
    throw UsageError("the tensors do not fit in the global memory of " + soc_.name() + ", " +
                         std::to_string(soc_.hbm_bytes()) + " bytes",
                     "the tensors of a device fit in its global memory");
  }
  json::object offsets;
  for (const auto& [name, tensor] : placed) {
    const auto address = reinterpret_cast<std::uint64_t>(tensor.data());
    const std::uint64_t offset = device_.memory().device_address(address);
    held_.insert_or_assign(offset, tensor);
    offsets[name] = offset;
  }
  return {{"offsets", std::move(offsets)}};
}

std::pair<std::uint64_t, const operators::Tensor&> ServedDevice::holder_of(
    std::uint64_t offset) const {
  const auto after = held_.upper_bound(offset);
  if (after == held_.begin()) refuse("there is no tensor at offset " + std::to_string(offset));
  const auto& [start, holder] = *std::prev(after);
  return {start, holder};
}

operators::TensorMap ServedDevice::tensors_of(const json::object& request) {
  operators::TensorMap tensors;
  for (const json::value& value : list_of(request, "tensors")) {
    const json::object& tensor = object_in(value, "a tensor");
    const std::uint64_t offset = number_of(tensor, "offset");
    const auto& [start, holder] = holder_of(offset);
    try {
      tensors.emplace(text_of(tensor, "name"), holder.view(dtype_named(text_of(tensor, "dtype")),
                                                           shape_of(tensor), offset - start));
    } catch (const std::logic_error& error) {
      refuse(error.what());
    }
  }
  return tensors;
}

operators::RunResult ServedDevice::simulate(const json::object& request, operators::Call& call,
                                            Result& result, json::object& printed) {
  const bool check = flag_of(request, "check");
  session::Exports exports(exports_of(request));
  const bool keep = flag_of(request, "keep");
  if (keep && !exports.empty()) refuse("a call is kept or has 'exports'");
  std::optional<Checking> checking;
  if (check) checking.emplace(device_, checker::Options{.numbers = flag_of(request, "numbers")});
  call = operators::validated(*result.op, std::move(call), soc_);
  result.warnings = result.op->warnings(call, check);
  operators::RunResult left;
  std::optional<KeptCall::Listening> listening;
  try {
    const session::Exports::Attached attached(device_, exports);
    if (keep) listening.emplace(device_, kept_);
    launched_ = true;
    left = operators::run(*result.op, call, device_);
  } catch (const isa::Fault&) {
    if (checking) checking->require_none();  // the fault is one of several findings
    throw;
  }
  result.report = left.report;
  result.cost = result.op->cost(call);
  for (std::string& text : result.op->remarks(call, left.outputs)) {
    result.warnings.push_back(std::move(text));
  }
  if (checking) result.allowed_findings = checking->silenced();
  listening.reset();
  if (keep) kept_.ended({result.title(), report_json(result), peaks_json(soc_)});
  result.exported = exports.outputs();
  if (!exports.empty()) {
    exports.finish({result.title(), report_json(result), peaks_json(soc_)});
    exports.commit();
  }
  printed = printed_by(exports);
  if (checking) checking->require_none();
  return left;
}

json::array ServedDevice::hold(const operators::Operator& op, const operators::TensorMap& outputs) {
  json::array list;
  for (const operators::TensorSpec& spec : op.info().tensors) {
    const auto found = outputs.find(spec.name);
    if (spec.direction != operators::Direction::kOut || found == outputs.end()) continue;
    const operators::Tensor& tensor = found->second;
    const auto address = reinterpret_cast<std::uint64_t>(tensor.data());
    const std::uint64_t offset = device_.memory().device_address(address);
    held_.insert_or_assign(offset, tensor);
    json::array shape(tensor.shape().begin(), tensor.shape().end());
    list.push_back({{"name", spec.name},
                    {"dtype", isa::dtype_name(tensor.dtype())},
                    {"shape", std::move(shape)},
                    {"offset", offset}});
  }
  return list;
}

std::string ServedDevice::run(const json::object& request) {
  const operators::Operator& op = operator_named(text_of(request, "operator"));
  operators::Call call;
  call.tensors = tensors_of(request);
  call.attributes = object_in(member(request, "attributes"), "'attributes'");
  return run(request, op, std::move(call));
}

std::string ServedDevice::launch(const json::object& request) {
  return run(request, kernel_launch(request), {});
}

/// An argument is a place in global memory or, in hexadecimal digits, the bytes of a value.
KernelLaunch ServedDevice::kernel_launch(const json::object& request) const {
  KernelLaunch::Arguments arguments;
  std::vector<std::size_t> sizes;
  for (const json::value& value : list_of(request, "arguments")) {
    const json::object& argument = object_in(value, "an argument");
    std::string bytes;
    if (argument.contains("offset")) {
      const std::uint64_t offset = number_of(argument, "offset");
      const auto& [start, holder] = holder_of(offset);
      if (offset - start > holder.bytes()) {
        refuse("there is no tensor at offset " + std::to_string(offset));
      }
      arguments.tensor_bytes += static_cast<double>(holder.bytes() - (offset - start));
      const std::uint64_t address = reinterpret_cast<std::uint64_t>(holder.data()) + offset - start;
      bytes.assign(reinterpret_cast<const char*>(&address), sizeof address);
    } else {
      bytes = from_hexadecimal(text_of(argument, "bytes"));
    }
    sizes.push_back(bytes.size());
    const std::size_t first = arguments.slots.size();
    arguments.slots.resize(first + isa::slot_bytes(bytes.size()) / isa::kSlotBytes);
    std::memcpy(arguments.slots.data() + first, bytes.data(), bytes.size());
  }
  const runtime::LoadedKernel& kernel =
      kernels_.find(text_of(request, "library"), text_of(request, "kernel"));
  return {kernel,
          number_of(request, "blocks"),
          request.contains("tiling_key") ? number_of(request, "tiling_key") : 0,
          std::move(arguments),
          sizes,
          soc_.product()};
}

/// Libraries of operator projects. One that is loaded already brings nothing new.
json::object ServedDevice::load_operators(const json::object& request) {
  const std::string path = text_of(request, "library");
  json::array added;
  if (loaded_operators_.insert(path).second) {
    std::set<std::string> before;
    for (const operators::Operator* op : operators::all_operators()) before.insert(op->info().name);
    try {
      op_library::load_operators(path);
    } catch (const std::invalid_argument& error) {
      loaded_operators_.erase(path);
      throw UsageError(error.what(), "a library of operators is built from an operator project");
    }
    for (const operators::Operator* op : operators::all_operators()) {
      if (!before.contains(op->info().name)) added.push_back(json::value(op->info().name));
    }
  }
  return {{"operators", std::move(added)}};
}

std::string ServedDevice::run(const json::object& request, const operators::Operator& op,
                              operators::Call call) {
  Result result;
  result.op = &op;
  result.soc = &soc_;
  result.set = options_.set;
  const auto timeout =
      static_cast<unsigned>(std::min<std::uint64_t>(number_of(request, "timeout"), 100'000'000));
  const RunGuard guard(timeout, result.op->info().name,
                       {.json = true, .to = options_.socket, .limit = "the device's timeout"});
  if (flag_of(request, "cold")) {
    device_.flush_l2();
    launched_ = false;
  }
  result.warm = launched_;
  json::object printed;
  const operators::RunResult left = simulate(request, call, result, printed);
  return line({{"outputs", hold(*result.op, left.outputs)},
               {"figures", result_json(result)},
               {"printed", std::move(printed)},
               {"allocated_bytes", device_.memory().allocated_bytes()}}) +
         line(report_json(result));
}

}  // namespace davsim::cli
