// A vector core's part of attention in which probabilities are divided by their sum before they are
// rounded, and in which the vector cores bring the key rows.
//
// A first pass over the scores of a task finds maximum and sum of its rows. A second pass makes the
// probabilities. Parts of a split task exchange their statistics in between. Fixpipe adds up the
// product with value in memory; the sum is the output. The work consists of rounds. In each round
//
//   results       of step round - lag - 3 are taken, and with them its places in the workspace
//   rows          of step round are brought by the Feed
//   probabilities of a step are made, if the statistics of its task are there
//   statistics    of step round - 2 are taken
//
// in chunks that take turns, so that MTE2 gathers rows while the vector unit computes. The cube has
// the round between for the scores.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/row_output.h"
#include "kernels/attention/score_rows.h"
#include "kernels/attention/split_merge.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// Vector to vector: the statistics of all parts of split tasks are stored.
constexpr uint16_t kStatsStored = 4;

/// A `Feed` brings the rows of a step that are this core's, in pieces, to the place it is told. It
/// may use events kFeedEvents between MTE2, MTE3 and the vector unit, any with the scalar unit, and
/// UB from AttentionUb::feed on:
///
///   Begin(), End()            give its events their first and last turn
///   Expect(step)              the step after the one that is being brought
///   Pieces(step)              of this core, at least 1, though that may be empty
///   Load(step, piece)         from global memory; pieces in order, each before it is laid
///   Lay(step, piece, workspace)
///                             to the step's place in the workspace
constexpr int32_t kFeedEvents[] = {4, 5};

template <typename T, class Feed>
class TwoPassStream {
 public:
  __aicore__ inline TwoPassStream(const AttentionTiling& tiling, RowOutput<T>& output, Feed& feed,
                                  uint32_t block, uint32_t vector_core)
      : tiling_(tiling),
        output_(output),
        feed_(feed),
        half_(vector_core),
        joined_(tiling, JoinRoom(tiling)) {
    for (Cursor* cursor : {&rows_, &stats_, &probs_, &results_}) cursor->walk.Init(tiling, block);
    workspace_.Init(tiling, block);
    softmax_.Init(tiling.ub, tiling.scale);
    const AttentionUb& ub = tiling.ub;
    probs_buffer_ =
        LocalTensor<T>(TPosition::VECCALC, ub.store, ub.score_rows * tiling.step_columns);
    ones_ = Floats(ub.row_scale, kAttentionVectorRows);
    Duplicate(ones_, 1.0f, kAttentionVectorRows);
    FillScoreTails(ub);
    PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Process() {
    for (int32_t event = 0; event < kBufferEvents; ++event) SetFlag<HardEvent::V_MTE2>(event);
    feed_.Begin();
    if (tiling_.merges != 0 && !SplitsAhead()) TellStatsStored();
    if (!rows_.walk.Done()) feed_.Expect(rows_.walk.Now());
    Job now, next;
    bool more = NextJob(next);
    if (more) Load(next);
    while (more) {
      now = next;
      more = NextJob(next);
      if (more) Load(next);
      Compute(now);
    }
    AwaitStats();
    feed_.End();
    for (int32_t event = 0; event < kBufferEvents; ++event) WaitFlag<HardEvent::V_MTE2>(event);
  }

 private:
  /// Buffers that MTE2 fills and the vector unit gives back: two of scores and two of results.
  static constexpr int32_t kResultsEvent = 2, kBufferEvents = 4;
  static_assert(kFeedEvents[0] >= kBufferEvents);

  /// Rounds from the rows of a step to its statistics.
  static constexpr uint32_t kRowsAhead = 2;

  enum class Kind : uint32_t { kRows, kStats, kProbs, kResults };

  /// A chunk of a step: rows [row, row + rows) of this core's share, or a piece of what it brings.
  struct Job {
    Kind kind;
    Step step;
    RowShare share;
    uint32_t row, rows;
    bool opens, closes;  ///< first and last of the step
    bool ends_splits;    ///< last statistics of this core's parts of split tasks
    uint32_t buffer;

    __aicore__ inline uint32_t First() const { return share.first + row; }
    __aicore__ inline bool Finishes() const { return step.last && step.task.partial == 0; }
  };
  /// A step on its way through one kind of work.
  struct Cursor {
    StepWalk walk;  ///< at the step after it
    Step step;
    uint32_t chunks = 0, left = 0;
  };

  __aicore__ static inline LocalTensor<float> Floats(uint32_t offset, uint32_t count) {
    return LocalTensor<float>(TPosition::VECCALC, offset, count);
  }

  /// Split tasks are joined before the first results are taken.
  __aicore__ static inline LocalTensor<float> JoinRoom(const AttentionTiling& tiling) {
    const AttentionUb& ub = tiling.ub;
    return Floats(ub.parts, (ub.reduced - ub.parts) / sizeof(float));
  }

  // --- which job comes next --------------------------------------------------------------------

  __aicore__ inline bool NextJob(Job& job) {
    while (rows_.left + stats_.left + probs_.left + results_.left == 0) {
      if (results_.walk.Done()) return false;
      EnterRound();
    }
    if (results_.left != 0) {
      Cut(job, Kind::kResults, results_, tiling_.ub.out_rows);
    } else if (rows_.left != 0 && rows_.left >= probs_.left + stats_.left) {
      Cut(job, Kind::kRows, rows_, 1);
    } else if (probs_.left != 0) {
      Cut(job, Kind::kProbs, probs_, tiling_.ub.score_rows);
    } else {
      Cut(job, Kind::kStats, stats_, tiling_.ub.score_rows);
    }
    return true;
  }

  __aicore__ inline void EnterRound() {
    const uint32_t round = round_++;
    if (round >= tiling_.lag + kRowsAhead + 1) {
      const Step& step = results_.walk.Now();
      const bool finishes = step.last && step.task.partial == 0;
      Take(results_, finishes ? ChunksOf(step, tiling_.ub.out_rows) : 1);
    }
    if (StatsAreThere()) {
      Take(probs_, ChunksOf(probs_.walk.Now(), tiling_.ub.score_rows));
    }
    if (round >= kRowsAhead && !stats_.walk.Done()) {
      Take(stats_, ChunksOf(stats_.walk.Now(), tiling_.ub.score_rows));
    }
    if (rows_.walk.Done()) return;
    Take(rows_, feed_.Pieces(rows_.walk.Now()));
    if (!rows_.walk.Done()) feed_.Expect(rows_.walk.Now());
  }
  __aicore__ inline void Take(Cursor& cursor, uint32_t chunks) {
    cursor.step = cursor.walk.Now();
    cursor.chunks = cursor.left = chunks;
    cursor.walk.Advance();
  }
  __aicore__ inline uint32_t ChunksOf(const Step& step, uint32_t rows) const {
    return (RowShare::Of(step.Rows(), half_).rows + rows - 1) / rows;
  }

  /// Whether parts of split tasks, which come first, are still to be summed up on this core.
  __aicore__ inline bool SplitsAhead() const {
    return !stats_.walk.Done() && stats_.walk.Now().task.partial != 0;
  }
  /// Whether the next probabilities' task is summed up.
  __aicore__ inline bool StatsAreThere() const {
    if (probs_.walk.Done()) return false;
    const Step& step = probs_.walk.Now();
    if (step.task.partial != 0) return !SplitsAhead();
    return stats_.walk.Done() || stats_.walk.Now().task_index > step.task_index;
  }

  __aicore__ inline void Cut(Job& job, Kind kind, Cursor& cursor, uint32_t capacity) {
    job.kind = kind;
    job.step = cursor.step;
    job.share = RowShare::Of(job.step.Rows(), half_);
    job.row = (cursor.chunks - cursor.left) * capacity;
    job.rows = min(capacity, job.share.rows - job.row);
    job.opens = cursor.left == cursor.chunks;
    job.closes = cursor.left == 1;
    job.ends_splits = kind == Kind::kStats && job.closes && job.step.last &&
                      job.step.task.partial != 0 && !SplitsAhead();
    // Statistics and probabilities share buffers.
    uint32_t& turn = kind == Kind::kResults ? results_turn_ : scores_turn_;
    if (kind != Kind::kRows) job.buffer = turn++ & 1;
    --cursor.left;
  }

  // --- global memory to UB ---------------------------------------------------------------------

  __aicore__ inline LocalTensor<float> ScoresBuffer(const Job& job) const {
    const AttentionUb& ub = tiling_.ub;
    return Floats(ub.scores + job.buffer * ub.scores_bytes, ub.score_rows * tiling_.step_columns);
  }
  __aicore__ inline LocalTensor<float> ResultsBuffer(const Job& job) const {
    const AttentionUb& ub = tiling_.ub;
    return Floats(ub.parts + job.buffer * ub.parts_bytes, ub.out_rows * tiling_.value_width);
  }

  __aicore__ inline void Load(const Job& job) {
    switch (job.kind) {
      case Kind::kRows:
        return feed_.Load(job.step, job.row);
      case Kind::kStats:
        if (job.opens) CrossCoreWaitFlag<2, PIPE_MTE2>(kScoresReady);
        return LoadScores(job);
      case Kind::kProbs:
        return LoadScores(job);
      case Kind::kResults:
        if (job.opens) CrossCoreWaitFlag<2, PIPE_MTE2>(kPartsReady);
        if (job.Finishes()) LoadResults(job);
        return;
    }
  }
  __aicore__ inline void LoadScores(const Job& job) {
    const auto event = static_cast<int32_t>(job.buffer);
    WaitFlag<HardEvent::V_MTE2>(event);
    LoadScoreRows(ScoresBuffer(job), workspace_.Scores(job.step), tiling_, job.step, job.First(),
                  job.rows);
    SetFlag<HardEvent::MTE2_V>(event);
  }
  __aicore__ inline void LoadResults(const Job& job) {
    const int32_t event = kResultsEvent + static_cast<int32_t>(job.buffer);
    const uint32_t width = tiling_.value_width;
    const GlobalTensor<float> from = AtAddress<float>(workspace_.Parts(job.step));
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(ResultsBuffer(job), from[uint64_t{job.First()} * width], job.rows * width);
    SetFlag<HardEvent::MTE2_V>(event);
  }

  // --- compute ---------------------------------------------------------------------------------

  __aicore__ inline void Compute(const Job& job) {
    switch (job.kind) {
      case Kind::kRows:
        feed_.Lay(job.step, job.row, workspace_);
        if (job.closes) CrossCoreSetFlag<2, PIPE_MTE3>(kRowsReady);
        return;
      case Kind::kStats:
        return SumUp(job);
      case Kind::kProbs:
        return MakeProbs(job);
      case Kind::kResults:
        if (job.Finishes()) StoreResults(job);
        return;
    }
  }

  /// Waits for scores and hides what lies behind their columns; a scale that turns the maximum into
  /// the minimum comes before that.
  __aicore__ inline bool TakeScores(const Job& job, const LocalTensor<float>& scores) {
    WaitFlag<HardEvent::MTE2_V>(static_cast<int32_t>(job.buffer));
    const bool scaled = tiling_.scale <= 0;
    if (scaled) {
      const uint32_t count = job.rows * ComputedColumns(job.step);
      Muls(scores, scores, tiling_.scale, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
    }
    HideBeyondEnd(scores, job.step, job.rows);
    return scaled;
  }

  __aicore__ inline void SumUp(const Job& job) {
    const LocalTensor<float> scores = ScoresBuffer(job);
    const Step& step = job.step;
    const bool scaled = TakeScores(job, scores);
    softmax_.Step(scores, scaled, step.index, step.first, job.row, job.rows, ComputedColumns(step));
    SetFlag<HardEvent::V_MTE2>(static_cast<int32_t>(job.buffer));
    if (!job.closes || !step.last) return;
    const LocalTensor<float> maximum = softmax_.Maximum(step.index, 0).aligned;
    const LocalTensor<float> sum = softmax_.Sum(step.index, 0).aligned;
    if (step.task.partial == 0) {
      OnlineSoftmax::LogSums(LogSumsOf(step), maximum, sum, job.share.rows);
      return;
    }
    output_.StorePartStats(step.task, job.share.first, job.share.rows, maximum, sum);
    if (job.ends_splits) TellStatsStored();
  }

  __aicore__ inline void TellStatsStored() {
    CrossCoreSetFlag<0, PIPE_MTE3>(kStatsStored);
    told_ = true;
  }
  __aicore__ inline void AwaitStats() {
    if (told_) CrossCoreWaitFlag<0, PIPE_MTE2>(kStatsStored);
    told_ = false;
  }
  /// The statistics of a split task, from all its parts.
  __aicore__ inline void JoinStats(const Job& job) {
    const AttentionTask& task = job.step.task;
    AwaitStats();
    const uint64_t records = task.partial - task.part * joined_.RecordFloats(task) * sizeof(float);
    joined_.Load(task, records, task.parts, job.share.first, job.share.rows);
    joined_.Join();
    OnlineSoftmax::LogSums(LogSumsOf(job.step), joined_.Maximum(), joined_.Sum(), job.share.rows);
  }
  __aicore__ inline LocalTensor<float> LogSumsOf(const Step& step) const {
    const uint32_t line = step.task_index % kAttentionLogSums;
    return Floats(tiling_.ub.log_sums + line * kAttentionVectorRows * sizeof(float),
                  kAttentionVectorRows);
  }

  __aicore__ inline void MakeProbs(const Job& job) {
    const LocalTensor<float> scores = ScoresBuffer(job);
    const uint32_t width = ComputedColumns(job.step);
    if (job.opens && job.step.first && job.step.task.partial != 0) JoinStats(job);
    const bool scaled = TakeScores(job, scores);
    softmax_.Weigh(scores, scaled, LogSumsOf(job.step)[job.row], job.rows, width);
    WaitFlag<HardEvent::MTE3_V>(kStored);
    Cast(probs_buffer_, scores, RoundMode::CAST_RINT, job.rows * width);
    SetFlag<HardEvent::V_MTE2>(static_cast<int32_t>(job.buffer));
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreProbRows(workspace_.Probs(job.step), probs_buffer_, job.step, job.First(), job.rows);
    SetFlag<HardEvent::MTE3_V>(kStored);
    if (job.closes) CrossCoreSetFlag<2, PIPE_MTE3>(kProbsReady);
  }

  __aicore__ inline void StoreResults(const Job& job) {
    const int32_t event = kResultsEvent + static_cast<int32_t>(job.buffer);
    WaitFlag<HardEvent::MTE2_V>(event);
    output_.Store(job.step.task, job.First(), job.rows, ResultsBuffer(job), {ones_, 0}, {ones_, 0});
    SetFlag<HardEvent::V_MTE2>(event);
  }

  const AttentionTiling& tiling_;
  RowOutput<T>& output_;
  Feed& feed_;
  uint32_t half_;  ///< which of the two vector cores
  Workspace workspace_;
  OnlineSoftmax softmax_;
  PartStats joined_;
  Cursor rows_, stats_, probs_, results_;
  LocalTensor<T> probs_buffer_;
  LocalTensor<float> ones_;
  uint32_t round_ = 0, scores_turn_ = 0, results_turn_ = 0;
  bool told_ = false;  ///< that the statistics are stored, and not awaited those of others
};

}  // namespace kernel_attention
