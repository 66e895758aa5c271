// The events of a trace as all timelines write them: a JSON object a line.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "traces/output/json_output.hpp"

namespace davsim::traces {

class TraceOutput : public JsonOutput {
 public:
  using JsonOutput::JsonOutput;

  /// Begins an event; its further members follow, and close() ends it.
  void open(std::string_view phase, std::string_view name) {
    raw(separator());
    raw("{");
    member("ph", phase);
    member("name", name);
  }
  void open(std::string_view phase, std::string_view name, std::uint64_t pid, std::uint64_t tid) {
    open(phase, name);
    member("pid", pid);
    member("tid", tid);
  }
  void close() { raw("}"); }

  /// Room for an event of at most `bytes`, its brace included. take() ends it.
  JsonText event_room(std::size_t bytes) {
    JsonText text = room(bytes + 2);
    text.raw(separator());
    return text;
  }

  /// A process's or thread's name: `kind` is "process_name" or "thread_name".
  void name(std::string_view kind, std::uint64_t pid, std::uint64_t tid, std::string_view name) {
    open("M", kind, pid, tid);
    raw(",\"args\":{");
    member("name", name);
    raw("}");
    close();
  }

 private:
  std::string_view separator() {
    const std::string_view text = first_ ? "\n" : ",\n";
    first_ = false;
    return text;
  }

  bool first_ = true;
};

}  // namespace davsim::traces
