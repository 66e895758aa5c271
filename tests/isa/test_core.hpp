// A core that carries every instruction out at once: what tests of the kernel API run on.
#pragma once

#include <cstring>
#include <map>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/core/core_sink.hpp"
#include "isa/exec/execute.hpp"
#include "tests/isa/exec/access_check.hpp"

namespace davsim::test {

/// Global memory of a test: the byte vectors it was told of.
class TestGlobalMap : public isa::GlobalAddressMap {
 public:
  void add(const void* start, std::uint64_t bytes) {
    ranges_[reinterpret_cast<std::uint64_t>(start)] = bytes;
  }
  bool contains(std::uint64_t addr, std::uint64_t bytes) const override {
    auto after = ranges_.upper_bound(addr);
    if (after == ranges_.begin()) return false;
    const auto& [start, size] = *std::prev(after);
    return addr - start <= size && bytes <= size - (addr - start);
  }
  std::string describe(std::uint64_t, std::uint64_t) const override { return "test memory"; }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

class TestCore : public isa::CoreSink {
 public:
  TestCore() {
    const std::pair<isa::Space, std::size_t> sizes[] = {
        {isa::Space::kL1, 512 * 1024},     {isa::Space::kL0A, 64 * 1024},
        {isa::Space::kL0B, 64 * 1024},     {isa::Space::kL0C, 128 * 1024},
        {isa::Space::kBt, 1024},           {isa::Space::kFb, 7 * 1024},
        {isa::Space::kUb, 192 * 1024},     {isa::Space::kSparseIndex, 16 * 1024},
        {isa::Space::kSpr, isa::kSprBytes}};
    for (const auto& [space, bytes] : sizes) {
      auto& buffer = buffers_[space];
      buffer.resize(bytes);
      memory.attach(space, buffer);
    }
    memory.attach_global(&global);
    become(isa::CoreType::AIV);
    isa::set_current_core(this);
  }
  ~TestCore() override { isa::set_current_core(nullptr); }

  /// Gives it the type and the pipes of one of dav-c220's cores; its buffers stay those of both.
  void become(isa::CoreType type) {
    using isa::Pipe;
    id.type = type;
    id.pipes = {};
    id.pipes.add(Pipe::MTE2);
    id.pipes.add(Pipe::MTE3);
    if (type == isa::CoreType::AIV) {
      id.pipes.add(Pipe::V);
    } else {
      for (const Pipe pipe : {Pipe::M, Pipe::MTE1, Pipe::FIX}) id.pipes.add(pipe);
    }
  }

  void emit(const isa::Instr& instr) override {
    const isa::DecodedInstr decoded = isa::decode(instr, memory);
    // Global memory is not put back between the two times that the check carries it out.
    if (access_checks_left_ > 0 && instr.dst.space != isa::Space::kGm) {
      --access_checks_left_;
      AccessCheck(decoded, memory, buffers_).run();
    } else {
      isa::execute(decoded, memory);
    }
    emitted.push_back(instr);
  }
  void scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation) override {
    std::memcpy(to, memory.at(from.space, from.addr, bytes), bytes);
  }
  void scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                    isa::SourceLocation) override {
    std::memcpy(memory.at(to.space, to.addr, bytes), from, bytes);
  }
  void clean_and_invalidate(std::uint64_t, std::uint64_t, isa::SourceLocation) override {}
  void inspect(const isa::Operand& from, void* to, std::size_t bytes,
               isa::SourceLocation) override {
    std::memcpy(to, memory.at(from.space, from.addr, bytes), bytes);
  }
  std::uint64_t cycle() override { return emitted.size(); }
  std::uint64_t system_cycle() override { return emitted.size(); }
  const isa::CoreIdentity& identity() const override { return id; }
  std::uint64_t buffer_size(isa::Space space) const override { return memory.size(space); }

  /// The bytes of an on-chip buffer as elements of T.
  template <class T>
  T* buffer(isa::Space space, std::uint64_t byte_offset = 0) {
    return reinterpret_cast<T*>(buffers_.at(space).data() + byte_offset);
  }

  isa::CoreMemory memory;
  TestGlobalMap global;
  isa::CoreIdentity id;
  std::vector<isa::Instr> emitted;

 private:
  std::map<isa::Space, std::vector<std::byte>> buffers_;
  int access_checks_left_ = 6;  ///< it takes time
};

}  // namespace davsim::test
