// Compares an access of a core with the cells of the bytes that it touches.
#include <algorithm>
#include <optional>

#include "checker/core_checker.hpp"

namespace davsim::checker {

using isa::Access;
using isa::Pipe;
using isa::Space;

namespace {

/// The number of the on-chip buffer that an access names; 0 without one.
std::uint16_t number_of_buffer(const Access& access) {
  const bool named = access.operand != nullptr && access.space != Space::kGm;
  return named ? access.operand->buffer : std::uint16_t{0};
}

}  // namespace

/// Reads the cells of an access. Finds what has no value: if the results depend on it part by part,
/// they have none either; else the longest such range of a row is reported. Of units of which a
/// part may be all that is used, only whole ones count; of vector instructions it is known which
/// results use which part.
struct CoreChecker::Reader {
  CoreChecker& checker;
  const Current& current;
  const Access& access;
  std::uint64_t base = 0;                        ///< the address of the shadow's first byte
  std::vector<Unset>& in_row = checker.in_row_;  ///< addresses are those of the shadow

  void change(Cell& cell, const Shadow::Run& run) {
    checker.read(current, {access, base, run}, cell);
  }
  void unset(std::uint64_t from, std::uint64_t to, std::uint16_t site) {
    if (!in_row.empty() && in_row.back().to == from && in_row.back().site == site) {
      in_row.back().to = to;
    } else {
      in_row.push_back({access.operand, from, to, site});
    }
  }
  void end_row(std::uint64_t row_bytes) {
    if (in_row.empty()) return;
    const bool flows = checker.passes_on(current, access);
    const bool around = access.kind == Access::Kind::kReadAround &&
                        !(flows && isa::info(current.op).unit == isa::Unit::Vector);
    const std::uint64_t least = around ? std::min(row_bytes, access.unit) : 1;
    std::erase_if(in_row, [&](const Unset& unset) { return unset.bytes() < least; });
    if (flows) {
      checker.unset_.insert(checker.unset_.end(), in_row.begin(), in_row.end());
    } else if (!in_row.empty()) {
      report(*std::max_element(in_row.begin(), in_row.end(), [](const Unset& a, const Unset& b) {
        return a.bytes() < b.bytes();
      }));
    }
    in_row.clear();
  }
  void report(const Unset& unset) const {
    if (unset.site != 0) return checker.uses_unset(current, unset.site);
    checker.uninitialised(current, {access.space, base + unset.from, unset.bytes(), unset.operand});
  }
};

struct CoreChecker::Writer {
  CoreChecker& checker;
  const Current& current;
  const Access& access;
  std::uint64_t base = 0;

  void change(Cell& cell, const Shadow::Run& run) {
    checker.write(current, {access, base, run}, cell);
  }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
  void end_row(std::uint64_t) {}
};

CoreChecker::Bytes CoreChecker::bytes_of(const Touched& touched) {
  const std::uint64_t from = touched.run.from();
  return {touched.access.space, touched.base + from, touched.run.end() - from,
          touched.access.operand};
}

/// A call that reserves bytes may write all of them, so all of them count as written.
std::optional<Access> CoreChecker::all_reserved(const Access& access) const {
  if (access.operand == nullptr || !access.writes()) return std::nullopt;
  const BufferTable::Buffer* buffer = buffer_of(*access.operand);
  if (buffer == nullptr || !buffer->reserved()) return std::nullopt;
  Access whole;
  whole.space = access.space;
  whole.kind = access.kind;
  whole.operand = access.operand;
  whole.addr = buffer->made.addr;
  whole.bytes = buffer->made.bytes;
  return whole;
}

bool CoreChecker::check_access(const Current& current, const Access& made) {
  const bool inside = check_room(current, made);
  const std::optional<Access> reserved = all_reserved(made);
  const Access& access = reserved ? *reserved : made;
  if (access.space == Space::kGm && access.writes()) {
    run_.polls.core_writes(core_, current.mark.stamp);
  }
  if (access.writes()) {
    touch(access, Writer{*this, current, access});
  } else {
    touch(access, Reader{*this, current, access});
  }
  return inside;
}

/// Shows the cells of all rows of an access to `visitor`.
template <class Visitor>
void CoreChecker::touch(const Access& access, Visitor visitor) {
  const Shadow::Part part{++run_.accesses, access.block_mask};
  if (access.space != Space::kGm) {
    Shadow& shadow = local_[static_cast<std::size_t>(access.space)];
    access.for_each_run([&](std::uint64_t addr, std::uint64_t bytes) {
      shadow.update(part, addr, bytes, visitor);
      visitor.end_row(bytes);
    });
    return;
  }
  access.for_each_run([&](std::uint64_t addr, std::uint64_t bytes) {
    GlobalShadow::Region* region = run_.global.find(addr);
    if (region == nullptr || bytes > region->bytes - (addr - region->start)) return;
    visitor.base = region->start;
    region->shadow.update(part, addr - region->start, bytes, visitor);
    visitor.end_row(bytes);
  });
}

bool CoreChecker::ordered(const Current& current, Space space, const Mark& old) const {
  if (old.stamp <= run_.floor || old.stamp == current.mark.stamp) return true;
  const Agent agent = old.agent;
  if (core_of(agent) == core_ && pipe_of(agent) == current.pipe) {
    if (current.pipe == Pipe::S || space == Space::kSpr) return true;
    if (current.pipe == Pipe::M && (old.traits & kLongMmad) != 0) return true;
  }
  if (old.stamp <= current.clock->known(agent)) return true;
  return space == Space::kGm && run_.polls.is_over(old, core_, *current.clock);
}

/// Whether another buffer has overwritten the bytes that the buffer of this read held.
bool CoreChecker::covered_by_mistake(const Access& access, const Cell& cell) const {
  const std::uint16_t reader = number_of_buffer(access);
  if (buffers_.is_reserved(cell.writer)) return !buffers_.is_reserved(reader);
  return cell.covered != 0 && cell.covered == reader;
}

void CoreChecker::read(const Current& current, const Touched& touched, Cell& cell) {
  const Access& access = touched.access;
  if (!run_.unwritten_reads.empty()) note_user(cell);
  if (cell.write.stamp != 0) {
    if (access.space == Space::kGm) check_adders(current, touched, cell.write);
    if (!ordered(current, access.space, cell.write)) {
      race(current, bytes_of(touched), false, cell.write, true);
      if (access.space == Space::kGm) poll(current, bytes_of(touched), cell.write);
    } else if (access.space == Space::kGm) {
      if (core_of(cell.write.agent) != core_) {
        run_.polls.read_again(current.mark, read_bytes(current), cell.write);
      }
      check_stale_copy(current, touched, cell);
      check_store_left(current, touched, cell);
    } else if (covered_by_mistake(access, cell)) {
      overlap(current, bytes_of(touched), cell.write, cell.writer);
    }
  }
  cell.add_read(current.mark, [&](const Mark& old) { return ordered(current, access.space, old); });
}

/// What was added before the last addition, too.
void CoreChecker::check_adders(const Current& current, const Touched& touched, const Mark& write) {
  if ((write.traits & kAtomicBits) == 0 || write.stamp == current.mark.stamp) return;
  run_.adders.for_each_before(write, [&](const Mark& old) {
    if (ordered(current, Space::kGm, old)) return;
    race(current, bytes_of(touched), touched.access.writes(), old, true);
    // The last addition may be the reader's own, which tells it nothing of the others.
    if (!touched.access.writes()) poll(current, bytes_of(touched), old);
  });
}

void CoreChecker::write(const Current& current, const Touched& touched, Cell& cell) {
  const Access& access = touched.access;
  const std::uint16_t atomic = current.mark.traits & kAtomicBits;
  const bool adds = atomic != 0 && access.space == Space::kGm;
  const bool alike = adds && (cell.write.traits & kAtomicBits) == atomic;
  const bool shared =
      access.space == Space::kGm && run_.polls.follows(access.high() - access.low());
  if (shared && current.pipe == Pipe::S) {
    run_.polls.wrote(current.mark, known_behind_store(current, bytes_of(touched).addr), cell);
  } else if (shared) {
    run_.polls.wrote(current.mark, *current.clock, cell);
  }
  if (access.space == Space::kGm && !alike) check_adders(current, touched, cell.write);
  if (alike && cell.write.stamp > run_.floor) run_.adders.added(current.mark, cell.write);
  if (cell.write.stamp != 0 && !alike && !ordered(current, access.space, cell.write)) {
    race(current, bytes_of(touched), true, cell.write, true);
  }
  cell.for_each_read([&](const Mark& old) {
    if (ordered(current, access.space, old)) return;
    race(current, bytes_of(touched), true, old, false);
    if (shared && core_of(old.agent) != core_) run_.polls.overwrote(current.mark, old);
  });
  if (adds && !cell.written) uninitialised(current, bytes_of(touched));
  const std::uint16_t buffer = number_of_buffer(access);
  if (buffer != cell.writer) {
    cell.covered =
        buffers_.overlap_by_mistake(buffer, cell.writer) ? cell.writer : std::uint16_t{0};
    cell.writer = buffer;
  }
  cell.write = current.mark;
  cell.reads = {};
  cell.more_reads = nullptr;
  cell.written = true;
  cell.made_of_unwritten = 0;
}

// --- the data cache ------------------------------------------------------------------------------

const char CoreChecker::kStillInCache[] =
    "the scalar unit's store is still in its data cache: DataCacheCleanAndInvalid must come "
    "between";

void CoreChecker::check_stale_copy(const Current& current, const Touched& touched,
                                   const Cell& cell) {
  if (place_of(current.mark.agent) != kScalarLoads) return;
  const std::uint64_t addr = touched.base + touched.run.from();
  const Stamp fetched = cache_.fetched(addr, current.mark.stamp);
  const bool own_store = cell.write.agent == agent_of(core_, static_cast<std::uint32_t>(Pipe::S));
  if (own_store || cell.write.stamp <= fetched) return;
  stale(current, bytes_of(touched), false, cell.write,
        "the scalar unit holds a copy of the line from before this write: "
        "DataCacheCleanAndInvalid must come before the load");
  cache_.fetch_again(addr, current.mark.stamp);
}

void CoreChecker::check_store_left(const Current& current, const Touched& touched,
                                   const Cell& cell) {
  const Agent writer = cell.write.agent;
  if (cell.write.stamp <= run_.floor || pipe_of(writer) != Pipe::S) return;
  if (core_of(writer) == core_ && current.pipe == Pipe::S) return;
  const Bytes bytes = bytes_of(touched);
  if (!still_in_cache(bytes, cell.write)) {
    const auto left = left_by_end(bytes, cell.write);
    if (!left || *left <= current.clock->known(writer)) return;
    stale(current, bytes, false, cell.write,
          "only the end of the block wrote back the scalar unit's store, and nothing orders that "
          "before this read: DataCacheCleanAndInvalid must follow the store");
    return;
  }
  stale(current, bytes, false, cell.write, kStillInCache);
}

/// Whether a store of a scalar unit, the last write of the bytes, was not written back.
bool CoreChecker::still_in_cache(const Bytes& bytes, const Mark& write) const {
  const Agent writer = write.agent;
  return write.stamp > run_.floor && pipe_of(writer) == Pipe::S &&
         run_.cores[core_of(writer)]->cache().holds_store(bytes.addr, bytes.bytes);
}

/// When the end of a block wrote back such a store, if it did.
std::optional<Stamp> CoreChecker::left_by_end(const Bytes& bytes, const Mark& write) const {
  const Agent writer = write.agent;
  if (write.stamp <= run_.floor || pipe_of(writer) != Pipe::S) return std::nullopt;
  const auto left = run_.cores[core_of(writer)]->cache().left_at(bytes.addr, bytes.bytes);
  return left && *left < write.stamp ? std::nullopt : left;
}

/// What is over for a core that sees a store of the scalar unit: the stores before it that were
/// written back, too. They are numbered in order, so the first one still in the cache ends them.
Clock CoreChecker::known_behind_store(const Current& current, std::uint64_t addr) const {
  Clock clock = *current.clock;
  const Stamp next = cache_.first_store_beside(addr).value_or(current.mark.stamp);
  clock.set_own(static_cast<std::uint32_t>(Pipe::S), next - 1);
  return clock;
}

namespace {

/// Reads cells and changes none.
template <class Look>
struct Looker {
  Look look;
  void change(const Cell& cell, const Shadow::Run& run) { look(cell, run); }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

}  // namespace

/// The device writes a line back as a whole. If another core has written other bytes of the line
/// since it was fetched, one of the two writes is undone. A store past the cache undoes nothing,
/// and is undone by a line that another core has yet to write back.
bool CoreChecker::store_is_undone(const Current& current, const Mark& old,
                                  std::uint64_t line) const {
  const Agent agent = old.agent;
  if (old.stamp <= run_.floor || core_of(agent) == core_) return false;
  if (!stores_pass_the_cache_) {
    if (!ordered(current, Space::kGm, old)) return true;
    if (old.stamp > cache_.fetched_at(line).value_or(current.mark.stamp)) return true;
  }
  return pipe_of(agent) == Pipe::S &&
         run_.cores[core_of(agent)]->cache().holds_store(line, ScalarCache::kLine);
}

void CoreChecker::check_line_shared(const Current& current, const isa::Operand& to) {
  GlobalShadow::Region* region = run_.global.find(to.addr);
  if (region == nullptr) return;
  const std::uint64_t line = to.addr / ScalarCache::kLine * ScalarCache::kLine;
  const std::uint64_t from = std::max(line, region->start);
  const std::uint64_t end = std::min(line + ScalarCache::kLine, region->start + region->bytes);
  Looker looker{[&](const Cell& cell, const Shadow::Run& run) {
    if (cell.write.stamp == 0 || !store_is_undone(current, cell.write, line)) return;
    stale(current, {Space::kGm, region->start + run.from(), run.end() - run.from(), &to}, true,
          cell.write,
          "two cores write into one line of 64 bytes, which a data cache writes back as a whole: "
          "one undoes what the other wrote; cores must store at least a line apart");
  }};
  region->shadow.update({++run_.accesses, isa::Access::kWholeBlocks}, from - region->start,
                        end - from, looker);
}

// --- bounds of tensors ---------------------------------------------------------------------------

CoreChecker::Room CoreChecker::room_of(const isa::Operand& operand) const {
  const isa::GlobalBuffer* tensor = globals_.find(operand);
  if (tensor == nullptr) return {};
  if (tensor->bytes != 0) {
    return {tensor->addr, tensor->addr + tensor->bytes, "the " + name_of(*tensor)};
  }
  const GlobalShadow::Region* region = run_.global.find(tensor->addr);
  if (region == nullptr) return {};
  return {region->start, region->start + region->bytes,
          "allocation '" + region->name + "', in which the " + name_of(*tensor) + " starts"};
}

/// Whether the access stays inside its tensor.
bool CoreChecker::check_room(const Current& current, const Access& access) {
  if (access.operand == nullptr) return true;
  const std::uint64_t low = access.low(), end = access.high();
  const isa::Operand& operand = *access.operand;
  const Bytes bytes{access.space, low, end - low, &operand};
  if (access.space != Space::kGm) {
    const BufferTable::Buffer* buffer = buffer_of(operand);
    if (buffer == nullptr || (low >= buffer->made.addr && end <= buffer->end())) return true;
    overrun(current, bytes, access.writes(),
            {buffer->made.addr, buffer->end(), "the " + buffer->name()});
    return false;
  }
  if (operand.room != isa::Operand::kUnbounded && end > operand.addr + operand.room) {
    Room room = room_of(operand);
    // A tensor that SetAddr moved keeps its length.
    if (low >= room.start && end <= room.end) room = {};
    if (room.end == 0) room = {operand.addr, operand.addr + operand.room, "the GlobalTensor"};
    overrun(current, bytes, access.writes(), room);
    return false;
  }
  const GlobalShadow::Region* region = run_.global.find(low);
  if (region == nullptr) return true;
  const isa::GlobalBuffer* tensor = globals_.find(operand);
  if (tensor != nullptr && tensor->addr - region->start >= region->bytes) {
    const Room room = room_of(operand);
    if (room.end != 0 && (low < room.start || end > room.end)) {
      overrun(current, bytes, access.writes(), room);
      return false;
    }
  }
  if (end <= region->start + region->bytes) return true;
  overrun(current, bytes, access.writes(),
          {region->start, region->start + region->bytes, "allocation '" + region->name + "'"});
  return false;
}

/// Reads come first: what an instruction overwrites after having read it is not lost.
void CoreChecker::check_cuts(const Current& current) {
  for (const Access& access : accesses_) {
    if (access.writes()) continue;
    if (const auto taken = cuts_.read(access)) cut_overlap(current, access, *taken);
  }
  const bool fills = isa::info(current.op).unit == isa::Unit::Vector
                         ? current.op == isa::Opcode::kDuplicate
                         : current.op == isa::Opcode::kFillL0 || current.op == isa::Opcode::kFillL1;
  for (const Access& access : accesses_) {
    if (access.writes()) cuts_.written(access, current.mark, fills);
  }
}

}  // namespace davsim::checker
