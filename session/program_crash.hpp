// What a program prints when it crashes, in a kernel or in code of its own.
#pragma once

namespace davsim::session {

/// From now on a crash is told on standard error, with kernel, core and line if a kernel runs; a
/// crash in a kernel ends the process with status 4, any other as it would have. Signals that the
/// program or an interpreter handles stay theirs.
void tell_crashes();
/// Lets a kernel of the calling thread that calls exit() be told in the same way.
void tell_exits();

}  // namespace davsim::session
