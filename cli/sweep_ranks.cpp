#include "cli/sweep_ranks.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <list>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "cli/line_channel.hpp"
#include "cli/shaped_tensor.hpp"
#include "session/ranks.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

constexpr const char* kAllDone = "all done";
/// Workers that have not reached the manager by then are not there.
constexpr int kPatienceMs = 60'000;
/// How often a run may cost its worker.
constexpr int kMostLosses = 2;

[[noreturn]] void refuse(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A host that is gone says nothing. The connection then ends after half a minute.
void notice_lost_hosts(int descriptor) {
  const auto set = [descriptor](int level, int option, int value) {
    setsockopt(descriptor, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

/// The IPv4 addresses of this host, those that other hosts reach first.
std::vector<std::string> own_addresses() {
  std::vector<std::string> outside, inside;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) refuse("addresses of this host");
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    const auto* const address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    const bool loopback = ntohl(address->sin_addr.s_addr) >> 24 == 127;
    (loopback ? inside : outside).emplace_back(text);
  }
  freeifaddrs(all);
  outside.insert(outside.end(), inside.begin(), inside.end());
  outside.emplace_back("127.0.0.1");
  return outside;
}

std::string secret() {
  std::random_device random;
  std::ostringstream text;
  for (int i = 0; i < 4; ++i) text << std::hex << random();
  return text.str();
}

// --- the manager ---------------------------------------------------------------------------------

class Manager {
 public:
  Manager(const std::vector<DealtRun>& runs, const OnChild& ended)
      : runs_(runs), ended_(ended), order_(runs), losses_(runs.size()), left_(runs.size()) {
    sim::RankGroup& group = *session::rank_group();
    expected_ = group.ranks() - 1;
    listen_here();
    std::string where = secret_ + " " + std::to_string(port_);
    for (const std::string& address : own_addresses()) where += " " + address;
    group.exchange(std::vector<std::string>(group.ranks(), where), 0);
    session::part_from_ranks();
  }

  void run() {
    while (left_ > 0) {
      give_work();
      wait_for_news();
      if (workers_.empty() && expected_ == 0) {
        throw std::runtime_error("all workers of the sweep are lost, and " + std::to_string(left_) +
                                 " runs are missing; run it again to go on");
      }
    }
    for (Worker& worker : workers_) tell(worker, kAllDone);
  }

 private:
  struct Worker {
    explicit Worker(int descriptor) : socket(descriptor), channel(descriptor) {}
    Socket socket;
    LineChannel channel;
    std::optional<std::size_t> run;
    bool lost = false;
  };

  void listen_here() {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof any;
    auto* const address = reinterpret_cast<sockaddr*>(&any);
    if (listener_.get() < 0 || bind(listener_.get(), address, size) != 0 ||
        listen(listener_.get(), SOMAXCONN) != 0 ||
        getsockname(listener_.get(), address, &size) != 0) {
      refuse("a socket for the workers of the sweep");
    }
    port_ = ntohs(any.sin_port);
  }

  void give_work() {
    for (Worker& worker : workers_) {
      if (worker.run || worker.lost) continue;
      worker.run = order_.next();
      if (!worker.run) return;
      json::array arguments;
      for (const std::string& word : runs_[*worker.run].arguments) {
        arguments.push_back(json::string(word));
      }
      tell(worker, json::serialize(arguments));
    }
  }

  static void tell(Worker& worker, const std::string& line) {
    try {
      worker.channel.write(line + "\n");
    } catch (const std::system_error&) {
      worker.lost = true;
    }
  }

  void wait_for_news() {
    std::vector<pollfd> watched = {{listener_.get(), POLLIN, 0}};
    for (const Worker& worker : workers_) watched.push_back({worker.socket.get(), POLLIN, 0});
    const int news = poll(watched.data(), watched.size(), workers_.empty() ? kPatienceMs : -1);
    if (news < 0 && errno != EINTR) refuse("news of the workers");
    if (news == 0) throw std::runtime_error("no worker of the sweep has reached its manager");
    auto worker = workers_.begin();
    for (std::size_t i = 1; i < watched.size(); ++i, ++worker) {
      if (watched[i].revents != 0) hear(*worker);
    }
    if ((watched[0].revents & POLLIN) != 0) welcome();
    for (Worker& lost : workers_) {
      if (lost.lost && lost.run) lose(*lost.run, {128 + SIGKILL, "", "its worker is lost"});
    }
    workers_.remove_if([](const Worker& gone) { return gone.lost; });
  }

  /// A process that connects and knows the secret is a worker.
  void welcome() {
    const int descriptor = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const timeval patience{5, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    Worker& worker = workers_.emplace_back(descriptor);
    if (worker.channel.read() != secret_) {
      workers_.pop_back();
      return;
    }
    const timeval none{0, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    notice_lost_hosts(descriptor);
    if (expected_ > 0) --expected_;
  }

  void hear(Worker& worker) {
    const std::optional<std::string> line = worker.channel.read();
    if (!line || !worker.run) {
      worker.lost = true;
      return;
    }
    const std::size_t run = *worker.run;
    worker.run.reset();
    const json::object said = json::parse(*line).as_object();
    ChildResult result{static_cast<int>(said.at("status").as_int64()),
                       said.at("out").as_string().c_str(), said.at("err").as_string().c_str()};
    if (result.status == 128 + SIGKILL) return lose(run, std::move(result));
    order_.measured(run, said.at("seconds").to_number<double>());
    --left_;
    ended_(run, std::move(result));
  }

  /// A run was killed, or its worker. It may have been the host, or the run's own hunger.
  void lose(std::size_t run, ChildResult result) {
    if (++losses_[run] < kMostLosses) return order_.again(run);
    --left_;
    ended_(run, std::move(result));
  }

  const std::vector<DealtRun>& runs_;
  const OnChild& ended_;
  LongestFirst order_;
  std::vector<int> losses_;
  std::size_t left_;
  std::uint32_t expected_ = 0;  ///< workers that have not connected yet
  Socket listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  std::string secret_ = secret();
  std::list<Worker> workers_;
};

// --- a worker ------------------------------------------------------------------------------------

int connected(std::uint16_t port, const std::vector<std::string>& addresses) {
  for (const std::string& text : addresses) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) refuse("a socket for the manager of the sweep");
    // Not every address of the manager's host can be reached from here.
    const timeval patience{5, 0}, none{0, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, text.c_str(), &address.sin_addr);
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
      return descriptor;
    }
    close(descriptor);
  }
  throw std::runtime_error("the manager of the sweep cannot be reached");
}

std::string done_by_child(const std::string& order) {
  std::vector<std::string> arguments;
  const json::value words = json::parse(order);
  for (const json::value& word : words.as_array()) {
    arguments.emplace_back(word.as_string().c_str());
  }
  // The ranks fill the host.
  arguments.emplace_back("--threads=1");
  json::object answer;
  const auto begin = std::chrono::steady_clock::now();
  run_children({arguments}, 1, [&](std::size_t, const ChildResult& result) {
    answer["status"] = result.status;
    answer["out"] = result.out;
    answer["err"] = result.err;
  });
  answer["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return json::serialize(answer);
}

}  // namespace

DealtRun dealt_run(const SweepRun& run, std::vector<std::string> arguments) {
  DealtRun made;
  made.arguments = std::move(arguments);
  made.work = run.operator_name + "\n" + run.case_id + "\n" + run.sizes + "\n" + run.attrs;
  std::set<std::uint64_t> extents;
  for (const std::string& tensor : run.tensors) {
    for (const auto extent : shaped_tensor(tensor).shape) {
      extents.insert(static_cast<std::uint64_t>(extent));
    }
  }
  if (!extents.empty()) made.size = 1;
  for (const std::uint64_t extent : extents) made.size *= static_cast<double>(extent);
  return made;
}

LongestFirst::LongestFirst(const std::vector<DealtRun>& runs) : runs_(runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) waiting_.push_back(i);
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a].size > runs[b].size; });
}

std::optional<std::size_t> LongestFirst::next() {
  if (!again_.empty()) {
    const std::size_t run = again_.back();
    again_.pop_back();
    return run;
  }
  if (waiting_.empty()) return std::nullopt;
  const auto place = [this](std::size_t run) {
    const auto known = seconds_.find(runs_[run].work);
    // Not known; known; not known yet.
    return known == seconds_.end() ? 1e300 : known->second;
  };
  auto best = waiting_.begin();
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (place(*at) > place(*best)) best = at;
  }
  const std::size_t run = *best;
  waiting_.erase(best);
  seconds_.try_emplace(runs_[run].work, -1);
  return run;
}

void LongestFirst::measured(std::size_t run, double seconds) {
  seconds_[runs_[run].work] = seconds;
}

void LongestFirst::again(std::size_t run) {
  again_.push_back(run);
}

void deal_runs(const std::vector<DealtRun>& runs, const OnChild& ended) {
  Manager(runs, ended).run();
}

void work_for_manager() {
  sim::RankGroup& group = *session::rank_group();
  std::istringstream where(group.exchange(std::vector<std::string>(group.ranks()), 0).from.at(0));
  session::part_from_ranks();
  std::string known, address;
  std::uint16_t port = 0;
  std::vector<std::string> addresses;
  where >> known >> port;
  while (where >> address) addresses.push_back(address);
  const Socket socket(connected(port, addresses));
  notice_lost_hosts(socket.get());
  LineChannel manager(socket.get());
  manager.write(known + "\n");
  for (;;) {
    const std::optional<std::string> order = manager.read();
    if (!order) throw std::runtime_error("the manager of the sweep is lost");
    if (*order == kAllDone) return;
    manager.write(done_by_child(*order) + "\n");
  }
}

}  // namespace davsim::cli
