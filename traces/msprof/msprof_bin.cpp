#include "traces/msprof/msprof_bin.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

namespace davsim::traces {
namespace {

namespace json = boost::json;

enum class Block : std::uint8_t { kSource = 1, kTimeline = 2, kLines = 3, kInstructions = 4 };

constexpr std::uint64_t kAlignment = 4;
constexpr char kReserved = 0x5a;
constexpr std::size_t kPathBytes = 4096;
/// What Insight does with a column: how it shows its values, or that it does not.
constexpr int kHidden = 0, kInteger = 1, kText = 3, kPercentage = 4;
constexpr int kNotAvailable = -1;
/// A file larger than this is no source of a kernel.
constexpr std::size_t kMostSourceBytes = 16u << 20;

std::uint64_t padding_of(std::uint64_t bytes) {
  return (kAlignment - bytes % kAlignment) % kAlignment;
}

/// contentSize (with padding), type, padding, version, reserved: little-endian, packed.
std::string header(Block type, std::uint64_t bytes) {
  const std::uint64_t padding = padding_of(bytes), size = bytes + padding;
  std::string text;
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>(size >> (8 * byte) & 0xff);
  text += static_cast<char>(type);
  text += static_cast<char>(padding);
  text += type == Block::kInstructions ? '\0' : kReserved;  // version
  return text + kReserved;
}

void write_block(std::ostream& out, Block type, const std::string& content,
                 const std::string& path = "") {
  out << header(type, content.size());
  if (type == Block::kSource) {
    std::string field = path.substr(0, kPathBytes - 1);
    field.resize(kPathBytes, '\0');
    out << field;
  }
  out << content << std::string(padding_of(content.size()), '\0');
}

using Cores = std::vector<std::pair<std::string, const MsprofHotSpots*>>;

json::array names(const Cores& cores) {
  json::array list;
  for (const auto& [name, hot_spots] : cores) list.emplace_back(name);
  return list;
}

/// A value a core, `otherwise` for those that have none.
class PerCore {
 public:
  PerCore(std::size_t cores, std::int64_t otherwise) : values_(cores, otherwise) {}
  void set(std::size_t core, std::uint64_t value) {
    values_[core] = static_cast<std::int64_t>(value);
  }
  json::array json() const { return json::array(values_.begin(), values_.end()); }

 private:
  std::vector<std::int64_t> values_;
};

/// The columns that instructions and lines have in common.
struct CommonColumns {
  explicit CommonColumns(std::size_t cores)
      : calls(cores, 0),
        cycles(cores, 0),
        bytes(cores, kNotAvailable),
        none(cores, kNotAvailable) {}
  void set(std::size_t core, const MsprofHotSpots::Row& row) {
    calls.set(core, row.calls);
    cycles.set(core, row.cycles);
    if (row.bytes > 0) bytes.set(core, row.bytes);
  }
  void add_to(json::object& object) const {
    object["Instructions Executed"] = calls.json();
    object["Cycles"] = cycles.json();
    object["Process Bytes"] = bytes.json();
    object["GPR Count"] = none.json();
  }
  PerCore calls, cycles, bytes, none;
};

json::object instructions_json(const Cores& cores) {
  struct Entry {
    const MsprofHotSpots::Row* row;
    CommonColumns columns;
  };
  std::map<std::uint64_t, Entry> entries;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    for (const auto& [address, row] : cores[core].second->instructions()) {
      entries.try_emplace(address, Entry{&row, CommonColumns(cores.size())})
          .first->second.columns.set(core, row);
    }
  }
  json::array list;
  for (const auto& [address, entry] : entries) {
    json::object object = {{"Address", hex_text(address)},
                           {"AscendC Inner Code", entry.row->line},
                           {"Source", std::string(entry.row->name) + " " + entry.row->detail},
                           {"Pipe", std::string(entry.row->lane)}};
    entry.columns.add_to(object);
    for (const char* column :
         {"Vector Utilization Percentage", "UB Read Conflict", "UB Write Conflict"}) {
      object[column] = entry.columns.none.json();
    }
    list.push_back(std::move(object));
  }
  const json::object types = {{"Address", kText},
                              {"AscendC Inner Code", kHidden},
                              {"Source", kText},
                              {"Pipe", kText},
                              {"Instructions Executed", kInteger},
                              {"Cycles", kInteger},
                              {"GPR Count", kInteger},
                              {"Process Bytes", kInteger},
                              {"Vector Utilization Percentage", kPercentage},
                              {"UB Read Conflict", kInteger},
                              {"UB Write Conflict", kInteger}};
  return {{"Cores", names(cores)},
          {"Instructions Dtype", {{"Instructions", types}}},
          {"Instructions", std::move(list)}};
}

struct Line {
  std::string file;
  std::uint32_t number = 0;
  auto operator<=>(const Line&) const = default;  // NOLINT(modernize-use-nullptr): tidy 14 errs
};

Line line_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return {text.substr(0, colon), static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)))};
}

json::object lines_json(const Cores& cores) {
  std::map<Line, CommonColumns> lines;
  std::map<Line, std::set<std::uint64_t>> addresses;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    for (const auto& [line, row] : cores[core].second->lines()) {
      lines.try_emplace(line_of(line), CommonColumns(cores.size())).first->second.set(core, row);
    }
    for (const auto& [address, row] : cores[core].second->instructions()) {
      if (!row.line.empty()) addresses[line_of(row.line)].insert(address);
    }
  }
  std::map<std::string, json::array> files;
  for (const auto& [line, columns] : lines) {
    json::array ranges;
    for (const std::uint64_t address : addresses[line]) {
      ranges.push_back(json::array{hex_text(address), hex_text(address)});
    }
    json::object object = {{"Line", line.number}, {"Address Range", std::move(ranges)}};
    columns.add_to(object);
    files[line.file].push_back(std::move(object));
  }
  json::array list;
  for (auto& [file, of_file] : files) {
    list.push_back({{"Source", file}, {"Lines", std::move(of_file)}});
  }
  const json::object types = {{"Line", kInteger},         {"Cycles", kInteger},
                              {"GPR Count", kInteger},    {"Instructions Executed", kInteger},
                              {"Address Range", kHidden}, {"Process Bytes", kInteger}};
  return {{"Cores", names(cores)}, {"Files Dtype", {{"Lines", types}}}, {"Files", std::move(list)}};
}

/// The text of a source file; "" if it cannot be read or is too large.
std::string source_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.size() <= kMostSourceBytes ? text : "";
}

}  // namespace

std::ostream& MsprofBin::begin_timeline(std::ostream& copy) {
  out_ << header(Block::kTimeline, 0);  // its size is known at the end
  tee_ = std::make_unique<TeeStream>(out_, copy);
  return *tee_;
}

void MsprofBin::end_timeline() {
  const std::uint64_t bytes = tee_->bytes();
  tee_.reset();
  out_ << std::string(padding_of(bytes), '\0');
  out_.seekp(0);
  out_ << header(Block::kTimeline, bytes);
  out_.seekp(0, std::ios::end);
}

void MsprofBin::write_hot_spots(const Cores& cores) {
  const json::object lines = lines_json(cores);
  for (const json::value& file : lines.at("Files").as_array()) {
    const std::string path(file.at("Source").as_string());
    const std::string text = source_text(path);
    if (!text.empty()) write_block(out_, Block::kSource, text, path);
  }
  write_block(out_, Block::kLines, json::serialize(lines));
  write_block(out_, Block::kInstructions, json::serialize(instructions_json(cores)));
}

}  // namespace davsim::traces
