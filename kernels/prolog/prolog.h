// The order of the stages of a prolog, for one half alone and for both:
//
//   cube     down | keys        | raise 0 | raise 1         | mix 0  | mix 1
//   vector        | norm | keys           | queries 0       | queries 1, quantise 0 | quantise 1
//
// down and norm belong to the MLA half, quantise to the indexer half. Independent stages of cube
// and vector cores run at the same time: the projection of the keys and the norm, the products of
// one round and the vector work of the other.
#pragma once

#include "kernels/common/stage_sync.h"
#include "kernels/prolog/cube_stages.h"
#include "kernels/prolog/vector_stages.h"

namespace kernel_prolog {

/// The placeholder for a half that an operator does not have.
struct NoHalf {};

template <class... Arguments>
__aicore__ inline void Keys(const NoHalf&, const Arguments&...) {}
template <class... Arguments>
__aicore__ inline void Raise(const NoHalf&, const Arguments&...) {}
template <class... Arguments>
__aicore__ inline void Mix(const NoHalf&, const Arguments&...) {}
template <class... Arguments>
__aicore__ inline void WriteKeys(const NoHalf&, const Arguments&...) {}
template <class... Arguments>
__aicore__ inline void Queries(const NoHalf&, const Arguments&...) {}

template <class Half>
constexpr bool kPresent = !std::is_same_v<Half, NoHalf>;

/// The cube cores' part. Both sides list the stages of the other side in the same order. Without
/// the MLA half there is no norm during which the keys could be projected. Their projection then
/// shares the cores with the first round.
template <class Mla, class Indexer>
__aicore__ inline void CubeSide(const Mla& mla, const Indexer& indexer,
                                const PrologTiling& tiling) {
  kernel_matmul::BeginProducts();
  if constexpr (kPresent<Mla>) {
    Down(mla, tiling);
    TellVectors();
  }
  Keys(mla, tiling);
  Keys(indexer, tiling);
  if constexpr (kPresent<Mla>) {
    TellVectors();
    AwaitVectors();
  }
  for (HeadRound round = {0}; round.index < kPrologRounds; ++round.index) {
    Raise(mla, tiling, round);
    Raise(indexer, tiling, round);
    TellVectors();
  }
  for (HeadRound round = {0}; round.index < kPrologRounds; ++round.index) {
    AwaitVectors();
    Mix(indexer, tiling, round);
    if constexpr (kPresent<Indexer>) TellVectors();
    Mix(mla, tiling, round);
  }
  kernel_matmul::EndProducts();
}

template <class Mla, class Indexer>
__aicore__ inline void VectorSide(const Mla& mla, const Indexer& indexer,
                                  const PrologTiling& tiling) {
  TPipe pipe;
  AwaitCubes();
  if constexpr (kPresent<Mla>) {
    RunStage<QueryNorm>(&pipe, mla, tiling);
    TellCubes();
    AwaitCubes();
  }
  WriteKeys(mla, tiling, &pipe);
  WriteKeys(indexer, tiling, &pipe);
  for (HeadRound round = {0}; round.index < kPrologRounds; ++round.index) {
    if (kPresent<Mla> || round.index != 0) AwaitCubes();
    Queries(mla, tiling, round, &pipe);
    Queries(indexer, tiling, round, &pipe);
    TellCubes();
  }
  if constexpr (kPresent<Indexer>) {
    for (HeadRound round = {0}; round.index < kPrologRounds; ++round.index) {
      AwaitCubes();
      Quantise(indexer, tiling, round, &pipe);
    }
  }
}

template <class Mla, class Indexer>
__aicore__ inline void RunProlog(const Mla& mla, const Indexer& indexer,
                                 const PrologTiling& tiling) {
  PRELOAD(4);  // loads the code of the first tiles while the first tile is set up
  if ASCEND_IS_AIC {
    CubeSide(mla, indexer, tiling);
  }
  if ASCEND_IS_AIV {
    VectorSide(mla, indexer, tiling);
  }
}

}  // namespace kernel_prolog
