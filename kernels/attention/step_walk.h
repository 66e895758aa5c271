// The steps of a core. A step is a range of key/value rows of one of its tasks.
//
// The cube core and its two vector cores walk through the same steps, each at its own pace: the
// scores of step x, then the product with value of step x - lag.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/attention_tiling.h"

namespace kernel_attention {

using namespace AscendC;

/// Reads a record of the host's lists through the scalar unit.
template <typename Record>
__aicore__ inline Record ReadRecord(uint64_t address) {
  static_assert(sizeof(Record) % sizeof(uint64_t) == 0);
  GlobalTensor<uint64_t> words;
  words.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(address));
  uint64_t copy[sizeof(Record) / sizeof(uint64_t)];
  for (uint32_t i = 0; i < sizeof(Record) / sizeof(uint64_t); ++i) copy[i] = words.GetValue(i);
  Record record;
  __builtin_memcpy(&record, copy, sizeof(Record));
  return record;
}

template <typename T>
__aicore__ inline GlobalTensor<T> AtAddress(uint64_t address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
  return tensor;
}

struct Step {
  AttentionTask task;
  uint32_t index;  ///< the number of the step on its core
  uint32_t task_index;
  uint32_t kv_first;
  uint32_t columns;  ///< the number of key/value rows
  uint32_t behind;   ///< the number of later steps of its task
  bool first, last;  ///< of its task

  __aicore__ inline uint32_t Rows() const { return uint32_t{task.heads} * task.rows; }
};

class StepWalk {
 public:
  __aicore__ inline void Init(const AttentionTiling& tiling, uint32_t block) {
    tiling_ = &tiling;
    const GlobalTensor<uint32_t> first = AtAddress<uint32_t>(tiling.first_tasks);
    next_task_ = first.GetValue(block);
    end_task_ = first.GetValue(block + 1);
    step_.index = 0;
    done_ = next_task_ == end_task_;
    if (!done_) EnterTask();
  }
  __aicore__ inline bool Done() const { return done_; }
  /// The number of the step's unit on its core.
  __aicore__ inline uint32_t Unit() const { return unit_; }
  __aicore__ inline bool OpensUnit() const { return step_of_unit_ == 0; }
  /// Whether the step before this one was the last of its unit.
  __aicore__ inline bool BehindUnit() const { return done_ || OpensUnit(); }
  __aicore__ inline const Step& Now() const { return step_; }
  __aicore__ inline void Advance() {
    ++step_.index;
    if (++step_of_unit_ == tiling_->unit) step_of_unit_ = 0, ++unit_;
    if (!step_.last) {
      SetStretch(step_.kv_first + step_.columns);
      step_.first = false;
      return;
    }
    done_ = next_task_ == end_task_;
    if (!done_) EnterTask();
  }

 private:
  __aicore__ inline void EnterTask() {
    step_.task_index = next_task_;
    step_.task =
        ReadRecord<AttentionTask>(tiling_->tasks + uint64_t{next_task_} * sizeof(AttentionTask));
    ++next_task_;
    step_.first = true;
    SetStretch(static_cast<uint32_t>(step_.task.kv_begin));
  }
  /// Whole blocks, spread evenly over the remaining steps. Beside long steps, a short one would
  /// stall the cube or the vector cores.
  __aicore__ inline void SetStretch(uint32_t first) {
    const uint32_t left = static_cast<uint32_t>(step_.task.kv_end) - first;
    const uint32_t steps = (left + tiling_->step_columns - 1) / tiling_->step_columns;
    const uint32_t blocks = (left + kAttentionBlock - 1) / kAttentionBlock;
    const uint32_t columns = (blocks + steps - 1) / steps * kAttentionBlock;
    step_.kv_first = first;
    step_.columns = left < columns ? left : columns;
    step_.last = step_.columns == left;
    step_.behind = (left + columns - 1) / columns - 1;
  }

  const AttentionTiling* tiling_ = nullptr;
  Step step_ = {};
  uint32_t next_task_ = 0, end_task_ = 0;
  uint32_t unit_ = 0, step_of_unit_ = 0;
  bool done_ = true;
};

/// The places of a core's intermediate results in the workspace.
class Workspace {
 public:
  __aicore__ inline void Init(const AttentionTiling& tiling, uint32_t block) {
    tiling_ = &tiling;
    base_ = tiling.workspace + block * tiling.workspace_bytes;
  }
  /// [rows][step_columns] floats.
  __aicore__ inline uint64_t Scores(const Step& step) const {
    return Place(tiling_->scores, step.index);
  }
  /// The blocks of columns, one behind the other: [step_columns / 128][rows][128].
  __aicore__ inline uint64_t Probs(const Step& step) const {
    return Place(tiling_->probs, step.index);
  }
  /// [rows][value_width] floats: the product of a step. In two passes it is the sum of the products
  /// of a task so far, and the record of a part of a split task.
  __aicore__ inline uint64_t Parts(const Step& step) const {
    if (tiling_->two_pass == 0) return Place(tiling_->parts, step.index);
    return step.task.partial != 0 ? step.task.partial : Place(tiling_->parts, step.task_index);
  }
  /// Key rows that the vector cores store: [step_columns][key_width] for key and value, then
  /// [step_columns][rope_width].
  __aicore__ inline uint64_t Rows(const Step& step) const {
    return Place(tiling_->rows, step.index);
  }
  __aicore__ inline uint64_t RopeRows(const Step& step) const {
    return Rows(step) + uint64_t{tiling_->step_columns} * tiling_->key_width * sizeof(uint16_t);
  }

 private:
  __aicore__ inline uint64_t Place(const AttentionRing& ring, uint32_t index) const {
    return base_ + ring.first + index % ring.places * ring.bytes;
  }

  const AttentionTiling* tiling_ = nullptr;
  uint64_t base_ = 0;
};

/// The flags between a cube core and its vector cores. Each is set once in a unit of steps.
constexpr uint16_t kScoresReady = 0;  ///< cube to vector
constexpr uint16_t kProbsReady = 1;   ///< vector to cube
constexpr uint16_t kPartsReady = 2;   ///< cube to vector
constexpr uint16_t kRowsReady = 3;    ///< vector to cube: the key rows of a step are stored

}  // namespace kernel_attention
