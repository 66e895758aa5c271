// Ranks over MPI. The interface of MPI in C is used, not Boost.MPI: messages are bytes already, and
// three calls carry them.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "sim/system/rank_group.hpp"

namespace davsim::mpi {
namespace {

class MpiGroup : public sim::RankGroup {
 public:
  MpiGroup() {
    int given = 0, rank = 0, ranks = 1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rank_ = static_cast<std::uint32_t>(rank);
    ranks_ = static_cast<std::uint32_t>(ranks);
  }

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t ranks() const override { return ranks_; }

  Round exchange(const std::vector<std::string>& to, std::uint64_t number) override {
    std::vector<Header> given, got(ranks_);
    std::uint64_t all = 0;
    for (const std::string& bytes : to) all += bytes.size();
    for (const std::string& bytes : to) given.push_back({bytes.size(), all, number});
    constexpr int kWords = sizeof(Header) / sizeof(std::uint64_t);
    MPI_Alltoall(given.data(), kWords, MPI_UINT64_T, got.data(), kWords, MPI_UINT64_T,
                 MPI_COMM_WORLD);
    Round round;
    round.least = number;
    bool any = false;
    for (const Header& header : got) {
      round.least = std::min(round.least, header.number);
      any = any || header.all > 0;
      round.from.emplace_back(header.bytes, '\0');
    }
    if (any) exchange_bytes(to, round.from);
    return round;
  }

  void finish(int status) override {
    if (status == 0) {
      MPI_Finalize();
      return;
    }
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::fprintf(stderr, "davsim: rank %u of %u, process %d on %s, ends with status %d\n", rank_,
                 ranks_, static_cast<int>(getpid()), host, status);
    MPI_Abort(MPI_COMM_WORLD, status);
  }

 private:
  struct Header {
    std::uint64_t bytes = 0, all = 0;  ///< for this rank, and for all
    std::uint64_t number = 0;
  };

  void exchange_bytes(const std::vector<std::string>& to, std::vector<std::string>& from) const {
    std::vector<int> sizes_to, sizes_from;
    const std::string out = joined(to, sizes_to);
    std::string in = joined(from, sizes_from);
    const std::vector<int> at_to = starts(sizes_to), at_from = starts(sizes_from);
    MPI_Alltoallv(out.data(), sizes_to.data(), at_to.data(), MPI_BYTE, in.data(), sizes_from.data(),
                  at_from.data(), MPI_BYTE, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < from.size(); ++rank) {
      from[rank].assign(in, static_cast<std::size_t>(at_from[rank]), from[rank].size());
    }
  }

  static std::string joined(const std::vector<std::string>& parts, std::vector<int>& sizes) {
    std::string all;
    for (const std::string& part : parts) {
      all += part;
      sizes.push_back(static_cast<int>(part.size()));
    }
    if (all.size() > INT_MAX) throw std::length_error("messages of more than 2 GiB between ranks");
    return all;
  }
  static std::vector<int> starts(const std::vector<int>& sizes) {
    std::vector<int> at(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), at.begin(), 0);
    return at;
  }

  std::uint32_t rank_ = 0, ranks_ = 1;
};

}  // namespace
}  // namespace davsim::mpi

/// Joins the ranks of the job. davsim looks this name up; the group exists until the process ends.
extern "C" davsim::sim::RankGroup* davsim_rank_group() {
  static davsim::mpi::MpiGroup group;
  return &group;
}
