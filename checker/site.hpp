// Numbers for the source lines of kernels that touch memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checker/mark.hpp"
#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::checker {

struct Site {
  isa::Opcode op = isa::Opcode::kScalarOp;
  isa::SourceLocation where;
};

class Sites {
 public:
  /// The number of a place; 0, the unknown place, when there are more than can be numbered.
  std::uint16_t number(isa::Opcode op, isa::SourceLocation where);
  const Site& operator[](std::uint16_t number) const { return sites_[number]; }

 private:
  struct Key {
    const char* file;
    std::uint32_t line;
    isa::Opcode op;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const auto file = reinterpret_cast<std::uintptr_t>(key.file);
      return (file ^ (std::size_t{key.line} << 8 | static_cast<std::size_t>(key.op))) *
             0x9e3779b97f4a7c15u;
    }
  };

  std::vector<Site> sites_{1};
  std::unordered_map<Key, std::uint16_t, Hash> numbers_;
  /// The last place of each hash: a loop comes to the same few places again and again.
  struct Known {
    Key key{nullptr, 0, isa::Opcode::kScalarOp};
    std::uint16_t number = 0;
  };
  static constexpr int kRecentBits = 8;
  std::array<Known, std::size_t{1} << kRecentBits> recent_;
};

}  // namespace davsim::checker
