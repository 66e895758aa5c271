#include "cli/sweep_entries.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "cli/table.hpp"
#include "cli/work.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

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

/// "float16[m,256]" as it begins, its sizes and as it ends: "float16[", "m" and "256", "]".
struct SizedText {
  std::string begin, end;
  std::vector<std::string> sizes;

  static SizedText of(const SpecValue& tensor) {
    const std::string text = tensor.text();
    const std::size_t open = text.find('['), close = text.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) {
      tensor.refuse("a tensor is TYPE[SIZE,...], not '" + text + "'");
    }
    SizedText parts{text.substr(0, open + 1), text.substr(close), {""}};
    for (const char c : text.substr(open + 1, close - open - 1)) {
      if (c == ',') {
        parts.sizes.emplace_back();
      } else if (c != ' ') {
        parts.sizes.back() += c;
      }
    }
    return parts;
  }
};

/// "float16[m,256]" with the names of sizes replaced.
std::string with_sizes(const SpecValue& tensor, const std::map<std::string, std::string>& sizes) {
  SizedText parts = SizedText::of(tensor);
  for (std::string& word : parts.sizes) {
    if (word.find_first_not_of("0123456789") == std::string::npos) continue;
    const auto size = sizes.find(word);
    if (size == sizes.end()) {
      tensor.refuse("'" + word + "' is neither a number nor one of \"sizes\"");
    }
    word = size->second;
  }
  return parts.begin + joined(parts.sizes, ",") + parts.end;
}

/// Refuses names that are no inputs of the operator, and inputs that are missing.
void require_inputs(const SpecValue& tensors, const operators::OperatorInfo& info) {
  const std::vector<std::string> known = operators::input_names(info);
  std::set<std::string> given;
  for (const auto& member : tensors.object()) {
    const std::string name = member.key();
    const operators::TensorSpec* spec = operators::find_tensor(info, name);
    if (spec != nullptr && spec->direction != operators::Direction::kOut) {
      given.insert(spec->name);
      continue;
    }
    const std::string hint = did_you_mean(name, known);
    tensors.refuse(info.name + " has no input '" + name + "'" +
                   (hint.empty() ? "; its inputs are " + joined(known) : hint));
  }
  for (const operators::TensorSpec& spec : info.tensors) {
    if (spec.direction == operators::Direction::kOut || spec.need != "required") continue;
    if (!given.contains(spec.name))
      tensors.refuse(info.name + " needs the input '" + spec.name + "'");
  }
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

/// Refuses sizes that no tensor has: runs would differ in nothing but their names.
void require_used_sizes(const SpecValue& entry, const SpecValue& tensors) {
  const auto sizes = entry.find("sizes");
  if (!sizes) return;
  for (const auto& size : sizes->object()) {
    const std::string name = size.key();
    const auto& all = tensors.object();
    const bool used = std::any_of(all.begin(), all.end(), [&](const auto& member) {
      const std::vector<std::string> words = SizedText::of(tensors.at(member.key())).sizes;
      return std::find(words.begin(), words.end(), name) != words.end();
    });
    if (!used) sizes->at(name).refuse("no tensor has this size");
  }
}

std::vector<Piece> shape_pieces(const SpecValue& entry, const operators::Operator& op,
                                const Piece& piece) {
  const SpecValue tensors = entry.at("tensors");
  require_inputs(tensors, op.info());
  require_used_sizes(entry, tensors);
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

}  // namespace

std::vector<Piece> pieces_of(const SpecValue& entry) {
  entry.object({"operator", "cases", "tensors", "sizes", "attrs"});
  const operators::Operator& op = operator_of(entry.at("operator"));
  Piece piece;
  piece.run.operator_name = op.info().name;
  piece.run.attrs = attributes_of(entry, op);
  const bool cases = entry.find("cases").has_value(), tensors = entry.find("tensors").has_value();
  if (cases == tensors) entry.refuse("give either \"cases\" or \"tensors\"");
  if (cases && entry.find("sizes")) entry.refuse("\"sizes\" are those of \"tensors\"");
  return cases ? case_pieces(entry, op, std::move(piece)) : shape_pieces(entry, op, piece);
}

}  // namespace davsim::cli
