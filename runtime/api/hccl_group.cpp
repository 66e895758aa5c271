#include "runtime/api/hccl_group.hpp"

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/api/hccl_call.hpp"

namespace davsim::runtime {
namespace {

thread_local std::unique_ptr<HcclGroup> t_group;

void* own_context() {
  void* context = nullptr;
  require_success(aclrtGetCurrentContext(&context));
  return context;
}

}  // namespace

HcclGroup* HcclGroup::open() {
  return t_group.get();
}

void HcclGroup::start() {
  if (t_group == nullptr) t_group = std::make_unique<HcclGroup>();
  ++t_group->depth_;
}

void HcclGroup::end() {
  if (t_group == nullptr) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "HcclGroupStart was not called in this thread");
  }
  if (--t_group->depth_ > 0) return;
  // Calls of the group do not join it again.
  std::exchange(t_group, nullptr)->run();
}

void HcclGroup::now_or_later(Call call) {
  if (t_group == nullptr) return call();
  t_group->add(std::move(call));
}

void HcclGroup::add(Call call) {
  calls_[own_context()].push_back(std::move(call));
}

void HcclGroup::add(const CommunicatorRank& rank, const HcclSendRecvItem& message, void* stream) {
  std::shared_ptr<Messages>& together = messages_[{own_context(), &rank, stream}];
  if (together == nullptr) {
    together = std::make_shared<Messages>();
    add([&rank, messages = together, stream] { pass_messages(rank, *messages, stream); });
  }
  together->push_back(message);
}

/// Each context has a thread of its own, because its calls may wait for those of the others.
void HcclGroup::run() {
  std::exception_ptr failure;
  std::mutex mutex;
  const MomentPtr behind = Simulator::host_waited_until();
  const auto all = [&](void* context, const std::vector<Call>& calls) {
    try {
      require_success(aclrtSetCurrentContext(context));
      Simulator::instance().host_waited(behind);
      for (const Call& call : calls) call();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (const auto& [context, calls] : calls_) threads.emplace_back(all, context, std::cref(calls));
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace davsim::runtime

using namespace davsim::runtime;

HcclResult HcclGroupStart() {
  return hccl_call("HcclGroupStart", [] { HcclGroup::start(); });
}

HcclResult HcclGroupEnd() {
  return hccl_call("HcclGroupEnd", [] { HcclGroup::end(); });
}
