#include "traces/msprof/msprof_hot_spots.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "traces/output/csv.hpp"
#include "traces/output/instr_args.hpp"
#include "traces/output/vendor_names.hpp"
#include "traces/source_line.hpp"

namespace davsim::traces {
namespace {

constexpr std::uint64_t kFirstAddress = 0x10000000;
constexpr std::uint64_t kInstructionBytes = 4;

std::string microseconds(Cycle cycles, double mhz) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", static_cast<double>(cycles) / mhz);
  return text;
}

}  // namespace

std::uint64_t InstrAddresses::address(const isa::Instr& instr) {
  const Key key{instr.op, instr.pipe, instr.where.file_name(), instr.where.line()};
  const auto next = kFirstAddress + kInstructionBytes * addresses_.size();
  return addresses_.try_emplace(key, next).first->second;
}

std::string instr_detail(const isa::Instr& instr, std::uint64_t gm_base) {
  if (const auto* flag = std::get_if<isa::FlagParams>(&instr.params)) {
    return "PIPE:" + std::string(vendor_lane(flag->set_pipe).name) +
           ",TRIGGERPIPE:" + std::string(vendor_lane(flag->wait_pipe).name) +
           ",FLAGID:" + std::to_string(flag->id);
  }
  std::array<char, kMostInstrArgs> members;
  const JsonText end =
      write_params(write_operands(JsonText(members.data()), instr, gm_base), instr);
  std::string text(members.data(), end.at());
  if (!text.empty()) text.erase(0, 1);  // the comma in front of the first
  std::erase(text, '"');
  return text;
}

std::string hex_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void MsprofHotSpots::instruction(const InstrEvent& event, std::uint64_t address,
                                 const std::string& detail, std::uint64_t gm_bytes) {
  Row& row = instructions_[address];
  if (row.calls == 0) {
    row.name = event.instr->opcode_info().mnemonic;
    row.lane = vendor_lane(*event.instr).name;
    row.line = source_line(event.instr->where);
    row.detail = detail;
  }
  row.add(event.start, event.end, gm_bytes);
  if (!row.line.empty()) lines_[row.line].add(event.start, event.end, gm_bytes);
}

template <class Key>
std::vector<std::pair<Key, const MsprofHotSpots::Row*>> MsprofHotSpots::by_cycles(
    const std::map<Key, Row>& rows) {
  std::vector<std::pair<Key, const Row*>> sorted;
  for (const auto& [key, row] : rows) sorted.emplace_back(key, &row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second->cycles > b.second->cycles;
  });
  return sorted;
}

void MsprofHotSpots::write_instructions(std::ostream& out, double mhz) const {
  out << "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";
  for (const auto& [address, row] : by_cycles(instructions_)) {
    out << row->name << ',' << address << ',' << row->lane << ',' << row->calls << ','
        << row->cycles << ',' << microseconds(row->running.length(), mhz) << ','
        << csv_field(row->detail) << '\n';
  }
}

void MsprofHotSpots::write_lines(std::ostream& out, double mhz) const {
  out << "code,call_count,cycles,running_time(us)\n";
  for (const auto& [line, row] : by_cycles(lines_)) {
    out << csv_field(line) << ',' << row->calls << ',' << row->cycles << ','
        << microseconds(row->running.length(), mhz) << '\n';
  }
}

}  // namespace davsim::traces
