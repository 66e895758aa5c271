// A vector core's part of attention: it converts scores to probabilities and adds up the parts of
// the output.
//
// The two vector cores of a cube core share the rows of each task. Rows pass through UB in chunks.
// The next chunk is loaded while this one is computed.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/mask_pieces.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/probs_quant.h"
#include "kernels/attention/row_output.h"
#include "kernels/attention/score_bias.h"
#include "kernels/attention/score_rows.h"

namespace kernel_attention {

/// `T` is the type of the probabilities, `Out` that of the output.
template <typename T, typename Out>
class VectorStream {
 public:
  __aicore__ inline VectorStream(const AttentionTiling& tiling, RowOutput<Out>& output,
                                 uint32_t block, uint32_t vector_core)
      : tiling_(tiling), output_(output), bias_(tiling), int8_probs_(tiling), half_(vector_core) {
    scores_.walk.Init(tiling, block);
    parts_.walk.Init(tiling, block);
    workspace_.Init(tiling, block);
    softmax_.Init(tiling.ub, tiling.scale);
    const AttentionUb& ub = tiling.ub;
    const uint32_t elements = ub.score_rows * tiling.step_columns;
    probs_ = LocalTensor<T>(TPosition::VECCALC, ub.store, elements);
    sums_ =
        LocalTensor<float>(TPosition::VECCALC, ub.sums, kAttentionVectorRows * tiling.value_width);
    const uint32_t mask_bytes = ub.score_rows * kAttentionMaskColumns;
    mask_ = LocalTensor<uint8_t>(TPosition::VECCALC, ub.mask, 2 * mask_bytes);
    // Slices of masks are widened in the buffer that later holds the probabilities.
    const uint32_t slice = ub.score_rows * kFloatLanes;
    floats_ = LocalTensor<float>(TPosition::VECCALC, ub.store, slice);
    halves_ = LocalTensor<half>(TPosition::VECCALC, ub.store + slice * sizeof(float), slice);
    row_scale_ = LocalTensor<float>(TPosition::VECCALC, ub.row_scale, kAttentionVectorRows);
  }

  __aicore__ inline void Process() {
    FillTails();
    for (int32_t event = 0; event < kBufferEvents; ++event) SetFlag<HardEvent::V_MTE2>(event);
    for (int32_t event = 0; event < kAskedAhead; ++event) SetFlag<HardEvent::MTE3_MTE2>(event);
    Job now, next;
    bool more = NextJob(next);
    if (more) Load(next);
    while (more) {
      now = next;
      more = NextJob(next);
      // The loads of the next job may wait for results of this job. Pieces of mask that this job
      // loads late must not be queued behind them. The loads of the next job must not fill the
      // queue either before this job has started.
      const bool ahead = !LoadsLate(now) && (!more || LoadCalls(next) <= kFewCalls);
      if (more && ahead) Load(next);
      Compute(now);
      if (more && !ahead) Load(next);
    }
    for (int32_t event = 0; event < kBufferEvents; ++event) WaitFlag<HardEvent::V_MTE2>(event);
    for (int32_t event = 0; event < kAskedAhead; ++event) WaitFlag<HardEvent::MTE3_MTE2>(event);
  }

 private:
  /// The events of buffers that MTE2 fills and the vector unit releases: two of scores, two of
  /// parts, two of masks (for the first piece of a chunk and for the others) and the bias.
  static constexpr int32_t kPartsEvent = 2, kMaskEvent = 4, kBufferEvents = 7;
  static_assert(ScoreBias<T>::kBiasEvent + 1 == kBufferEvents);

  /// The number of steps without rows that may be requested before their answer.
  static constexpr int32_t kAskedAhead = 2;
  static constexpr int32_t kScalesRead = 0;
  /// Half a queue of instructions.
  static constexpr uint32_t kFewCalls = 16;

  /// The rows [row, row + rows) of this core's share of a step, for its scores or its part of the
  /// output.
  struct Job {
    bool of_scores;
    Step step;
    uint32_t share, share_rows;  ///< rows of this core
    uint32_t row, rows;
    bool opens, closes;            ///< first and last of the step
    bool opens_unit, closes_unit;  ///< of the unit of steps
    uint32_t buffer;
    /// Row of the task.
    __aicore__ inline uint32_t First() const { return share + row; }
  };
  struct Cursor {
    StepWalk walk;
    uint32_t row = 0, jobs = 0;
  };

  __aicore__ inline void FillTails() {
    const AttentionUb& ub = tiling_.ub;
    FillScoreTails(ub);
    FillUb(ub.mask, ub.quant - ub.mask);  // and the bias behind it
    PipeBarrier<PIPE_V>();
  }

  // --- which job comes next --------------------------------------------------------------------

  /// The next job: the softmax of step x, then the part of step x - lag. A step that has begun is
  /// completed first.
  __aicore__ inline bool NextJob(Job& job) {
    if (parts_.walk.Done()) return false;
    job.of_scores = !scores_.walk.Done() && parts_.row == 0 && ScoresNext();
    if (job.of_scores) {
      Cut(job, scores_, tiling_.ub.score_rows);
    } else {
      Cut(job, parts_, tiling_.ub.out_rows);
    }
    return true;
  }

  __aicore__ inline bool ScoresNext() const {
    if (tiling_.in_turn != 0) return scores_.walk.Unit() <= parts_.walk.Unit() + 1;
    return scores_.walk.Now().index <= parts_.walk.Now().index + tiling_.lag;
  }

  /// Takes the next rows of the cursor's step. A step without rows for this core is one job.
  __aicore__ inline void Cut(Job& job, Cursor& cursor, uint32_t capacity) {
    job.step = cursor.walk.Now();
    const RowShare mine = RowShare::Of(job.step.Rows(), half_);
    job.share = mine.first;
    job.share_rows = mine.rows;
    job.row = cursor.row;
    job.rows = min(capacity, mine.rows - cursor.row);
    job.opens = cursor.row == 0;
    job.closes = cursor.row + job.rows == mine.rows;
    job.opens_unit = job.opens && cursor.walk.OpensUnit();
    job.closes_unit = false;
    job.buffer = cursor.jobs++ & 1;
    cursor.row += job.rows;
    if (!job.closes) return;
    cursor.row = 0;
    cursor.walk.Advance();
    job.closes_unit = cursor.walk.BehindUnit();
  }

  // --- global memory to UB ---------------------------------------------------------------------

  __aicore__ inline void Load(const Job& job) {
    if (job.of_scores) {
      LoadScores(job);
    } else {
      LoadPart(job);
    }
  }

  __aicore__ inline ScoreRows RowsOf(const Job& job) const {
    return {job.step, job.First(), job.rows, ComputedColumns(job.step)};
  }
  __aicore__ inline LocalTensor<float> ScoresBuffer(const Job& job) const {
    const AttentionUb& ub = tiling_.ub;
    return LocalTensor<float>(TPosition::VECCALC, ub.scores + job.buffer * ub.scores_bytes,
                              ub.score_rows * tiling_.step_columns);
  }
  __aicore__ inline LocalTensor<float> PartBuffer(const Job& job) const {
    const AttentionUb& ub = tiling_.ub;
    return LocalTensor<float>(TPosition::VECCALC, ub.parts + job.buffer * ub.parts_bytes,
                              ub.out_rows * tiling_.value_width);
  }

  __aicore__ inline void LoadScores(const Job& job) {
    if (job.opens_unit) CrossCoreWaitFlag<2, PIPE_MTE2>(kScoresReady);
    // For a step without rows, only this flag delays the answer until the request. All requests are
    // on one pipe, so that no step takes the flag of another step.
    const auto event = static_cast<int32_t>(job.buffer);
    if (job.rows == 0) {
      WaitFlag<HardEvent::MTE3_MTE2>(event);
      SetFlag<HardEvent::MTE2_MTE3>(event);
      return;
    }
    WaitFlag<HardEvent::V_MTE2>(event);
    LoadScoreRows(ScoresBuffer(job), workspace_.Scores(job.step), tiling_, job.step, job.First(),
                  job.rows);
    SetFlag<HardEvent::MTE2_V>(event);
    if (bias_.Used(job.step.task)) bias_.Load(RowsOf(job));
    const MaskPieces pieces(tiling_, job.step, job.First(), job.rows);
    if (pieces.Count() > 0) LoadMask(job, pieces.At(0), 0);
  }

  __aicore__ inline void LoadPart(const Job& job) {
    if (job.opens_unit) CrossCoreWaitFlag<2, PIPE_MTE2>(kPartsReady);
    if (job.rows == 0) return;
    const int32_t event = kPartsEvent + static_cast<int32_t>(job.buffer);
    const uint32_t width = tiling_.value_width;
    const GlobalTensor<float> from = AtAddress<float>(workspace_.Parts(job.step));
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(PartBuffer(job), from[uint64_t{job.First()} * width], job.rows * width);
    SetFlag<HardEvent::MTE2_V>(event);
  }

  /// The instructions of the load of a job, without the few that every load has.
  __aicore__ inline uint32_t LoadCalls(const Job& job) const {
    if (!job.of_scores || job.rows == 0) return 0;
    const bool masked = MaskPieces(tiling_, job.step, job.First(), job.rows).Count() > 0;
    return bias_.LoadCalls(RowsOf(job)) + (masked ? kMostMaskLoads : 0);
  }
  /// Whether the job has several pieces of mask. Only the first is loaded with the scores.
  __aicore__ inline bool LoadsLate(const Job& job) const {
    if (!job.of_scores || job.rows == 0) return false;
    return MaskPieces(tiling_, job.step, job.First(), job.rows).Count() > 1;
  }
  __aicore__ inline LocalTensor<uint8_t> MaskBuffer(int32_t buffer) const {
    return mask_[static_cast<uint32_t>(buffer) * tiling_.ub.score_rows * kAttentionMaskColumns];
  }
  __aicore__ inline void LoadMask(const Job& job, const MaskPiece& piece, int32_t buffer) {
    WaitFlag<HardEvent::V_MTE2>(kMaskEvent + buffer);
    LoadMaskPiece(MaskBuffer(buffer), piece, job.step.task, job.First(), job.rows);
    SetFlag<HardEvent::MTE2_V>(kMaskEvent + buffer);
  }

  // --- compute ---------------------------------------------------------------------------------

  __aicore__ inline void Compute(const Job& job) {
    if (job.of_scores) {
      if (job.rows != 0) {
        ComputeProbs(job);
      } else {
        const auto event = static_cast<int32_t>(job.buffer);
        WaitFlag<HardEvent::MTE2_MTE3>(event);
        SetFlag<HardEvent::MTE3_MTE2>(event);
      }
      if (job.closes_unit) CrossCoreSetFlag<2, PIPE_MTE3>(kProbsReady);
    } else if (job.rows != 0) {
      AddPart(job);
    }
  }

  __aicore__ inline void ComputeProbs(const Job& job) {
    const auto event = static_cast<int32_t>(job.buffer);
    const LocalTensor<float> scores = ScoresBuffer(job);
    const uint32_t width = ComputedColumns(job.step);
    const MaskPieces pieces(tiling_, job.step, job.First(), job.rows);
    const bool changed = job.step.task.bias != 0 || pieces.Count() > 0;
    WaitFlag<HardEvent::MTE2_V>(event);
    bias_.AddOffsets(scores, RowsOf(job));
    const bool scaled = ScaleFirst(job, scores, width);
    if (changed) WaitFlag<HardEvent::MTE3_V>(kStored);
    bias_.AddBias(scores, RowsOf(job));
    ApplyMasks(job, pieces, scores, width);
    HideBeyondEnd(scores, job.step, job.rows);
    softmax_.Step(scores, scaled, job.step.index, job.step.first, job.row, job.rows, width);
    if (!changed) WaitFlag<HardEvent::MTE3_V>(kStored);
    RoundProbs(job, scores, width);
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreProbRows(workspace_.Probs(job.step), probs_, job.step, job.First(), job.rows);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

  /// Converts probabilities to the type of the product with value.
  __aicore__ inline void RoundProbs(const Job& job, const LocalTensor<float>& scores,
                                    uint32_t width) {
    if (int8_probs_.Used()) {
      if (job.step.first && job.opens) {
        int8_probs_.EnterTask(job.step.task, job.share, job.share_rows);
      }
      int8_probs_.Round(probs_, scores, job.step.index, job.row, job.rows, width);
      return;
    }
    Cast(probs_, scores, tiling_.nearest_away != 0 ? RoundMode::CAST_ROUND : RoundMode::CAST_RINT,
         job.rows * width);
  }

  /// Scales the scores if a bias, a factor for each row or a negative scale needs scaled scores.
  /// Else they are scaled when their maximum is subtracted. Returns whether they are scaled now.
  __aicore__ inline bool ScaleFirst(const Job& job, const LocalTensor<float>& scores,
                                    uint32_t width) {
    if (job.step.task.query_scale == 0) {
      if (job.step.task.bias == 0 && tiling_.scale > 0) return false;
      Muls(scores, scores, tiling_.scale, static_cast<int32_t>(job.rows * width));
      PipeBarrier<PIPE_V>();
      return true;
    }
    if (job.step.first && job.opens) ReadRowScales(job);
    const RowStats scales = {row_scale_[job.row], 0};
    WithRowValues<kernel_common::MulOp>(scores, width, output_.Spread(scales, job.rows), job.rows,
                                        width);
    return true;
  }
  /// Loads the scales of a task's rows through the scalar unit, because they may be at any
  /// distance.
  __aicore__ inline void ReadRowScales(const Job& job) {
    const AttentionTask& task = job.step.task;
    float factor = tiling_.scale;
    if (tiling_.key_scale != 0) factor *= ReadNumber(tiling_.key_scale, AttentionNumber::kFloat);
    const AttentionNumber type = tiling_.query_scale_type;
    SetFlag<HardEvent::V_S>(kScalesRead);  // of the task before
    WaitFlag<HardEvent::V_S>(kScalesRead);
    for (uint32_t i = 0; i < job.share_rows; ++i) {
      const uint32_t head = (job.share + i) / task.rows, row = (job.share + i) % task.rows;
      const uint64_t at =
          head * tiling_.query_scale_strides.head + row * tiling_.query_scale_strides.row;
      const uint64_t address = task.query_scale + at * NumberBytes(type);
      row_scale_.SetValue(i, ReadNumber(address, type) * factor);
    }
    SetFlag<HardEvent::S_V>(kScalesRead);
    WaitFlag<HardEvent::S_V>(kScalesRead);
  }

  /// The first piece was loaded with the scores. The others are loaded when they are needed.
  __aicore__ inline void ApplyMasks(const Job& job, const MaskPieces& pieces,
                                    const LocalTensor<float>& scores, uint32_t width) {
    for (uint32_t i = 0; i < pieces.Count(); ++i) {
      const MaskPiece piece = pieces.At(i);
      const int32_t buffer = i > 0 ? 1 : 0;
      if (i > 0) LoadMask(job, piece, buffer);
      WaitFlag<HardEvent::MTE2_V>(kMaskEvent + buffer);
      SpreadMaskPiece(MaskBuffer(buffer), piece, job.step.task, job.rows);
      ApplyMaskPiece(scores, width, MaskBuffer(buffer), piece, job.rows, halves_, floats_);
      SetFlag<HardEvent::V_MTE2>(kMaskEvent + buffer);
    }
  }

  /// Adds a step's product with value to the output so far, which is first scaled down by the
  /// growth of the maximum.
  __aicore__ inline void AddPart(const Job& job) {
    const int32_t event = kPartsEvent + static_cast<int32_t>(job.buffer);
    const uint32_t width = tiling_.value_width, step = job.step.index;
    const auto count = static_cast<int32_t>(job.rows * width);
    const LocalTensor<float> sums = sums_[job.row * width], part = PartBuffer(job);
    if (job.step.first && job.opens && tiling_.merges != 0) output_.AwaitParts();
    if (int8_probs_.Undone()) {
      const LocalTensor<float> undo = output_.Spread(int8_probs_.Undo(step, job.row), job.rows);
      WaitFlag<HardEvent::MTE2_V>(event);
      WithRowValues<kernel_common::MulOp>(part, width, undo, job.rows, width);
    }
    if (job.step.first) {
      if (!int8_probs_.Undone()) WaitFlag<HardEvent::MTE2_V>(event);
      PipeBarrier<PIPE_V>();  // the task before is stored from the same buffer
      Adds(sums, part, 0.0f, count);
      PipeBarrier<PIPE_V>();
    } else {
      const LocalTensor<float> decay = output_.Spread(softmax_.Decay(step, job.row), job.rows);
      if (!int8_probs_.Undone()) WaitFlag<HardEvent::MTE2_V>(event);
      MultiplyAdd(sums, width, decay, 1, part, width, job.rows, width);
    }
    SetFlag<HardEvent::V_MTE2>(event);
    if (job.step.last) StoreSums(job, sums);
  }

  __aicore__ inline void StoreSums(const Job& job, const LocalTensor<float>& sums) {
    const uint32_t step = job.step.index;
    const AttentionTask& task = job.step.task;
    if (task.partial == 0) {
      output_.Store(task, job.First(), job.rows, sums, softmax_.Maximum(step, job.row),
                    softmax_.Sum(step, job.row));
      return;
    }
    output_.StorePart(task, job.First(), job.rows, sums);
    if (job.opens) {
      output_.StorePartStats(task, job.share, job.share_rows, softmax_.Maximum(step, 0).aligned,
                             softmax_.Sum(step, 0).aligned);
    }
  }

  const AttentionTiling& tiling_;
  RowOutput<Out>& output_;
  ScoreBias<T> bias_;
  Int8Probs<T> int8_probs_;
  uint32_t half_;  ///< which of the two vector cores
  Workspace workspace_;
  OnlineSoftmax softmax_;
  Cursor scores_, parts_;
  LocalTensor<T> probs_;
  LocalTensor<float> sums_, floats_, row_scale_;
  LocalTensor<uint8_t> mask_;
  LocalTensor<half> halves_;
};

}  // namespace kernel_attention
