#include "cli/work.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <fstream>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "cli/errors.hpp"
#include "cli/operator_libraries.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "io/safetensors.hpp"
#include "io/strict_json.hpp"
#include "io/text_file.hpp"
#include "kernels/registry/system_operator.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr std::uint64_t kMaxAttributeFile = 64u << 20;
constexpr std::uint64_t kDefaultHostTimeout = 600;
constexpr std::uint64_t kMaxHostTimeout = 100'000'000;  // three years

const std::vector<std::string> kTextOptions = {"case", "inputs",     "attrs",
                                               "l2",   "max-cycles", "host-timeout"};
const std::vector<std::string> kListOptions = {"tensor", "attr", "set", "operators"};
const std::vector<std::string> kFlagOptions = {"no-check", "times-only"};

}  // namespace

const operators::Operator& operator_named(const std::string& name) {
  try {
    return operators::find_operator(name);
  } catch (const std::invalid_argument& error) {
    if (operators::find_system_operator(name) != nullptr) {
      throw UsageError(name + " runs on several dies: davsim run-system SYSTEM " + name + " ...");
    }
    std::vector<std::string> known;
    for (const operators::Operator* op : operators::all_operators())
      known.push_back(op->info().name);
    throw UsageError(error.what() + did_you_mean(name, known));
  }
}

namespace {

const operators::ExampleCase* case_named(const Work& work, const std::string& id) {
  std::vector<std::string> known;
  for (const operators::ExampleCase& example : work.cases) {
    if (example.id == id) return &example;
    known.push_back(example.id);
  }
  throw UsageError(work.op->info().name + " has no case '" + id +
                   "'; its cases are: " + joined(known) + did_you_mean(id, known));
}

bool warm_l2(const std::string& text) {
  if (text == "warm") return true;
  if (text == "cold" || text.empty()) return false;
  throw UsageError("--l2 is '" + text + "'; it is cold or warm");
}

/// "name=value" in its two halves.
std::pair<std::string, std::string> split_assignment(const std::string& option,
                                                     const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--" + option + " is '" + text + "'; it takes NAME=VALUE");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string read_text(const std::string& path) {
  const std::string rule = "an attribute file can be read";
  io::require_readable(path, rule);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxAttributeFile) {
      throw io::FileError(path, "an attribute file has at most 64 MiB", "it has more than 64 MiB");
    }
  }
  if (!file.eof() || file.bad()) throw io::FileError(path, rule, "it cannot be read");
  return text;
}

json::object attributes_in(const std::string& path) {
  const std::string text = read_text(path);
  json::value value;
  try {
    value = io::parse_strict_json(text);
  } catch (const std::invalid_argument& error) {
    throw io::FileError(path, "an attribute file is JSON and names no attribute twice",
                        error.what());
  }
  if (!value.is_object()) {
    throw io::FileError(path, "an attribute file is one JSON object",
                        "attributes are one JSON object, this is of kind " +
                            std::string(json::to_string(value.kind())));
  }
  return std::move(value.as_object());
}

/// The value of --attr: JSON, a string without quotes, or a list without brackets. The operator
/// decides whether it suits the attribute.
json::value attribute_value(const operators::AttributeSpec* spec, const std::string& text) {
  const std::string type = spec == nullptr ? "" : spec->type;
  if (type == "string" && !text.starts_with('"')) return json::value(text);
  const bool bare_list = type.ends_with(" list") && !text.starts_with('[');
  try {
    return io::parse_strict_json(bare_list ? "[" + text + "]" : text);
  } catch (const std::invalid_argument&) {
    return json::value(text);
  }
}

/// Makes a case in separate memory and copies it to the device tensor by tensor. Two names of one
/// tensor remain names of one tensor.
operators::Call load_case(const Work& work, const sim::SocConfig& soc,
                          memory::GlobalMemory& memory) {
  try {
    memory::GlobalMemory staging(soc.hbm_bytes());
    operators::Call made = work.op->make_case(work.example->id, staging);
    operators::Call call;
    call.attributes = std::move(made.attributes);
    std::map<const std::byte*, operators::Tensor> moved;
    while (!made.tensors.empty()) {
      const auto first = made.tensors.begin();
      const auto known = moved.find(first->second.data());
      const bool shared = known != moved.end() && !first->second.empty();
      const operators::Tensor tensor =
          shared ? known->second : first->second.clone(memory, first->first);
      moved.insert_or_assign(first->second.data(), tensor);
      call.tensors.emplace(first->first, tensor);
      made.tensors.erase(first);
    }
    return call;
  } catch (const std::bad_alloc&) {
    throw UsageError("case " + work.example->id + " does not fit in the global memory of " +
                     soc.name() + ", " + std::to_string(soc.hbm_bytes()) + " bytes");
  }
}

operators::TensorMap make_tensors(const Work& work, const sim::SocConfig& soc,
                                  memory::GlobalMemory& memory) {
  std::map<std::string, const ShapedTensor*> by_name;
  for (const ShapedTensor& spec : work.tensors) {
    if (!by_name.emplace(spec.name, &spec).second) {
      throw UsageError("--tensor names '" + spec.name + "' twice");
    }
  }
  operators::TensorMap tensors;
  try {
    for (const auto& [name, spec] : by_name) tensors.emplace(name, make_tensor(*spec, memory));
  } catch (const std::bad_alloc&) {
    throw UsageError("the tensors of --tensor do not fit in the global memory of " + soc.name() +
                     ", " + std::to_string(soc.hbm_bytes()) + " bytes");
  }
  return tensors;
}

}  // namespace

void read_attributes(const operators::OperatorInfo& info, const std::string& file,
                     const std::vector<std::string>& assignments, json::object& attributes) {
  if (!file.empty()) {
    for (const auto& attribute : attributes_in(io::readable_path(file))) {
      attributes[attribute.key()] = attribute.value();
    }
  }
  std::vector<std::string> seen;
  for (const std::string& assignment : assignments) {
    const auto parts = split_assignment("attr", assignment);
    const auto& name = parts.first;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw UsageError("--attr names '" + name + "' twice");
    }
    const auto spec = std::find_if(info.attributes.begin(), info.attributes.end(),
                                   [&](const auto& s) { return s.name == name; });
    attributes[name] =
        attribute_value(spec == info.attributes.end() ? nullptr : &*spec, parts.second);
    seen.push_back(name);
  }
}

void add_work_options(po::options_description_easy_init add) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto list = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  add_operators_option(add);
  add("case", text("ID"),
      "work on an example case of the operator: tensors and attributes are made from a fixed seed, "
      "and the result is checked against a reference computation (`davsim describe OPERATOR` lists "
      "the cases)");
  add("inputs", text("FILE"),
      "read the input and in-place tensors from a safetensors file; names, dtypes and shapes as "
      "`davsim describe OPERATOR` shows them");
  add("tensor", list("NAME=TYPE[SIZES]"),
      "make an input from its type and shape: --tensor 'a=float16[1024,512]'. Reals are random in "
      "[-1, 1), int8 in [-128, 127], other types 0; --tensor 'lengths=int64[4]:128' has one value. "
      "May be repeated, once for each tensor");
  add("attrs", text("FILE"), "read attributes from a file with one JSON object, by name");
  add("attr", list("NAME=VALUE"),
      "set one attribute; wins over --attrs and the case. VALUE is JSON; a string needs no quotes "
      "and a list no brackets (--attr size_splits=1024,128,128). May be repeated");
  add("no-check", po::bool_switch(), "do not compare the result of a case with its reference");
  add("times-only", po::bool_switch(),
      "compute no values: the same times, sooner. A kernel that decides by what it computes is "
      "refused with status 4");
  add("l2", text("cold|warm"),
      "state of the L2 cache at the start: empty (cold, the default), or as a first run on the "
      "same "
      "tensors leaves it (warm). The first run changes nothing else");
  add("set", list("NAME=VALUE"),
      "replace one parameter of the SoC, for example --set l2.size=96MiB, "
      "--set hbm.bandwidth=0.8TB/s, --set clock=1.5GHz or --set l2.size=50% (`davsim describe SOC` "
      "lists the names). May be repeated");
  add("max-cycles", text("N"), "stop the kernel after N simulated cycles, with status 4");
  add("host-timeout", text("SECONDS"),
      "stop after so many seconds of wall time, with status 4; 0: never. Catches device code that "
      "loops for ever. Default 600");
}

Work work_of(const po::variables_map& values) {
  load_operator_libraries(values);
  Work work;
  work.op = &operator_named(text_option(values, "OPERATOR"));
  work.cases = work.op->cases();
  work.inputs = text_option(values, "inputs");
  work.attrs = text_option(values, "attrs");
  work.attr = list_option(values, "attr");
  work.set = list_option(values, "set");
  work.warm = warm_l2(text_option(values, "l2"));
  work.times_only = flag_option(values, "times-only");
  work.verify = !flag_option(values, "no-check") && !work.times_only;
  work.max_cycles = number_option(values, "max-cycles", 0, ~std::uint64_t{0});
  work.host_timeout = static_cast<std::uint32_t>(
      number_option(values, "host-timeout", kDefaultHostTimeout, kMaxHostTimeout));
  for (const std::string& text : list_option(values, "tensor")) {
    work.tensors.push_back(shaped_tensor(text));
  }
  if (values.count("case") + values.count("inputs") + values.count("tensor") != 1) {
    throw UsageError("give either --case ID or --inputs FILE, or tensors with --tensor; `davsim " +
                     std::string("describe ") + work.op->info().name +
                     "` lists the cases and the tensors");
  }
  if (values.count("case") > 0) work.example = case_named(work, text_option(values, "case"));
  return work;
}

std::vector<std::string> work_arguments(const po::variables_map& values) {
  std::vector<std::string> arguments = {text_option(values, "OPERATOR")};
  for (const std::string& name : kTextOptions) {
    if (values.count(name) > 0) arguments.push_back("--" + name + "=" + text_option(values, name));
  }
  for (const std::string& name : kListOptions) {
    for (const std::string& value : list_option(values, name)) {
      arguments.push_back("--" + name + "=" + value);
    }
  }
  for (const std::string& name : kFlagOptions) {
    if (flag_option(values, name)) arguments.push_back("--" + name);
  }
  return arguments;
}

std::string default_soc(const Work& work) {
  const bool about_one = work.example != nullptr && !work.example->soc.empty();
  return about_one ? work.example->soc : kDefaultSoc;
}

sim::SocConfig soc_config(const std::string& soc, const std::vector<std::string>& set) {
  try {
    return session::chosen_soc(soc, set, "--set");
  } catch (const session::WrongChoice& error) {
    throw UsageError(error.what());
  }
}

operators::Call load_call(const Work& work, const sim::SocConfig& soc,
                          memory::GlobalMemory& memory) {
  operators::Call call;
  if (work.example != nullptr) {
    call = load_case(work, soc, memory);
  } else if (!work.tensors.empty()) {
    call.tensors = make_tensors(work, soc, memory);
  } else {
    call.tensors = io::read_safetensors(work.inputs, memory);
  }
  read_attributes(work.op->info(), work.attrs, work.attr, call.attributes);
  return call;
}

}  // namespace davsim::cli
