// The hot instructions and source lines of one core, in the tables of the vendor's operator
// simulator.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "traces/busy_union.hpp"
#include "traces/observed.hpp"

namespace davsim::traces {

/// Kernels are programs of the host and have no addresses of their own. Every pair of an
/// instruction and a source line gets one, in the order of first use.
class InstrAddresses {
 public:
  std::uint64_t address(const isa::Instr& instr);

 private:
  struct Key {
    isa::Opcode op;
    isa::Pipe pipe;
    const char* file;
    std::uint32_t line;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): tidy 14 errs
  };
  std::map<Key, std::uint64_t> addresses_;
};

/// Operands and parameters as one text: "dst:UB+0x100,src0:GM+0x0,bytes:128"; flags in the vendor's
/// form, "PIPE:MTE2,TRIGGERPIPE:VECTOR,FLAGID:0".
std::string instr_detail(const isa::Instr& instr, std::uint64_t gm_base);

/// Calls and cycles of a core by instruction and by source line.
class MsprofHotSpots {
 public:
  struct Row {
    std::string_view name, lane;
    std::string line, detail;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;  ///< moved from or to global memory
    Cycle cycles = 0;         ///< of all calls together; calls that overlap count twice
    BusyUnion running;

    void add(Cycle begin, Cycle end, std::uint64_t gm_bytes) {
      ++calls;
      bytes += gm_bytes;
      cycles += end - begin;
      running.add(begin, end);
    }
  };
  void instruction(const InstrEvent& event, std::uint64_t address, const std::string& detail,
                   std::uint64_t gm_bytes);
  const std::map<std::uint64_t, Row>& instructions() const {
    return instructions_;
  }                                                                   ///< by address
  const std::map<std::string, Row>& lines() const { return lines_; }  ///< by "path:line"
  /// instr,addr,pipe,call_count,cycles,running_time(us),detail: most cycles first.
  void write_instructions(std::ostream& out, double mhz) const;
  /// code,call_count,cycles,running_time(us): most cycles first.
  void write_lines(std::ostream& out, double mhz) const;

 private:
  template <class Key>
  static std::vector<std::pair<Key, const Row*>> by_cycles(const std::map<Key, Row>& rows);

  std::map<std::uint64_t, Row> instructions_;
  std::map<std::string, Row> lines_;
};

std::string hex_text(std::uint64_t value);  ///< "0x10000004"

}  // namespace davsim::traces
