// Writes the messages of a core to the server of collective operations, and reads the answers.
#include "lib/hccl/hccl_client.h"

#include <cstring>
#include <string>
#include <string_view>

#include "isa/core/collective_steps.hpp"
#include "isa/core/collective_sync.hpp"
#include "isa/core/core_sink.hpp"
#include "isa/instr/fault.hpp"
#include "kernel_tiling/mc2_tiling.h"

namespace davsim::api {
namespace {

constexpr std::uint64_t kLine = 64, kWord = 8;

isa::Operand word_at(std::uint64_t address) {
  return {isa::Space::kGm, isa::DType::kU64, address};
}

void write_words(std::uint64_t to, const void* from, std::uint64_t bytes, Location where) {
  for (std::uint64_t at = 0; at < bytes; at += kWord) {
    isa::current_core().scalar_store(word_at(to + at), static_cast<const std::byte*>(from) + at,
                                     kWord, where);
  }
  for (std::uint64_t at = 0; at < bytes; at += kLine) {
    isa::current_core().clean_and_invalidate(to + at, kLine, where);
  }
}

}  // namespace

void HcclClient::init(const std::uint8_t* context, bool writes, Location where) {
  *this = {};
  context_ = reinterpret_cast<std::uint64_t>(context);
  writes_ = writes;
  isa::CollectiveServer* const server = isa::collective_server();
  if (server != nullptr && context != nullptr) view_ = server->find(context_);
  if (view_ != nullptr) return;
  fail(isa::FaultClass::kParameter, "Hccl::Init",
       {context == nullptr
            ? "the context is a null pointer: the launch has no communicator"
            : "no communicator has this context; contexts come from HcclAllocComResourceByTiling "
              "or with the group of an operator"},
       where);
}

bool HcclClient::choose_tiling(std::uint64_t offset) {
  return tiling_ != nullptr && choose_tiling_at(tiling_ + offset);
}

bool HcclClient::choose_tiling_at(const void* tiling) {
  if (tiling == nullptr) return false;
  davsim_hccl::CcTilingFields chosen;
  std::memcpy(&chosen, tiling, sizeof chosen);
  const std::string_view algorithm(chosen.algConfig,
                                   strnlen(chosen.algConfig, sizeof chosen.algConfig));
  const bool pairwise = algorithm.find("pairwise") != std::string_view::npos;
  step_size_ = pairwise ? chosen.stepSize : 0;
  return true;
}

std::uint32_t HcclClient::steps(Location where) const {
  if (step_size_ == 0 || view_ == nullptr) return 0;
  if (view_->ranks % step_size_ != 0) {
    fail(isa::FaultClass::kParameter, "Hccl::AlltoAllV",
         {"stepSize is " + std::to_string(step_size_) + ", it divides the " +
          std::to_string(view_->ranks) + " ranks"},
         where);
  }
  return view_->ranks / step_size_;
}

void HcclClient::require_ready(const char* call, Location where) const {
  if (view_ != nullptr) return;
  fail(isa::FaultClass::kParameter, call, {"Init or InitV2 was not called"}, where);
}

HcclClient::Prepared* HcclClient::at(std::int8_t handle) {
  if (handle < 0 || static_cast<std::uint32_t>(handle) >= prepared_) return nullptr;
  return &operations_[static_cast<std::size_t>(handle)];
}

std::int8_t HcclClient::prepare(const char* call, const isa::Collective& operation, bool commit,
                                Location where) {
  require_ready(call, where);
  if (operation.rounds == 0) {
    fail(isa::FaultClass::kParameter, call, {"repeat is 0, allowed are 1 to 255"}, where);
  }
  if (prepared_ == isa::kMostCollectives) return -1;
  const std::uint32_t handle = prepared_++;
  const std::uint32_t parts = isa::parts_of(operation);
  const bool in_steps = isa::steps_of(operation) > 1;
  operations_[handle] = {parts, 0, 0, in_steps ? step_size_ : 0, 0};
  if (writes_) {
    write_message(handle, operation, where);
    isa::collective_server()->prepare(context_, handle, operation, where);
  }
  if (commit) {
    for (std::uint32_t i = 0; i < parts; ++i) {
      this->commit(static_cast<std::int8_t>(handle), where);
    }
  }
  return static_cast<std::int8_t>(handle);
}

bool HcclClient::follow(const std::uint8_t* context, std::int8_t handle, Location where) {
  require_ready("Hccl::InterHcclGroupSync", where);
  if (context == nullptr) {
    fail(isa::FaultClass::kParameter, "Hccl::InterHcclGroupSync",
         {"the launch has no communicator of this number: those of GetHcclContext<0> and "
          "GetHcclContext<1> are 0 and 1"},
         where);
  }
  if (handle < 0 || prepared_ == isa::kMostCollectives) return false;
  isa::Collective message;
  message.kind = isa::kGroupSync;
  message.send = reinterpret_cast<std::uint64_t>(context);
  message.count = static_cast<std::uint64_t>(handle);
  const std::uint32_t own = prepared_++;
  operations_[own] = {};  // nobody commits or awaits it
  if (!writes_) return true;
  write_message(own, message, where);
  isa::collective_server()->prepare(context_, own, message, where);
  return true;
}

void HcclClient::write_message(std::uint32_t handle, const isa::Collective& operation,
                               Location where) const {
  std::array<std::uint64_t, isa::kMessageBytes / kWord> words{};
  words[0] = static_cast<std::uint64_t>(operation.kind) | std::uint64_t{operation.op} << 32;
  words[1] = operation.send;
  words[2] = operation.recv;
  words[3] = operation.count;
  words[4] = operation.stride;
  words[5] = operation.type | std::uint64_t{operation.rounds} << 32;
  words[6] = handle + 1;
  write_words(view_->messages + handle * isa::kMessageBytes, words.data(), isa::kMessageBytes,
              where);
}

void HcclClient::commit(std::int8_t handle, Location where) {
  require_ready("Hccl::Commit", where);
  Prepared* const operation = at(handle);
  if (operation == nullptr) {
    refuse("Hccl::Commit", "handleId", handle, "those that a prepare of this object gave", where);
  }
  if (operation->committed == operation->rounds) {
    refuse("Hccl::Commit", "calls for one handle", operation->committed + 1, "as many as repeat",
           where);
  }
  ++operation->committed;
  if (!writes_) return;
  const auto number = static_cast<std::uint32_t>(handle);
  const std::uint64_t committed = operation->committed;
  write_words(view_->messages + isa::kCommittedAt + number * isa::kCounterBytes, &committed, kWord,
              where);
  isa::collective_server()->commit(context_, number, where);
}

std::uint64_t HcclClient::rounds_over(std::uint32_t handle, Location where) const {
  const std::uint64_t address = view_->messages + isa::kOverAt + handle * isa::kCounterBytes;
  isa::current_core().clean_and_invalidate(address, kLine, where);
  std::uint64_t over = 0;
  isa::current_core().scalar_load(word_at(address), &over, kWord, where);
  return over;
}

void HcclClient::await(std::uint32_t handle, std::uint64_t rounds, Location where) const {
  bool over = false;
  while (!over) {
    over = rounds_over(handle, where) >= rounds;
    isa::current_core().polled(over, where);
  }
}

std::int32_t HcclClient::wait(std::int8_t handle, Location where) {
  require_ready("Hccl::Wait", where);
  Prepared* const operation = at(handle);
  if (operation == nullptr || operation->awaited == operation->rounds) return -1;
  await(static_cast<std::uint32_t>(handle), ++operation->awaited, where);
  return 0;
}

std::int32_t HcclClient::query(std::int8_t handle, Location where) {
  require_ready("Hccl::Query", where);
  if (at(handle) == nullptr) return -1;
  return static_cast<std::int32_t>(rounds_over(static_cast<std::uint32_t>(handle), where));
}

std::int32_t HcclClient::iterate(std::int8_t handle, std::uint16_t* slices, std::uint16_t length,
                                 bool sync, Location where) {
  require_ready("Hccl::Iterate", where);
  Prepared* const operation = at(handle);
  if (operation == nullptr || operation->step_size == 0 || slices == nullptr || length == 0) {
    return -1;
  }
  const std::uint32_t ranks = view_->ranks, all = operation->rounds * operation->step_size;
  std::uint16_t given = 0;
  for (; given < length && operation->slices < all; ++given) {
    const std::uint32_t slice = operation->slices++ % ranks;
    slices[given] =
        static_cast<std::uint16_t>((view_->rank + (sync ? ranks - slice : slice)) % ranks);
    if (sync && operation->slices % operation->step_size == 0) wait(handle, where);
  }
  return given;
}

void HcclClient::finalize(bool sync, Location where) {
  require_ready("Hccl::Finalize", where);
  if (!sync || !writes_) return;
  for (std::uint32_t handle = 0; handle < prepared_; ++handle) {
    await(handle, operations_[handle].committed, where);
  }
}

std::uint8_t* HcclClient::window_in(std::uint32_t rank) const {
  if (view_ == nullptr || rank >= view_->ranks) return nullptr;
  return reinterpret_cast<std::uint8_t*>(view_->windows_in[rank]);
}

std::uint8_t* HcclClient::window_out(std::uint32_t rank) const {
  if (view_ == nullptr || rank >= view_->ranks) return nullptr;
  return reinterpret_cast<std::uint8_t*>(view_->windows_out[rank]);
}

}  // namespace davsim::api
