// The SIMD C API: flags and barriers.
#pragma once

#include "kernel_operator.h"

inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, std::int64_t id,
                            davsim::api::Location where = davsim::api::Location::current()) {
  set_flag(pipe, tpipe, id, where);
}
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, std::int64_t id,
                          davsim::api::Location where = davsim::api::Location::current()) {
  wait_flag(pipe, tpipe, id, where);
}
inline void asc_sync_pipe(pipe_t pipe,
                          davsim::api::Location where = davsim::api::Location::current()) {
  pipe_barrier(pipe, where);
}
/// Whatever was given to the core has ended.
inline void asc_sync(davsim::api::Location where = davsim::api::Location::current()) {
  pipe_barrier(PIPE_ALL, where);
}
inline void asc_sync_vec(davsim::api::Location where = davsim::api::Location::current()) {
  pipe_barrier(PIPE_V, where);
}

namespace davsim::api {

/// Holds two pipes back until `from` has done what it was given.
inline void hold_back(pipe_t from, pipe_t first, pipe_t second, std::int64_t id, Location where) {
  set_flag(from, first, id, where);
  set_flag(from, second, id, where);
  wait_flag(from, first, id, where);
  wait_flag(from, second, id, where);
}

}  // namespace davsim::api

/// The vector pipe and MTE3 go on when MTE2's moves have ended.
inline void asc_sync_mte2(int id, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::hold_back(PIPE_MTE2, PIPE_MTE3, PIPE_V, id, where);
}
/// The vector pipe, MTE2 and MTE3 itself go on when MTE3's moves have ended.
inline void asc_sync_mte3(int id, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::hold_back(PIPE_MTE3, PIPE_MTE2, PIPE_V, id, where);
  pipe_barrier(PIPE_MTE3, where);
}
