// The way of tokens to their experts: functions/experts.txt.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "lists/experts.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

using davsim::runtime::BoundTensor;

void require_at_least(int64_t value, int64_t least, const char* name) {
  if (value >= least) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " is at least " + std::to_string(least) +
                                ", not " + std::to_string(value));
}

/// Checks x, [tokens, length], and its choices.
void check_routed(const aclTensor* x, const aclTensor* experts) {
  require_kernel_float(required(x, "x"), "x");
  const Shape& shape = x->GetViewShape();
  const Shape& choices = required(experts, "expertIdx").GetViewShape();
  if (shape.GetDimNum() != 2) {
    davsim::runtime::refuse_aclnn("x has 2 dimensions, not the shape " + text(shape));
  }
  if ((choices.GetDimNum() != 1 && choices.GetDimNum() != 2) ||
      choices.GetDim(0) != shape.GetDim(0)) {
    davsim::runtime::refuse_aclnn("expertIdx has the choices of " +
                                  std::to_string(shape.GetDim(0)) + " tokens, not the shape " +
                                  text(choices));
  }
}

/// Choices by their experts, those of one expert as they come.
std::vector<uint64_t> order_of(const BoundTensor& experts) {
  std::vector<uint64_t> order(experts.elements());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint64_t i) { return whole_at(experts, i); });
  return order;
}

/// out[i] = row numbers[i] of x, or zeros for numbers less than 0.
void add_tokens(WorkList& work, const aclTensor& x, const aclTensor& numbers,
                const aclTensor& out) {
  if (out.IsEmpty()) return;
  Result result(work, out, x.GetDataType());
  add_indexed_rows(work, {.table = as(work, x, x.GetDataType()),
                          .numbers = &numbers,
                          .list = &result.tensor(),
                          .lists = 1,
                          .rows = x.GetViewShape().GetDim(0),
                          .run = x.GetViewShape().GetDim(1),
                          .skips = true});
  result.finish();
}

/// Parameters of aclnnMoeInitRoutingV2.
struct Routing {
  const aclTensor* x;
  const aclTensor* experts;
  int64_t active, capacity, expert_count, drop_pad_mode, count_mode;
  bool counts_before_capacity;
  const aclTensor* rows;
  const aclTensor* places;
  const aclTensor* counts;         ///< with count_mode
  const aclTensor* counts_before;  ///< with counts_before_capacity

  bool pads() const { return drop_pad_mode == 1; }
  bool counts_running() const { return !pads() && count_mode == 1; }
  /// What gets numbers of tokens; null: nothing.
  const aclTensor* counted() const {
    if (pads()) return counts_before_capacity ? counts_before : nullptr;
    return count_mode != 0 ? counts : nullptr;
  }
};

void check_modes(const Routing& call) {
  require_at_least(call.active, 0, "activeNumOptional");
  require_at_least(call.drop_pad_mode, 0, "dropPadModeOptional");
  require_at_least(call.count_mode, 0, "expertTokensCountOrCumsumFlagOptional");
  if (call.drop_pad_mode > 1) {
    davsim::runtime::refuse_aclnn("dropPadModeOptional is 0 or 1, not " +
                                  std::to_string(call.drop_pad_mode));
  }
  if (call.count_mode > 2) {
    davsim::runtime::refuse_aclnn("expertTokensCountOrCumsumFlagOptional is 0 to 2, not " +
                                  std::to_string(call.count_mode));
  }
  const bool needs_experts = call.pads() || call.count_mode != 0;
  require_at_least(call.expert_count, needs_experts ? 1 : 0, "expertNumOptional");
  require_at_least(call.capacity, call.pads() ? 1 : 0, "expertCapacityOptional");
  const int64_t tokens = call.x->GetViewShape().GetDim(0);
  if (call.pads() && call.capacity > tokens) {
    davsim::runtime::refuse_aclnn("expertCapacityOptional is at most " + std::to_string(tokens) +
                                  ", not " + std::to_string(call.capacity));
  }
}

void require_counts(const aclTensor* counts, const char* name, int64_t experts) {
  require_type(required(counts, name), name, {ge::DT_INT32});
  require_shape(*counts, name, {experts});
}

void check_routing(const Routing& call) {
  check_routed(call.x, call.experts);
  required_index(call.experts, "expertIdx");
  check_modes(call);
  const int64_t total = call.experts->Numel(), length = call.x->GetViewShape().GetDim(1);
  require_type(required(call.rows, "expandedXOut"), "expandedXOut", {call.x->GetDataType()});
  if (call.pads()) {
    require_shape(*call.rows, "expandedXOut", {call.expert_count, call.capacity, length});
  } else {
    require_shape(*call.rows, "expandedXOut",
                  {call.active == 0 ? total : std::min(call.active, total), length});
  }
  require_type(required(call.places, "expandedRowIdxOut"), "expandedRowIdxOut", {ge::DT_INT32});
  require_shape(*call.places, "expandedRowIdxOut", {total});
  if (call.pads() && call.counts_before_capacity) {
    require_counts(call.counts_before, "expertTokensBeforeCapacityOutOptional", call.expert_count);
  } else if (!call.pads() && call.count_mode != 0) {
    require_counts(call.counts, "expertTokensCountOrCumsumOutOptional", call.expert_count);
  }
}

/// How the host orders the choices: it writes tokens, places and counts.
struct RoutingTask {
  int64_t choices, capacity;
  bool pads, counts_running;

  void run(std::span<const BoundTensor> to, const BoundTensor& experts) const {
    const std::vector<uint64_t> order = order_of(experts);
    const auto rows = static_cast<int64_t>(to[0].elements());
    for (int64_t row = 0; pads && row < rows; ++row) set_whole(to[0], at(row), -1);
    int64_t first = 0;  // of the expert's choices
    for (int64_t i = 0; i < std::ssize(order); ++i) {
      const uint64_t choice = order[at(i)];
      const int64_t expert = whole_at(experts, choice);
      if (i > 0 && whole_at(experts, order[at(i - 1)]) != expert) first = i;
      int64_t place = i;
      if (pads) place = i - first < capacity ? expert * capacity + i - first : -1;
      set_whole(to[1], choice, place);
      if (place < 0 || place >= rows) continue;
      set_whole(to[0], at(place), static_cast<int64_t>(choice) / choices);
    }
    if (to.size() > 2) count(to[2], experts);
  }

 private:
  static uint64_t at(int64_t i) { return static_cast<uint64_t>(i); }

  void count(const BoundTensor& to, const BoundTensor& experts) const {
    std::vector<int64_t> counts(to.elements(), 0);
    for (uint64_t i = 0; i < experts.elements(); ++i) ++counts[at(whole_at(experts, i))];
    if (counts_running) std::partial_sum(counts.begin(), counts.end(), counts.begin());
    for (uint64_t i = 0; i < counts.size(); ++i) set_whole(to, i, counts[i]);
  }
};

void add_routing(WorkList& work, const Routing& call) {
  check_routing(call);
  const aclTensor* const experts = as(work, *call.experts, call.experts->GetDataType());
  const bool bounded = call.pads() || call.count_mode != 0;
  check_index(work, *experts, "expertIdx", 0,
              bounded ? call.expert_count : std::numeric_limits<int64_t>::max());
  const int64_t length = call.x->GetViewShape().GetDim(1);
  const Shape& shape = call.rows->GetViewShape();
  const int64_t rows = call.pads() ? call.expert_count * call.capacity : shape.GetDim(0);
  const aclTensor* const tokens = temporary(work, ge::DT_INT32, {rows});
  Result places(work, *call.places, ge::DT_INT32);
  std::vector<const aclTensor*> to{tokens, &places.tensor()};
  std::optional<Result> counts;
  if (call.counted() != nullptr) {
    counts.emplace(work, *call.counted(), ge::DT_INT32);
    to.push_back(&counts->tensor());
  }
  const int64_t token_count = std::max<int64_t>(call.x->GetViewShape().GetDim(0), 1);
  const int64_t choices = std::max<int64_t>(call.experts->Numel() / token_count, 1);
  const RoutingTask task{choices, call.capacity, call.pads(), call.counts_running()};
  work.add_task(to, {experts}, [task](auto targets, auto from) { task.run(targets, from[0]); });
  places.finish();
  if (counts) counts->finish();
  if (length > 0) add_tokens(work, *call.x, *tokens, *call.rows);
}

/// The host's part of aclnnMoeInitRouting: tokens, places and experts in their order.
void order_choices(std::span<const BoundTensor> to, const BoundTensor& rows,
                   const BoundTensor& experts, int64_t tokens) {
  const std::vector<uint64_t> order = order_of(experts);
  for (uint64_t i = 0; i < order.size(); ++i) {
    const int64_t row = whole_at(rows, order[i]);
    if (i < to[0].elements()) set_whole(to[0], i, row % tokens);
    set_whole(to[1], static_cast<uint64_t>(row), static_cast<int64_t>(i));
    set_whole(to[2], i, whole_at(experts, order[i]));
  }
}

}  // namespace

DAVSIM_FIRST_PHASE(
    MoeInitRouting,
    (const aclTensor* x, const aclTensor* rowIdx, const aclTensor* expertIdx, int64_t activeNum,
     const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
     const aclTensor* expandedExpertIdxOut),
    {
      check_routed(x, expertIdx);
      require_type(*expertIdx, "expertIdx", {ge::DT_INT32});
      require_type(required(rowIdx, "rowIdx"), "rowIdx", {ge::DT_INT32});
      require_shape(*rowIdx, "rowIdx", expertIdx->GetViewShape());
      require_at_least(activeNum, 0, "activeNum");
      const int64_t tokens = x->GetViewShape().GetDim(0), total = expertIdx->Numel();
      const int64_t choices = tokens == 0 ? 0 : total / tokens;
      const int64_t kept = std::min(tokens, activeNum) * choices;
      require_type(required(expandedXOut, "expandedXOut"), "expandedXOut", {x->GetDataType()});
      require_shape(*expandedXOut, "expandedXOut", {kept, x->GetViewShape().GetDim(1)});
      for (const auto& [tensor, name] : {std::pair{expandedRowIdxOut, "expandedRowIdxOut"},
                                         {expandedExpertIdxOut, "expandedExpertIdxOut"}}) {
        require_type(required(tensor, name), name, {ge::DT_INT32});
        require_shape(*tensor, name, {total});
      }
      if (total == 0) return;
      const aclTensor* const rows = as(work, *rowIdx, ge::DT_INT32);
      check_index(work, *rows, "rowIdx", 0, total);
      const aclTensor* const numbers = temporary(work, ge::DT_INT32, {kept});
      Result places(work, *expandedRowIdxOut, ge::DT_INT32);
      Result experts(work, *expandedExpertIdxOut, ge::DT_INT32);
      work.add_task({numbers, &places.tensor(), &experts.tensor()},
                    {rows, as(work, *expertIdx, ge::DT_INT32)},
                    [tokens](auto to, auto from) { order_choices(to, from[0], from[1], tokens); });
      places.finish();
      experts.finish();
      add_tokens(work, *x, *numbers, *expandedXOut);
    })

DAVSIM_FIRST_PHASE(MoeInitRoutingV2,
                   (const aclTensor* x, const aclTensor* expertIdx, int64_t activeNumOptional,
                    int64_t expertCapacityOptional, int64_t expertNumOptional,
                    int64_t dropPadModeOptional, int64_t expertTokensCountOrCumsumFlagOptional,
                    bool expertTokensBeforeCapacityFlagOptional, const aclTensor* expandedXOut,
                    const aclTensor* expandedRowIdxOut,
                    const aclTensor* expertTokensCountOrCumsumOutOptional,
                    const aclTensor* expertTokensBeforeCapacityOutOptional),
                   {
                     add_routing(work, {x, expertIdx, activeNumOptional, expertCapacityOptional,
                                        expertNumOptional, dropPadModeOptional,
                                        expertTokensCountOrCumsumFlagOptional,
                                        expertTokensBeforeCapacityFlagOptional, expandedXOut,
                                        expandedRowIdxOut, expertTokensCountOrCumsumOutOptional,
                                        expertTokensBeforeCapacityOutOptional});
                   })

DAVSIM_FIRST_PHASE(
    MoeComputeExpertTokens,
    (const aclTensor* sortedExperts, int64_t numExperts, const aclTensor* out), {
      require_type(required(sortedExperts, "sortedExperts"), "sortedExperts", {ge::DT_INT32});
      if (sortedExperts->GetViewShape().GetDimNum() != 1) {
        davsim::runtime::refuse_aclnn("sortedExperts has one dimension, not the shape " +
                                      text(sortedExperts->GetViewShape()));
      }
      require_at_least(numExperts, 1, "numExperts");
      require_type(required(out, "out"), "out", {ge::DT_INT32});
      require_shape(*out, "out", {numExperts});
      Result result(work, *out, ge::DT_INT32);
      work.add_task({&result.tensor()}, {as(work, *sortedExperts, ge::DT_INT32)},
                    [](auto to, auto from) {
                      uint64_t rows = 0;
                      for (uint64_t expert = 0; expert < to[0].elements(); ++expert) {
                        while (rows < from[0].elements() &&
                               whole_at(from[0], rows) <= static_cast<int64_t>(expert)) {
                          ++rows;
                        }
                        set_whole(to[0], expert, static_cast<int64_t>(rows));
                      }
                    });
      result.finish();
    })
