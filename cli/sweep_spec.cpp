#include "cli/sweep_spec.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "cli/spec_reader.hpp"
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

/// The runs of one entry of "operators", before they are combined with SoCs and parameters.
struct Piece {
  SweepRun run;
  std::string soc;  ///< the one its case is about
};

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

const operators::Operator& operator_of(const SpecValue& value) {
  const std::string name = value.text();
  std::vector<std::string> known;
  for (const operators::Operator* op : operators::all_operators()) {
    if (op->info().name == name) return *op;
    known.push_back(op->info().name);
  }
  const std::string hint = did_you_mean(name, known);
  value.refuse("there is no operator '" + name + "'" +
               (hint.empty() ? "; there are " + joined(known) : hint));
}

std::string attributes_of(const SpecValue& entry, const operators::Operator& op) {
  const auto attrs = entry.find("attrs");
  if (!attrs || attrs->object().empty()) return "";
  std::vector<std::string> known;
  for (const operators::AttributeSpec& spec : op.info().attributes) known.push_back(spec.name);
  for (const auto& attribute : attrs->object()) {
    const std::string name = attribute.key();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    attrs->refuse(op.info().name + " has no attribute '" + name + "'; it has " + joined(known));
  }
  return json::serialize(attrs->object());
}

/// The named cases, or all cases that run.
std::vector<Piece> case_pieces(const SpecValue& entry, const operators::Operator& op, Piece piece) {
  const std::vector<operators::ExampleCase> all = op.cases();
  std::vector<Piece> pieces;
  const auto add = [&](const operators::ExampleCase& example) {
    piece.run.case_id = example.id;
    piece.soc = example.soc;
    pieces.push_back(piece);
  };
  const SpecValue cases = entry.at("cases");
  if (cases.json().is_string() && cases.text() == "all") {
    for (const operators::ExampleCase& example : all) {
      if (!example.refused) add(example);
    }
    return pieces;
  }
  std::vector<std::string> known;
  for (const operators::ExampleCase& example : all) known.push_back(example.id);
  for (const SpecValue& value : cases.list()) {
    const std::string id = value.text();
    const auto at = std::find(known.begin(), known.end(), id);
    if (at == known.end()) {
      value.refuse(op.info().name + " has no case '" + id + "'; its cases are " + joined(known));
    }
    add(all[static_cast<std::size_t>(at - known.begin())]);
  }
  return pieces;
}

/// "float16[m,256]" with the names of sizes replaced.
std::string with_sizes(const SpecValue& tensor, const std::map<std::string, std::string>& sizes) {
  const std::string text = tensor.text();
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    tensor.refuse("a tensor is TYPE[SIZE,...], not '" + text + "'");
  }
  std::string result = text.substr(0, open + 1);
  std::string word;
  for (const char c : text.substr(open + 1, close - open)) {
    if (c == ' ') continue;
    if (c != ',' && c != ']') {
      word += c;
      continue;
    }
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    if (!word.empty() && !number && !sizes.contains(word)) {
      tensor.refuse("'" + word + "' is neither a number nor one of \"sizes\"");
    }
    result += (word.empty() || number ? word : sizes.at(word)) + c;
    word.clear();
  }
  return result + text.substr(close + 1);
}

using Sizes = std::vector<std::map<std::string, std::string>>;

/// Every choice of one value for each size.
Sizes size_grid(const SpecValue& entry) {
  Sizes grid = {{}};
  const auto sizes = entry.find("sizes");
  if (!sizes) return grid;
  for (const auto& member : sizes->object()) {
    Sizes longer;
    for (const auto& start : grid) {
      for (const SpecValue& value : sizes->at(member.key()).list()) {
        longer.push_back(start);
        longer.back()[member.key()] = std::to_string(value.whole());
      }
    }
    grid = std::move(longer);
  }
  return grid;
}

std::vector<Piece> shape_pieces(const SpecValue& entry, const Piece& piece) {
  const SpecValue tensors = entry.at("tensors");
  if (tensors.object().empty()) tensors.refuse("no tensor is named");
  std::vector<Piece> pieces;
  for (const auto& sizes : size_grid(entry)) {
    Piece made = piece;
    std::vector<std::string> words;
    for (const auto& [name, size] : sizes) words.push_back(name + "=" + size);
    for (const auto& member : tensors.object()) {
      const std::string name = member.key();
      const SpecValue tensor = tensors.at(name);
      made.run.tensors.push_back(name + "=" + with_sizes(tensor, sizes));
      try {
        shaped_tensor(made.run.tensors.back());
      } catch (const UsageError& error) {
        tensor.refuse(error.what());
      }
    }
    // Without sizes, the shapes identify the run.
    made.run.sizes = joined(words.empty() ? made.run.tensors : words, " ");
    pieces.push_back(std::move(made));
  }
  return pieces;
}

std::vector<Piece> pieces_of(const SpecValue& entry) {
  entry.object({"operator", "cases", "tensors", "sizes", "attrs"});
  const operators::Operator& op = operator_of(entry.at("operator"));
  Piece piece;
  piece.run.operator_name = op.info().name;
  piece.run.attrs = attributes_of(entry, op);
  const bool cases = entry.find("cases").has_value(), tensors = entry.find("tensors").has_value();
  if (cases == tensors) entry.refuse("give either \"cases\" or \"tensors\"");
  if (cases && entry.find("sizes")) entry.refuse("\"sizes\" are those of \"tensors\"");
  return cases ? case_pieces(entry, op, std::move(piece)) : shape_pieces(entry, piece);
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
    try {
      soc_config(variant.soc, variant.set);
    } catch (const UsageError& error) {
      spec_.refuse(error.what());
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
