#include "cli/sweep_spec.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "cli/spec_reader.hpp"
#include "cli/sweep_entries.hpp"
#include "cli/table.hpp"
#include "cli/work.hpp"
#include "io/file_error.hpp"
#include "io/strict_json.hpp"
#include "io/text_file.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostRuns = 1'000'000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

json::value document(const std::string& path) {
  const std::string rule = "the description of a sweep is one JSON object";
  io::require_readable(path, rule);
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.empty()) throw io::FileError(path, rule, "it is empty");
  if (text.size() > kMostBytes) throw io::FileError(path, rule, "it has more than 16 MiB");
  try {
    return io::parse_strict_json(text);
  } catch (const std::invalid_argument& error) {
    throw io::FileError(path, rule, error.what());
  }
}

std::vector<std::string> texts(const std::optional<SpecValue>& value) {
  std::vector<std::string> all;
  if (!value) return all;
  for (const SpecValue& entry : value->list()) all.push_back(entry.text());
  return all;
}

std::vector<std::string> l2_states(const SpecValue& spec) {
  const auto given = spec.find("l2");
  if (!given) return {"cold"};
  for (const SpecValue& entry : given->list()) {
    if (entry.text() != "cold" && entry.text() != "warm") {
      entry.refuse("L2 is \"cold\" or \"warm\", not \"" + entry.text() + "\"");
    }
  }
  return texts(given);
}

/// Every choice of one value for each parameter.
std::vector<std::vector<std::string>> value_grid(const std::optional<SpecValue>& parameters) {
  std::vector<std::vector<std::string>> grid = {{}};
  if (!parameters) return grid;
  for (const auto& member : parameters->object()) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& start : grid) {
      for (const SpecValue& value : parameters->at(member.key()).list()) {
        longer.push_back(start);
        longer.back().push_back(value.text_or_number());
      }
    }
    grid = std::move(longer);
  }
  return grid;
}

/// Combines the pieces with SoCs, states of L2 and parameters.
class Grid {
 public:
  Grid(const SpecValue& spec, SweepSpec& result)
      : spec_(spec),
        socs_(texts(spec.find("socs"))),
        values_(value_grid(spec.find("parameters"))),
        l2_(l2_states(spec)),
        result_(result) {}

  void add(const Piece& piece) {
    std::vector<std::string> socs = socs_;
    if (socs.empty()) socs = {piece.soc.empty() ? kDefaultSoc : piece.soc};
    for (const std::string& soc : socs) {
      for (const std::string& l2 : l2_) {
        for (const auto& values : values_) add_run(piece.run, soc, l2, values);
      }
    }
  }

 private:
  void add_run(SweepRun run, const std::string& soc, const std::string& l2,
               const std::vector<std::string>& values) {
    run.l2 = l2;
    run.variant.soc = soc;
    run.values = values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      run.variant.set.push_back(result_.parameters[i] + "=" + values[i]);
    }
    require_known(run.variant);
    // Sizes alone do not tell tensors of other types or constant sizes apart.
    const auto [named, is_new] = tensors_.try_emplace(run.key(), run.tensors);
    if (!is_new && named->second != run.tensors) run.sizes += " " + joined(run.tensors, " ");
    if (!keys_.insert(run.key()).second) {
      spec_.at("operators").refuse("the same run is asked for twice: " + joined(run.key(), " "));
    }
    result_.runs.push_back(std::move(run));
    if (result_.runs.size() > kMostRuns) {
      spec_.refuse("the grid has more than " + std::to_string(kMostRuns) + " runs");
    }
  }

  /// Wrong SoCs and parameters end the sweep before it begins.
  void require_known(const Variant& variant) {
    if (!variants_.insert(variant.label()).second) return;
    const auto fault = fault_of(variant.soc, variant.set);
    if (fault) refuse(variant, *fault);
  }

  /// Names the SoC or the value that is wrong by itself, or all parameters if none is.
  [[noreturn]] void refuse(const Variant& variant, const std::string& fault) const {
    if (const auto wrong = fault_of(variant.soc, {})) {
      for (const SpecValue& soc : spec_.at("socs").list()) {
        if (soc.text() == variant.soc) soc.refuse(*wrong);
      }
    }
    const SpecValue parameters = spec_.at("parameters");
    for (std::size_t i = 0; i < variant.set.size(); ++i) {
      const auto wrong = fault_of(variant.soc, {variant.set[i]});
      if (!wrong) continue;
      const std::string& name = result_.parameters[i];
      for (const SpecValue& value : parameters.at(name).list()) {
        if (name + "=" + value.text_or_number() == variant.set[i]) value.refuse(*wrong);
      }
    }
    parameters.refuse(fault);
  }

  static std::optional<std::string> fault_of(const std::string& soc,
                                             const std::vector<std::string>& set) {
    try {
      soc_config(soc, set);
      return std::nullopt;
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  const SpecValue& spec_;
  std::vector<std::string> socs_;
  std::vector<std::vector<std::string>> values_;
  std::vector<std::string> l2_;
  SweepSpec& result_;
  std::set<std::vector<std::string>> keys_;
  std::map<std::vector<std::string>, std::vector<std::string>> tensors_;  ///< of the first, by key
  std::set<std::string> variants_;
};

}  // namespace

std::vector<std::string> SweepRun::key() const {
  std::vector<std::string> cells = {operator_name, case_id, sizes, attrs, variant.soc, l2};
  cells.insert(cells.end(), values.begin(), values.end());
  return cells;
}

std::vector<std::string> SweepSpec::key_columns() const {
  std::vector<std::string> columns = {"operator", "case", "sizes", "attrs", "soc", "l2"};
  columns.insert(columns.end(), parameters.begin(), parameters.end());
  return columns;
}

std::vector<std::string> SweepSpec::arguments(const SweepRun& run) const {
  std::vector<std::string> work = {run.operator_name, "--l2=" + run.l2};
  if (!run.case_id.empty()) work.push_back("--case=" + run.case_id);
  for (const std::string& tensor : run.tensors) work.push_back("--tensor=" + tensor);
  if (!run.attrs.empty()) {
    const json::value attributes = json::parse(run.attrs);
    for (const auto& attribute : attributes.get_object()) {
      work.push_back("--attr=" + std::string(attribute.key()) + "=" +
                     json::serialize(attribute.value()));
    }
  }
  if (!verify) work.emplace_back("--no-check");
  if (times_only) work.emplace_back("--times-only");
  if (!max_cycles.empty()) work.push_back("--max-cycles=" + max_cycles);
  if (!host_timeout.empty()) work.push_back("--host-timeout=" + host_timeout);
  return run_arguments(std::move(work), run.variant);
}

std::string SweepSpec::fingerprint(const SweepRun& run) const {
  // FNV-1a: the same on every host and in every version.
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  add(DAVSIM_VERSION);
  for (const std::string& argument : arguments(run)) add(argument);
  const sim::SocConfig soc = soc_config(run.variant.soc, run.variant.set);
  for (const auto& [section, keys] : soc.sections()) {
    for (const auto& [key, value] : keys) add(section + "." + key + "=" + value);
  }
  std::array<char, 17> digits;
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

SweepSpec read_sweep_spec(const std::string& path) {
  const json::value value = document(io::readable_path(path));
  const SpecValue spec(value, path);
  spec.object({"operators", "socs", "l2", "parameters", "check", "times_only", "max_cycles",
               "host_timeout"});
  SweepSpec result;
  if (const auto parameters = spec.find("parameters")) {
    for (const auto& member : parameters->object()) result.parameters.push_back(member.key());
  }
  if (const auto verify = spec.find("check")) result.verify = verify->flag();
  if (const auto times = spec.find("times_only")) {
    result.times_only = times->flag();
    if (result.times_only && result.verify) {
      times->refuse("it computes no values that \"check\" could compare");
    }
  }
  if (const auto most = spec.find("max_cycles")) result.max_cycles = std::to_string(most->whole());
  if (const auto most = spec.find("host_timeout")) {
    result.host_timeout = std::to_string(most->whole());
  }
  Grid grid(spec, result);
  for (const SpecValue& entry : spec.at("operators").list()) {
    for (const Piece& piece : pieces_of(entry)) grid.add(piece);
  }
  return result;
}

}  // namespace davsim::cli
