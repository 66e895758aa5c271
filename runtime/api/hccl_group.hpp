// Calls of collective communication that HcclGroupStart puts off until HcclGroupEnd, so that none
// waits for what its thread asks for after it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "hccl/hccl_types.h"

namespace davsim::runtime {

struct CommunicatorRank;

class HcclGroup {
 public:
  using Call = std::function<void()>;

  /// That of the calling thread; null: it has none.
  static HcclGroup* open();
  static void start();
  /// Throws ApiError if none was started, and what the calls throw.
  static void end();

  /// Does the call in the group's end, or now where there is no group.
  static void now_or_later(Call call);
  /// Messages of one rank on one stream go together, whatever their order is.
  void add(const CommunicatorRank& rank, const HcclSendRecvItem& message, void* stream);

 private:
  using Messages = std::vector<HcclSendRecvItem>;
  void add(Call call);
  void run();

  int depth_ = 0;
  std::map<void*, std::vector<Call>> calls_;  ///< by the context in which they were made
  std::map<std::tuple<void*, const CommunicatorRank*, void*>, std::shared_ptr<Messages>> messages_;
};

/// Passes messages in any order, to and from the rank itself as well. Throws ApiError.
void pass_messages(const CommunicatorRank& rank, const std::vector<HcclSendRecvItem>& messages,
                   void* stream);

}  // namespace davsim::runtime
