#include "runtime/core/captured_work.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/stream.hpp"

namespace davsim::runtime {
namespace {

std::atomic<std::uint32_t> g_global_captures{0};
thread_local std::uint32_t t_captures = 0;  ///< that are not relaxed
thread_local CaptureMode t_mode = CaptureMode::kGlobal;

}  // namespace

CapturedWork::~CapturedWork() {
  for (void* block : kept_) {
    try {
      Simulator::instance().memory().free(block);
    } catch (const ApiError&) {
      // aclrtResetDevice has freed everything.
    }
  }
}

void CapturedWork::set_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  name_ = name;
}

std::string CapturedWork::name() const {
  const std::lock_guard lock(mutex_);
  return name_;
}

void CapturedWork::join(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr) first_ = stream.get();
  streams_.push_back(stream);
}

void CapturedWork::leave(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard stream_lock(stream->mutex);
  if (stream->capture.get() == this) stream->capture.reset();
}

void CapturedWork::finish() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams.swap(streams_);
  }
  for (const auto& stream : streams) leave(stream);
}

bool CapturedWork::goes_on() const {
  const std::lock_guard lock(mutex_);
  return !streams_.empty();
}

bool CapturedWork::began_on(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  return first_ == &stream;
}

bool CapturedWork::is_joined() const {
  const std::lock_guard lock(mutex_);
  const auto first = ends_.find(first_);
  std::set<const Moment*> reached;
  if (first != ends_.end()) reached.insert(first->second.get());
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    if (!reached.contains((*node)->end.get())) continue;
    for (const MomentPtr& before : (*node)->after) reached.insert(before.get());
  }
  return std::all_of(ends_.begin(), ends_.end(),
                     [&](const auto& end) { return reached.contains(end.second.get()); });
}

void CapturedWork::add(const Stream& stream, Task task, MomentPtr after) {
  const std::lock_guard lock(mutex_);
  MomentPtr& end = ends_[&stream];
  std::vector<MomentPtr> before{end, std::move(after)};
  std::erase(before, nullptr);
  end = std::make_shared<Moment>();
  nodes_.push_back(
      std::make_shared<const Node>(Node{stream.id, std::move(task), std::move(before), end}));
}

MomentPtr CapturedWork::end_of(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const auto end = ends_.find(&stream);
  return end == ends_.end() ? nullptr : end->second;
}

void CapturedWork::touched(const std::uint64_t* words, std::size_t count) {
  const std::lock_guard lock(mutex_);
  touched_.insert(words, words + count);
}

std::vector<std::uint64_t> CapturedWork::touched() const {
  const std::lock_guard lock(mutex_);
  return {touched_.begin(), touched_.end()};
}

void CapturedWork::keep(const std::vector<void*>& blocks) {
  const std::lock_guard lock(mutex_);
  kept_.insert(kept_.end(), blocks.begin(), blocks.end());
}

void CapturedWork::begin_group(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (!open_groups_.emplace(&stream, nodes_.size()).second) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "the stream has an open group of tasks");
  }
}

CapturedWork::Group* CapturedWork::end_group(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  const auto open = open_groups_.find(&stream);
  if (open == open_groups_.end()) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "the stream has no open group of tasks");
  }
  auto group = std::make_unique<Group>(Group{this, {}});
  for (std::size_t i = open->second; i < nodes_.size(); ++i) {
    if (nodes_[i]->stream == stream.id) group->tasks.push_back(i);
  }
  open_groups_.erase(open);
  groups_.push_back(std::move(group));
  return groups_.back().get();
}

bool CapturedWork::has_group(const Group* group) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(groups_.begin(), groups_.end(),
                     [group](const auto& own) { return own.get() == group; });
}

void CapturedWork::replace(std::size_t task, Task by) {
  const std::lock_guard lock(mutex_);
  Node node = *nodes_.at(task);
  node.task = std::move(by);
  nodes_[task] = std::make_shared<const Node>(std::move(node));
}

CapturedWork::Run CapturedWork::run() const {
  const std::lock_guard lock(mutex_);
  return [nodes = nodes_](Timeline& timeline, const std::vector<MomentPtr>& behind,
                          const MomentPtr& end) {
    std::map<const Moment*, MomentPtr> ends;
    std::vector<MomentPtr> all = behind;
    for (const auto& node : nodes) {
      std::vector<MomentPtr> after;
      for (const MomentPtr& before : node->after) {
        if (const auto known = ends.find(before.get()); known != ends.end()) {
          after.push_back(known->second);
        }
      }
      auto moment = std::make_shared<Moment>();
      timeline.add(after.empty() ? behind : after, node->task(), moment);
      ends[node->end.get()] = moment;
      all.push_back(std::move(moment));
    }
    timeline.join(std::move(all), end);
  };
}

std::vector<std::size_t> CapturedWork::behind(const Node& node) const {
  std::vector<std::size_t> tasks;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (std::find(node.after.begin(), node.after.end(), nodes_[i]->end) != node.after.end()) {
      tasks.push_back(i);
    }
  }
  return tasks;
}

std::string CapturedWork::description() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    text += (i == 0 ? "" : ",\n") + std::string("    {\"task_id\": ") + std::to_string(i) +
            ", \"stream_id\": " + std::to_string(nodes_[i]->stream) + ", \"behind\": [";
    std::string separator;
    for (const std::size_t before : behind(*nodes_[i])) {
      text += separator + std::to_string(before);
      separator = ", ";
    }
    text += "]}";
  }
  return "{\n  \"model_id\": " + std::to_string(id_) + ",\n  \"tasks\": [\n" + text + "\n  ]\n}\n";
}

std::shared_ptr<CapturedWork> captured(Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  return stream.capture;
}

std::shared_ptr<CapturedWork> keeper_of(Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  if (stream.replacement) return stream.replacement->of;
  return stream.capture;
}

void capture_begins(CaptureMode mode) {
  if (mode == CaptureMode::kGlobal) ++g_global_captures;
  if (mode != CaptureMode::kRelaxed) ++t_captures;
}

void capture_ends(CaptureMode mode) {
  if (mode == CaptureMode::kGlobal) --g_global_captures;
  if (mode != CaptureMode::kRelaxed && t_captures > 0) --t_captures;
}

CaptureMode exchange_capture_mode(CaptureMode mode) {
  return std::exchange(t_mode, mode);
}

void require_outside_capture(const char* what) {
  if (t_mode == CaptureMode::kRelaxed) return;
  const bool others = t_mode == CaptureMode::kGlobal && g_global_captures > 0;
  if (t_captures == 0 && !others) return;
  throw ApiError(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                 std::string(what) +
                     " is not captured; while a stream is, a thread may call it in "
                     "the mode ACL_MODEL_RI_CAPTURE_MODE_RELAXED only");
}

}  // namespace davsim::runtime
