// The two ends of the messages of a vector core to its cube core: words in global memory, which the
// scalar units write and poll. Each vector core has a part of the library's workspace: two lines
// with the message, a line with the count of answers, a tiling, and room for tiles.
#pragma once

#include <exception>

#include "isa/core/library_workspace.hpp"
#include "lib/matmul/matmul_message.h"

namespace davsim::api {

/// The part of one vector core.
class MatmulMailbox {
 public:
  static constexpr std::uint64_t kLine = 64;
  static constexpr std::uint64_t kAnswerAt = 192, kTilingAt = 256;
  static constexpr std::uint64_t kReadAt = kAnswerAt + 8;      ///< messages that were read
  static constexpr std::uint64_t kOfOtherAt = kAnswerAt + 16;  ///< answers to the other core
  /// Room for results on their way to UB, and for operands on their way out of it.
  static constexpr std::uint64_t kResultsAt = isa::LibraryWorkspace::kWordBytes;
  static constexpr std::uint64_t kOperandsAt = 257 << 10;

  /// `index` counts the vector cores of the launch.
  static MatmulMailbox of(std::uint64_t index, Location where) {
    constexpr std::uint64_t kBytes = isa::LibraryWorkspace::kBytesOfCore;
    const isa::LibraryWorkspace all = isa::library_workspace();
    if (all.start == 0 || (index + 1) * kBytes > all.bytes) {
      fail(isa::FaultClass::kParameter, "REGIST_MATMUL_OBJ",
           {"the launch has no workspace for messages between vector and cube cores: the kernel's "
            "type must be MIX_AIC_1_1 or MIX_AIC_1_2"},
           where);
    }
    MatmulMailbox box;
    box.start_ = all.start + index * kBytes;
    return box;
  }
  std::uint64_t at(std::uint64_t offset) const { return start_ + offset; }

  /// Reads or writes words past the data cache. A checker knows them by their address.
  void read(std::uint64_t offset, void* to, std::uint64_t bytes, Location where) const {
    for_lines(offset, bytes, [&](std::uint64_t line, std::uint64_t from, std::uint64_t n) {
      isa::current_core().clean_and_invalidate(line, kLine, where);
      for (std::uint64_t word = 0; word < n; word += kWord) {
        isa::current_core().scalar_load(operand(from + word),
                                        static_cast<std::byte*>(to) + (from + word - at(offset)),
                                        kWord, where);
      }
    });
  }
  void write(std::uint64_t offset, const void* from, std::uint64_t bytes, Location where) const {
    for_lines(offset, bytes, [&](std::uint64_t line, std::uint64_t to, std::uint64_t n) {
      for (std::uint64_t word = 0; word < n; word += kWord) {
        isa::current_core().scalar_store(
            operand(to + word), static_cast<const std::byte*>(from) + (to + word - at(offset)),
            kWord, where);
      }
      isa::current_core().clean_and_invalidate(line, kLine, where);
    });
  }

 private:
  static constexpr std::uint64_t kWord = 8;

  static isa::Operand operand(std::uint64_t address) {
    return {isa::Space::kGm, isa::DType::kU64, address};
  }
  template <class Visit>
  void for_lines(std::uint64_t offset, std::uint64_t bytes, Visit visit) const {
    for (std::uint64_t done = 0; done < bytes;) {
      const std::uint64_t address = at(offset) + done;
      const std::uint64_t n = std::min(bytes - done, kLine - address % kLine);
      visit(address / kLine * kLine, address, n);
      done += n;
    }
  }

  std::uint64_t start_ = 0;
};

/// The vector core's end, which the objects of a REGIST_MATMUL_OBJ share.
class MatmulClient {
 public:
  explicit MatmulClient(MatmulMailbox box) : box_(box) {}

  const MatmulMailbox& box() const { return box_; }
  void send(MatmulMessage message, Location where) {
    // What the core was writing to global memory is there before the message is.
    flow<AscendC::HardEvent::MTE3_S>(where);
    message.number = ++counts_.sent;
    if (message.has(MatmulMessage::kAnswer)) ++counts_.answers;
    box_.write(0, &message, sizeof(message), where);
  }
  void send_tiling(const TCubeTiling& tiling, Location where) {
    box_.write(MatmulMailbox::kTilingAt, &tiling, sizeof(tiling), where);
  }
  /// Blocks of a kIterateEach that will be announced.
  void expect(std::uint64_t answers) { counts_.answers += answers; }
  std::uint64_t expected() const { return counts_.answers; }
  /// Waits until the cube core has given so many answers.
  void await(std::uint64_t answers, Location where) {
    poll(MatmulMailbox::kAnswerAt, answers, got_, where);
  }
  /// A message may be written once the cube core has read the last one.
  void await_read(Location where) {
    std::uint64_t read = 0;
    poll(MatmulMailbox::kReadAt, counts_.sent, read, where);
  }
  /// The other vector core asks for a product of both, perhaps while this one still waits for
  /// products of its own: its answers are counted apart.
  void expect_of_other() { ++counts_.answers_of_other; }
  void await_all(Location where) {
    await(expected(), where);
    poll(MatmulMailbox::kOfOtherAt, counts_.answers_of_other, got_of_other_, where);
  }
  /// The cube core serves these objects no longer.
  void quit(Location where) {
    if (has_quit_) return;
    await_read(where);
    MatmulMessage message;
    message.op = MatmulOp::kQuit;
    send(message, where);
    has_quit_ = true;
  }
  bool has_quit() const { return has_quit_; }

  /// What the first pipe has been given ends before the second goes on. Nothing is in flight behind
  /// the end of the TPipe.
  template <AscendC::HardEvent event>
  static void flow(Location where) {
    if (registers().tpipe == nullptr) return;
    const AscendC::TEventID id = AscendC::GetTPipePtr(where)->FetchEventID<event>(where);
    AscendC::SetFlag<event>(id, where);
    AscendC::WaitFlag<event>(id, where);
  }

  /// A product of `object` is complete; End has to follow before another object computes.
  void completed(const void* object, Location where) {
    if (running_ == object) running_ = nullptr;
    completed_ = object;
    completed_at_ = where;
  }
  void ended(const void* object) {
    if (running_ == object) running_ = nullptr;
    if (completed_ == object) completed_ = nullptr;
  }
  /// Tells a checker where End is missing. Objects whose products run side by side are used on
  /// purpose without it: there is no moment at which the kernel changes from one to the other.
  void begins(const void* object) {
    if (running_ != nullptr && running_ != object) side_by_side_ = true;
    running_ = object;
    if (completed_ == object) completed_ = nullptr;
    isa::CoreWatcher* watcher = isa::current_watcher();
    if (watcher == nullptr || completed_ == nullptr || side_by_side_) return;
    watcher->misused(
        isa::Misuse::kTensor,
        "this product's Matmul object is not ended: End must follow before another object computes",
        completed_at_);
    completed_ = nullptr;
  }

  std::uint32_t objects = 0;  ///< that are alive

 private:
  void poll(std::uint64_t at, std::uint64_t least, std::uint64_t& seen, Location where) const {
    while (seen < least) {
      box_.read(at, &seen, sizeof(seen), where);
      isa::current_core().polled(seen >= least, where);
    }
  }

  MatmulMailbox box_;
  isa::ServerMessages& counts_ = registers().server_messages[0];
  std::uint64_t got_ = counts_.answers, got_of_other_ = counts_.answers_of_other;
  bool has_quit_ = false;
  const void* running_ = nullptr;    ///< the object that began a product last
  const void* completed_ = nullptr;  ///< an object that has to be ended
  bool side_by_side_ = false;        ///< a product began while that of another object ran
  Location completed_at_;
};

/// The cube core's end of one vector core.
class MatmulServed {
 public:
  void open(std::uint32_t vector, MatmulMailbox box, AscendC::TEventID event) {
    counts_ = &registers().server_messages[vector];
    box_ = box;
    event_ = event;
  }
  const MatmulMailbox& box() const { return box_; }
  bool quit = false;

  /// Looks for a message; false if there is none.
  bool look(MatmulMessage& message, Location where) {
    std::uint64_t number = 0;
    box_.read(sizeof(MatmulMessage) - sizeof(number), &number, sizeof(number), where);
    if (number == counts_->sent) return false;
    box_.read(0, &message, sizeof(message), where);
    counts_->sent = number;
    tell(where);
    return true;
  }
  /// Tells the vector core when what Fixpipe was given so far has ended.
  void mark(Location where) { AscendC::SetFlag<AscendC::HardEvent::FIX_S>(event_, where); }
  void announce(Location where) {
    AscendC::WaitFlag<AscendC::HardEvent::FIX_S>(event_, where);
    answer(where);
  }
  void answer(Location where) {
    ++counts_->answers;
    tell(where);
  }
  /// The other vector core's product is there, which this one waits for as well.
  void answer_of_other(Location where) {
    const std::uint64_t answers = ++counts_->answers_of_other;
    box_.write(MatmulMailbox::kOfOtherAt, &answers, sizeof(answers), where);
  }

 private:
  void tell(Location where) {
    const std::uint64_t words[2] = {counts_->answers, counts_->sent};
    box_.write(MatmulMailbox::kAnswerAt, words, sizeof(words), where);
  }

  MatmulMailbox box_;
  AscendC::TEventID event_ = 0;
  isa::ServerMessages* counts_ = nullptr;
};

}  // namespace davsim::api
