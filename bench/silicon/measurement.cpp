#include "bench/silicon/measurement.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include "traces/output/csv.hpp"

namespace davsim::silicon {
namespace {

constexpr std::array<const char*, 10> kColumns = {
    "id", "family", "kind", "soc", "kernel", "parameters", "l2", "quantity", "value", "note"};

Kind kind_of(const std::string& name) {
  for (const Kind kind : {Kind::kRebuild, Kind::kOurs, Kind::kOmitted}) {
    if (name == kind_name(kind)) return kind;
  }
  throw std::runtime_error("kind is '" + name + "', it must be rebuild, ours or omitted");
}

double number_of(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !(value > 0)) {
    throw std::runtime_error("value is '" + text + "', it must be a number above 0");
  }
  return value;
}

Measurement measurement_of(const std::vector<std::string>& fields) {
  if (fields.size() != kColumns.size()) {
    throw std::runtime_error(std::to_string(fields.size()) + " columns instead of " +
                             std::to_string(kColumns.size()));
  }
  Measurement m;
  m.id = fields[0];
  m.family = fields[1];
  m.kind = kind_of(fields[2]);
  m.soc = fields[3];
  m.kernel = fields[4];
  m.parameters = fields[5];
  m.warm = fields[6] == "warm";
  m.quantity = fields[7];
  m.note = fields[9];
  if (m.kind == Kind::kOmitted) return m;
  m.value = number_of(fields[8]);
  if (fields[6] != "warm" && fields[6] != "cold") {
    throw std::runtime_error("l2 is '" + fields[6] + "', it must be warm or cold");
  }
  return m;
}

}  // namespace

const char* kind_name(Kind kind) {
  if (kind == Kind::kRebuild) return "rebuild";
  return kind == Kind::kOurs ? "ours" : "omitted";
}

std::vector<Measurement> read_measurements(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  const std::vector<std::string> header = traces::csv_fields(line);
  if (!std::equal(header.begin(), header.end(), kColumns.begin(), kColumns.end())) {
    throw std::runtime_error(path + ":1: the columns are not those of docs/silicon-kernels.md");
  }
  std::vector<Measurement> all;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    try {
      all.push_back(measurement_of(traces::csv_fields(line)));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return all;
}

}  // namespace davsim::silicon
