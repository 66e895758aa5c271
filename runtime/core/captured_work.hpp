// What a program queues on streams while it captures them: work that is kept, to be done as often
// as the program asks. The interface calls it a model (aclmdlRI).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/timeline.hpp"

namespace davsim::runtime {

struct Stream;

/// Calls may come from any thread.
class CapturedWork {
 public:
  using Task = std::function<Demand()>;
  /// Tasks of a stream that a program means to replace later.
  struct Group {
    CapturedWork* of;
    std::vector<std::size_t> tasks;
  };
  /// One execution.
  using Run =
      std::function<void(Timeline&, const std::vector<MomentPtr>& behind, const MomentPtr& end)>;

  explicit CapturedWork(std::uint32_t id) : id_(id) {}
  ~CapturedWork();
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;

  std::uint32_t id() const { return id_; }
  void set_name(const std::string& name);
  std::string name() const;

  /// Captures a stream from now on; the first one is the stream that the others come back to.
  void join(const std::shared_ptr<Stream>& stream);
  /// Captures `stream` no longer.
  void leave(const std::shared_ptr<Stream>& stream);
  /// Captures no stream any longer.
  void finish();
  bool goes_on() const;
  bool began_on(const Stream& stream) const;
  /// Whether the first stream has waited for all that the others have queued.
  bool is_joined() const;

  /// Keeps a task of a stream, behind that stream's last one and `after`.
  void add(const Stream& stream, Task task, MomentPtr after);
  /// The end of the stream's last task.
  MomentPtr end_of(const Stream& stream) const;
  /// Tasks have these words as arguments.
  void touched(const std::uint64_t* words, std::size_t count);
  std::vector<std::uint64_t> touched() const;
  /// Blocks of the device that live as long as this; they are given back with it.
  void keep(const std::vector<void*>& blocks);

  /// Marks the tasks of a stream up to end_group(). Throw ApiError in the wrong order.
  void begin_group(const Stream& stream);
  Group* end_group(const Stream& stream);
  bool has_group(const Group* group) const;
  void replace(std::size_t task, Task by);

  /// What one execution does, with the tasks as they are now.
  Run run() const;
  /// A line a task: its number, its stream, the tasks that it waits for.
  std::string description() const;

 private:
  struct Node {
    std::int32_t stream;
    Task task;
    std::vector<MomentPtr> after;
    MomentPtr end;
  };
  std::vector<std::size_t> behind(const Node& node) const;  ///< indices; the mutex is held

  const std::uint32_t id_;
  mutable std::mutex mutex_;
  std::string name_;
  std::vector<std::shared_ptr<const Node>> nodes_;  ///< in the order of the calls
  std::vector<std::shared_ptr<Stream>> streams_;
  const Stream* first_ = nullptr;
  std::map<const Stream*, MomentPtr> ends_;
  std::map<const Stream*, std::size_t> open_groups_;  ///< where they begin
  std::vector<std::unique_ptr<Group>> groups_;
  std::set<std::uint64_t> touched_;
  std::vector<void*> kept_;
};

/// Tasks that take the place of captured ones, one after the other.
struct Replacement {
  std::shared_ptr<CapturedWork> of;
  std::vector<std::size_t> tasks;
  std::size_t next = 0;
};

/// What calls may do that no capture takes, such as aclrtMemcpy, while one goes on.
enum class CaptureMode : std::uint8_t {
  kGlobal,       ///< no thread may
  kThreadLocal,  ///< the thread that captures may not
  kRelaxed       ///< all may
};
void capture_begins(CaptureMode mode);
void capture_ends(CaptureMode mode);
/// Sets the mode of the calling thread, which is kGlobal at first, and returns the one before.
CaptureMode exchange_capture_mode(CaptureMode mode);
/// Throws ApiError(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT) where the modes do not let a thread do
/// so.
void require_outside_capture(const char* what);

/// What the stream's work is kept in; null where it is not captured.
std::shared_ptr<CapturedWork> captured(Stream& stream);
/// The same, or whose tasks the stream's work replaces.
std::shared_ptr<CapturedWork> keeper_of(Stream& stream);

}  // namespace davsim::runtime
