// Automatic synchronisation of random sequences against the rule, written down over sets of
// accesses: an access waits for what its DataBlocks depend on, where the compiler orders the two
// units and nothing else does.
#include <random>
#include <set>

#include "isa/exec/execute.hpp"
#include "sim/core/auto_sync.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::Pipe;

constexpr std::size_t kUnits = 4;
constexpr Pipe kPipes[kUnits] = {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3};
std::size_t unit_of(Pipe pipe) {
  return static_cast<std::size_t>(std::find(kPipes, kPipes + kUnits, pipe) - kPipes);
}

/// Whose blocks an access touches, and which of them wholly for certain.
struct Blocks {
  bool writes = false;
  std::vector<std::pair<std::uint64_t, bool>> at;  ///< number of the DataBlock, wholly
};

/// The rule. What is known to be over is a set of accesses for each unit.
class Rule {
 public:
  using Known = std::set<std::size_t>;

  void begin_launch() { unordered.clear(); }
  void begin_block() { *this = Rule(std::move(unordered)); }
  Rule() = default;

  void barrier(Pipe pipe) {
    if (pipe != Pipe::ALL) return learn(known_[unit_of(pipe)], of_unit(unit_of(pipe)));
    for (Known& known : known_) {
      for (std::size_t unit = 0; unit < kUnits; ++unit) learn(known, of_unit(unit));
    }
  }
  void set_flag(Pipe from, Pipe to, std::uint32_t id) {
    hear_of_scalar(unit_of(from));
    Known known = known_[unit_of(from)];
    learn(known, of_unit(unit_of(from)));
    flags_.push_back({{from, to, id}, known});
  }
  void wait_flag(Pipe from, Pipe to, std::uint32_t id) {
    hear_of_scalar(unit_of(to));
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      if (flags_[i].first != std::tuple(from, to, id)) continue;
      learn(known_[unit_of(to)], flags_[i].second);
      flags_.erase(flags_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  /// The pipes that an access has to wait for.
  std::vector<Pipe> access(Pipe pipe, const std::vector<Blocks>& parts) {
    const std::size_t unit = unit_of(pipe);
    hear_of_scalar(unit);
    std::set<std::size_t> awaited;
    for (const Blocks& part : parts) {
      for (const auto& [block, whole] : part.at) depend(unit, part.writes, block, whole, awaited);
    }
    std::vector<Pipe> pipes;
    for (const std::size_t other : awaited) {
      pipes.push_back(kPipes[other]);
      if (other != unit) learn(known_[unit], Known(known_[other]));
      learn(known_[unit], of_unit(other));
    }
    const std::size_t number = units_.size();
    units_.push_back(unit);
    for (const Blocks& part : parts) {
      for (const auto& [block, whole] : part.at) {
        const Touch touch{number, whole};
        if (part.writes) {
          written_[block] = touch;
        } else {
          read_[{block, unit}] = touch;
        }
      }
    }
    return pipes;
  }

  std::string unordered;  ///< the first access that nothing orders

 private:
  struct Touch {
    std::size_t number;
    bool whole;
  };
  explicit Rule(std::string before) : unordered(std::move(before)) {}

  static void learn(Known& known, const Known& more) { known.insert(more.begin(), more.end()); }
  Known of_unit(std::size_t unit) const {
    Known all;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (units_[i] == unit) all.insert(i);
    }
    return all;
  }
  /// The scalar unit gives out the instructions of the others.
  void hear_of_scalar(std::size_t unit) {
    if (unit != 0) learn(known_[unit], Known(known_[0]));
  }
  void depend(std::size_t unit, bool writes, std::uint64_t block, bool whole,
              std::set<std::size_t>& awaited) {
    const auto on = [&](const Touch& earlier) {
      const std::size_t other = units_[earlier.number];
      if (known_[unit].contains(earlier.number)) return;
      const bool with_scalar = (other == 0) != (unit == 0);
      if (with_scalar || (other == 1 && unit == 1)) {
        awaited.insert(other);
      } else if (other != unit && whole && earlier.whole && unordered.empty()) {
        unordered = said(kPipes[other], kPipes[unit], block * 32);
      }
    };
    if (written_.contains(block)) on(written_.at(block));
    for (std::size_t reader = 0; writes && reader < kUnits; ++reader) {
      if (read_.contains({block, reader})) on(read_.at({block, reader}));
    }
  }

 public:
  static std::string said(Pipe earlier, Pipe later, std::uint64_t addr) {
    return std::string(isa::pipe_name(earlier)) + " " + std::string(isa::pipe_name(later)) + " " +
           std::to_string(addr);
  }

 private:
  std::vector<std::size_t> units_;  ///< of each access
  std::array<Known, kUnits> known_;
  std::map<std::uint64_t, Touch> written_;
  std::map<std::pair<std::uint64_t, std::size_t>, Touch> read_;
  std::vector<std::pair<std::tuple<Pipe, Pipe, std::uint32_t>, Known>> flags_;
};

class EverythingIsThere : public isa::GlobalAddressMap {
 public:
  bool contains(std::uint64_t, std::uint64_t) const override { return true; }
  std::string describe(std::uint64_t, std::uint64_t) const override { return ""; }
};

/// A core that gives all it is told to AutoSync, and keeps what this inserts.
class Listener : public isa::CoreSink {
 public:
  Listener() : ub_(192 * 1024), auto_sync(memory_) {
    memory_.attach(isa::Space::kUb, ub_);
    memory_.attach_global(&map_);
    for (const Pipe pipe : {Pipe::V, Pipe::MTE2, Pipe::MTE3}) identity_.pipes.add(pipe);
    auto_sync.begin_launch();
    auto_sync.begin_block();
    isa::set_current_core(this);
  }
  ~Listener() override { isa::set_current_core(nullptr); }

  void emit(const isa::Instr& instr) override {
    keep(auto_sync.before(isa::decode(instr, memory_)));
  }
  void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation where) override {
    std::memset(to, 0, bytes);
    keep(auto_sync.before_scalar(from, bytes, false, where));
  }
  void scalar_store(const isa::Operand& to, const void*, std::size_t bytes,
                    isa::SourceLocation where) override {
    keep(auto_sync.before_scalar(to, bytes, true, where));
  }
  void clean_and_invalidate(std::uint64_t, std::uint64_t, isa::SourceLocation) override {}
  void inspect(const isa::Operand&, void*, std::size_t, isa::SourceLocation) override {}
  std::uint64_t cycle() override { return 0; }
  std::uint64_t system_cycle() override { return 0; }
  const isa::CoreIdentity& identity() const override { return identity_; }
  std::uint64_t buffer_size(isa::Space space) const override { return memory_.size(space); }

  /// The pipes awaited since the last call, in their order.
  std::vector<Pipe> take() { return std::exchange(awaited_, {}); }

 private:
  void keep(const std::vector<isa::Instr>& inserted) {
    for (const isa::Instr& instr : inserted) {
      const auto* flag = std::get_if<isa::FlagParams>(&instr.params);
      if (flag == nullptr) {
        awaited_.push_back(instr.pipe);
      } else if (instr.op == isa::Opcode::kWaitFlag) {
        awaited_.push_back(flag->set_pipe);
      }
    }
  }

  std::vector<std::byte> ub_;
  EverythingIsThere map_;
  isa::CoreMemory memory_;
  isa::CoreIdentity identity_;
  std::vector<Pipe> awaited_;

 public:
  sim::AutoSync auto_sync;
};

/// Draws what a kernel does next, and tells both.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : random_(seed) {}

  void next() {
    switch (below(12)) {
      case 0:
        return load();
      case 1:
        return store();
      case 2:
        return fill();
      case 3:
        return masked();
      case 4:
        return strided();
      case 5:
        return scalar(true);
      case 6:
        return scalar(false);
      case 7:
      case 8:
        return flag();
      case 9:
        return barrier();
      case 10:
        return begin();
      default:
        return add();
    }
  }
  void compare() {
    ASSERT_EQ(listener_.take(), awaited_);
    const auto& found = listener_.auto_sync.unordered();
    ASSERT_EQ(found ? Rule::said(found->earlier, found->later, found->addr) : "", rule_.unordered);
    if (found) {
      if (line_ == 0) line_ = found->where.line();
      ASSERT_EQ(found->where.line(), line_) << "it stays the first one";
      ASSERT_NE(line_, 0u);
    } else {
      line_ = 0;
    }
    all_ += awaited_.size();
    unordered_ += found.has_value();
    awaited_.clear();
  }
  std::size_t awaited() const { return all_; }
  std::size_t unordered() const { return unordered_; }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  /// Few DataBlocks at the end of UB, which accesses meet in.
  static constexpr std::uint32_t kBlocks = 24, kStart = 192 * 1024 - kBlocks * 32;
  static LocalTensor<float> floats(std::uint32_t block, std::uint32_t blocks) {
    return ub<float>(kStart + block * 32, blocks * 8);
  }
  static GlobalTensor<float> memory() {
    static float data[256];
    return gm(data, 256);
  }
  /// Whole DataBlocks from `block` on, of which the last one may be touched in part.
  static Blocks run(bool writes, std::uint32_t block, std::uint32_t count,
                    std::uint32_t floats_of_last = 8) {
    Blocks blocks{writes, {}};
    for (std::uint32_t i = 0; i < count; ++i) {
      blocks.at.push_back({kStart / 32 + block + i, i + 1 < count || floats_of_last == 8});
    }
    return blocks;
  }
  void tell(Pipe pipe, const std::vector<Blocks>& parts) {
    for (const Pipe other : rule_.access(pipe, parts)) awaited_.push_back(other);
  }
  std::pair<std::uint32_t, std::uint32_t> place() {
    const std::uint32_t count = 1 + below(6);
    return {below(kBlocks - count + 1), count};
  }

  void load() {
    const auto [block, count] = place();
    DataCopy(floats(block, count), memory(), count * 8);
    tell(Pipe::MTE2, {run(true, block, count)});
  }
  void store() {
    const auto [block, count] = place();
    DataCopy(memory(), floats(block, count), count * 8);
    tell(Pipe::MTE3, {run(false, block, count)});
  }
  void fill() {
    const auto [block, count] = place();
    const std::uint32_t last = 1 + below(8);
    Duplicate(floats(block, count), 1.0f, static_cast<std::int32_t>((count - 1) * 8 + last));
    tell(Pipe::V, {run(true, block, count, last)});
  }
  /// Every DataBlock has a hole.
  void masked() {
    const std::uint32_t block = below(kBlocks - 8 + 1);
    const std::uint64_t mask[2] = {0x7f7f7f7f7f7f7f7f, 0};
    Duplicate(floats(block, 8), 1.0f, mask, 1, 1, 8);
    Blocks blocks = run(true, block, 8);
    for (auto& [at, whole] : blocks.at) whole = false;
    tell(Pipe::V, {blocks});
  }
  /// Every other DataBlock.
  void strided() {
    const std::uint32_t block = below(kBlocks - 8);
    Duplicate(floats(block, 8), 1.0f, std::uint64_t{32}, 1, 2, 8);
    Blocks blocks{true, {}};
    for (std::uint32_t i = 0; i < 4; ++i) blocks.at.push_back({kStart / 32 + block + 2 * i, true});
    tell(Pipe::V, {blocks});
  }
  void add() {
    const auto [to, count] = place();
    const std::uint32_t a = below(kBlocks - count + 1), b = below(kBlocks - count + 1);
    Add(floats(to, count), floats(a, count), floats(b, count),
        static_cast<std::int32_t>(count * 8));
    tell(Pipe::V, {run(false, a, count), run(false, b, count), run(true, to, count)});
  }
  void scalar(bool writes) {
    const std::uint32_t block = below(kBlocks), element = below(8);
    if (writes) {
      floats(block, 1).SetValue(element, 1.0f);
    } else {
      static_cast<void>(floats(block, 1).GetValue(element));
    }
    tell(Pipe::S, {run(writes, block, 1, 1)});
  }
  template <HardEvent event>
  void flag_of(Pipe from, Pipe to, bool set) {
    const auto id = static_cast<std::int32_t>(below(2));
    if (set) {
      SetFlag<event>(id);
      rule_.set_flag(from, to, static_cast<std::uint32_t>(id));
    } else {
      WaitFlag<event>(id);
      rule_.wait_flag(from, to, static_cast<std::uint32_t>(id));
    }
  }
  void flag() {
    const bool set = below(2) == 0;
    switch (below(6)) {
      case 0:
        return flag_of<HardEvent::MTE2_V>(Pipe::MTE2, Pipe::V, set);
      case 1:
        return flag_of<HardEvent::V_MTE3>(Pipe::V, Pipe::MTE3, set);
      case 2:
        return flag_of<HardEvent::MTE3_MTE2>(Pipe::MTE3, Pipe::MTE2, set);
      case 3:
        return flag_of<HardEvent::V_S>(Pipe::V, Pipe::S, set);
      case 4:
        return flag_of<HardEvent::S_MTE3>(Pipe::S, Pipe::MTE3, set);
      default:
        return flag_of<HardEvent::MTE2_S>(Pipe::MTE2, Pipe::S, set);
    }
  }
  void barrier() {
    switch (below(6)) {
      case 0:
        PipeBarrier<PIPE_ALL>();
        return rule_.barrier(Pipe::ALL);
      case 1:
        PipeBarrier<PIPE_MTE2>();
        return rule_.barrier(Pipe::MTE2);
      default:
        PipeBarrier<PIPE_V>();
        return rule_.barrier(Pipe::V);
    }
  }
  /// Seldom, so that there is much to order: a block, or a launch.
  void begin() {
    if (below(6) != 0) return;
    if (below(2) == 0) {
      listener_.auto_sync.begin_launch();
      rule_.begin_launch();
    }
    listener_.auto_sync.begin_block();
    rule_.begin_block();
  }

  std::mt19937_64 random_;
  Listener listener_;
  Rule rule_;
  std::vector<Pipe> awaited_;
  std::size_t all_ = 0, unordered_ = 0;
  std::uint32_t line_ = 0;
};

TEST(AutoSyncRule, HoldsForRandomSequences) {
  std::size_t awaited = 0, unordered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Sequence sequence(seed);
    for (int i = 0; i < 250; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(i));
      sequence.next();
      sequence.compare();
      if (testing::Test::HasFatalFailure()) return;
    }
    awaited += sequence.awaited();
    unordered += sequence.unordered();
  }
  EXPECT_GT(awaited, 500u);
  EXPECT_GT(unordered, 500u);
}

}  // namespace
}  // namespace davsim::test
