// Processes that simulate the dies of one system together, for tests without MPI.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sim/system/rank_group.hpp"

namespace davsim::test {

/// Processes that are connected by a socket to the first of them, which hands on what they say.
class SocketGroup : public sim::RankGroup {
 public:
  SocketGroup(std::uint32_t rank, std::uint32_t ranks, std::vector<int> sockets)
      : rank_(rank), ranks_(ranks), sockets_(std::move(sockets)) {}
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t ranks() const override { return ranks_; }
  void finish(int status) override { _exit(status); }

  Round exchange(const std::vector<std::string>& to, std::uint64_t number) override {
    Round round;
    if (rank_ > 0) {
      for (const std::string& bytes : to) put(sockets_[0], bytes);
      put(sockets_[0], std::to_string(number));
      for (std::uint32_t from = 0; from < ranks_; ++from) round.from.push_back(get(sockets_[0]));
      round.least = std::stoull(get(sockets_[0]));
      return round;
    }
    std::vector<std::vector<std::string>> said{to};
    round.least = number;
    for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
      std::vector<std::string>& of = said.emplace_back();
      for (std::uint32_t i = 0; i < ranks_; ++i) of.push_back(get(sockets_[rank]));
      round.least = std::min<std::uint64_t>(round.least, std::stoull(get(sockets_[rank])));
    }
    for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
      for (const auto& of : said) put(sockets_[rank], of[rank]);
      put(sockets_[rank], std::to_string(round.least));
    }
    for (const auto& of : said) round.from.push_back(of[0]);
    return round;
  }

 private:
  static void put(int socket, const std::string& bytes) {
    const std::uint64_t size = bytes.size();
    write_all(socket, reinterpret_cast<const char*>(&size), sizeof size);
    write_all(socket, bytes.data(), size);
  }
  static void write_all(int socket, const char* from, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t done = ::write(socket, from, bytes);
      if (done <= 0) _exit(3);
      from += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }
  static std::string get(int socket) {
    std::uint64_t size = 0;
    read_all(socket, reinterpret_cast<char*>(&size), sizeof size);
    std::string bytes(size, '\0');
    read_all(socket, bytes.data(), size);
    return bytes;
  }
  static void read_all(int socket, char* to, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t done = ::read(socket, to, bytes);
      if (done <= 0) _exit(3);
      to += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  std::uint32_t rank_, ranks_;
  std::vector<int> sockets_;
};

/// What `simulate` puts down for each of so many dies in `ranks` processes. A process that has all
/// of them gets no group. `Result`: numbers alone.
template <class Result>
std::unique_ptr<Result[]> results_of_ranks(std::uint32_t ranks, std::uint32_t dies,
                                           void (*simulate)(sim::RankGroup*, Result*)) {
  const std::size_t bytes = dies * sizeof(Result);
  void* const area =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::vector<int> near(ranks), far(ranks);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    near[rank] = ends[0];
    far[rank] = ends[1];
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (fork() != 0) continue;
    SocketGroup group(rank, ranks, rank == 0 ? near : std::vector<int>{far[rank]});
    simulate(ranks == 1 ? nullptr : &group, static_cast<Result*>(area));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0) << "of " << ranks << " ranks";
  }
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    close(near[rank]);
    close(far[rank]);
  }
  auto results = std::make_unique<Result[]>(dies);
  std::memcpy(results.get(), area, bytes);
  munmap(area, bytes);
  return results;
}

}  // namespace davsim::test
