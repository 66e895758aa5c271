// SHMEM: PEs in processes of their own, their symmetric heaps, and kernels that use them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "runtime/launch.hpp"
#include "runtime/shmem/heap_rooms.hpp"
#include "shmem.h"
#include "tests/child_process.hpp"

namespace davsim::test::shmem_jobs {
namespace {

using Numbers = std::vector<std::int32_t>;
using Gm = std::uint8_t*;
constexpr int kPes = 4;

Gm gm(void* of) {
  return static_cast<Gm>(of);
}

void require(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " is " + std::to_string(code));
}

/// A PE of a job, in a process of its own.
struct Pe {
  Pe(int of, const std::string& job, std::uint64_t heap_bytes = 8 << 20) : number(of) {
    require(aclrtSetDevice(of), "aclrtSetDevice");
    require(aclrtCreateStream(&stream), "aclrtCreateStream");
    aclshmemx_init_attr_t attributes{};
    attributes.my_pe = of;
    attributes.n_pes = kPes;
    attributes.local_mem_size = heap_bytes;
    std::strcpy(attributes.ip_port, job.c_str());
    require(aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes), "aclshmemx_init_attr");
  }
  template <class... Parameters>
  void launch(const char* kernel, std::uint32_t blocks, Parameters... arguments) const {
    require(static_cast<int>(
                runtime::launch<void(Parameters...)>(kernel, blocks, stream, arguments...)),
            kernel);
    require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  }
  template <class T>
  static void write(void* to, const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    require(aclrtMemcpy(to, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  }
  template <class T = std::int32_t>
  static std::vector<T> read(const void* from, std::size_t count) {
    std::vector<T> values(count);
    const std::size_t bytes = count * sizeof(T);
    require(aclrtMemcpy(values.data(), bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
            "aclrtMemcpy");
    return values;
  }
  static void* allocate(std::size_t bytes) {
    void* block = nullptr;
    require(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    require(aclrtMemset(block, bytes, 0, bytes), "aclrtMemset");
    return block;
  }
  int next() const { return (number + 1) % kPes; }
  int previous() const { return (number + kPes - 1) % kPes; }

  int number;
  aclrtStream stream = nullptr;
};

/// Empty, or where `got` is another.
template <class T>
std::string compare(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    return std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
           ", not " + std::to_string(expected[i]) + "; ";
  }
  return "";
}

class ShmemTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("DAVSIM_SYSTEM", "atlas_a2_server:4", 1); }

  /// What all PEs return.
  static std::string run(const std::function<std::string(const Pe&)>& body) {
    const std::string job = "tcp://127.0.0.1:" + std::to_string(getpid());
    std::vector<Child> children;
    for (int pe = 0; pe < kPes; ++pe) {
      children.push_back(start_child([&] {
        const std::string result = body(Pe(pe, job));
        const int ended = aclshmem_finalize();
        return result + (ended == 0 ? "" : "finalize; ");
      }));
    }
    std::string results;
    for (const Child& child : children) results += result_of(child);
    return results;
  }
};

Numbers numbers_of(int pe, int count) {
  Numbers numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(1000000 * pe + i);
  return numbers;
}

TEST_F(ShmemTest, PutsReachAllPesBeforeABarrierEnds) {
  EXPECT_EQ(run([](const Pe& pe) {
              constexpr int kCount = 5003;
              void* const heap = aclshmem_malloc(kPes * kCount * sizeof(std::int32_t));
              void* const x = Pe::allocate(kCount * sizeof(std::int32_t));
              Pe::write(x, numbers_of(pe.number, kCount));
              pe.launch("shmem_gather_custom", 3, gm(heap), gm(x), kCount);
              Numbers all;
              for (int other = 0; other < kPes; ++other) {
                const Numbers row = numbers_of(other, kCount);
                all.insert(all.end(), row.begin(), row.end());
              }
              return compare("gathered", Pe::read(heap, all.size()), all);
            }),
            "");
}

TEST_F(ShmemTest, SignalsComeBehindTheData) {
  EXPECT_EQ(run([](const Pe& pe) {
              constexpr int kCount = 3000;
              void* const heap = aclshmem_malloc(2 * kCount * sizeof(std::int32_t));
              void* const signals = aclshmem_calloc(64, sizeof(std::int32_t));
              void* const y = Pe::allocate(kCount * sizeof(std::int32_t));
              Pe::write(heap, numbers_of(pe.number, kCount));
              pe.launch("shmem_ring_custom", 2, gm(heap), gm(signals), gm(y), kCount);
              aclshmem_barrier_all();
              const Numbers flags = Pe::read(signals, 64);
              return compare("passed", Pe::read(y, kCount), numbers_of(pe.previous(), kCount)) +
                     compare("signal", {flags[0]}, Numbers{100 + pe.previous()}) +
                     compare("element", {flags[16]}, Numbers{100 + (pe.number + 2) % kPes}) +
                     compare("count", {flags[32]}, Numbers{pe.number == 0 ? kPes : 0});
            }),
            "");
}

/// What PEs that stand in a barrier do not launch is not awaited, and kernels may differ.
TEST_F(ShmemTest, SomePesLaunchAndTheOthersWaitInABarrier) {
  EXPECT_EQ(run([](const Pe& pe) {
              constexpr int kCount = 64;
              void* const heap = aclshmem_malloc(2 * kCount * sizeof(std::int32_t));
              void* const signal = aclshmem_calloc(1, sizeof(std::int32_t));
              void* const y = Pe::allocate(kCount * sizeof(std::int32_t));
              Pe::write(static_cast<std::byte*>(heap) + kCount * sizeof(std::int32_t),
                        numbers_of(pe.number, kCount));
              aclshmem_barrier_all();
              if (pe.number == 2) {
                pe.launch("shmem_send_custom", 1, gm(heap), gm(signal), kCount, 1);
              } else if (pe.number == 1) {
                pe.launch("shmem_receive_custom", 1, gm(signal), gm(heap), gm(y), kCount);
              }
              aclshmem_barrier_all();
              std::string wrong;
              if (pe.number == 1)
                wrong = compare("two", Pe::read(y, kCount), numbers_of(2, kCount));
              if (pe.number == 3) {
                pe.launch("shmem_send_custom", 1, gm(heap), gm(signal), kCount, 0);
              }
              aclshmemx_barrier_all_on_stream(pe.stream);
              require(aclrtSynchronizeStream(pe.stream), "aclrtSynchronizeStream");
              if (pe.number != 0) return wrong;
              return wrong + compare("one", Pe::read(heap, kCount), numbers_of(3, kCount));
            }),
            "");
}

/// What a copy of way `way` in shmem_copy_custom makes of 8192 numbers, of which it reads the first
/// 4096.
std::vector<float> copied(int way, const std::vector<float>& from, std::vector<float> to) {
  const auto rows = [&](std::size_t count, std::size_t length, std::size_t from_step,
                        std::size_t to_step) {
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < length; ++i) {
        to[4096 + row * to_step + i] = from[row * from_step + i];
      }
    }
  };
  switch (way) {
    case 0:
      rows(1, 1001, 0, 0);
      break;
    case 1:
      rows(5, 7, 11, 13);
      break;
    case 2:
      rows(3, 600, 700, 800);
      break;
    case 3:
      rows(50, 1, 2, 3);
      break;
    case 4:  // its own numbers come back
      for (std::size_t i = 0; i < 1024; ++i) to[4096 + i] = to[i];
      break;
    case 5:
      rows(1, 200, 0, 0);
      break;
    case 6:
      rows(1, 9, 0, 0);
      std::memcpy(&to[4096 + 9], &from[9], 1);
      break;
    case 7:
      rows(1, 9, 0, 0);
      break;
    default:
      to[4096] = 7.5f;
  }
  return to;
}

TEST_F(ShmemTest, CopiesOfAllKinds) {
  const auto fresh = [](int pe) {
    std::vector<float> numbers(8192);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(10000 * pe) + static_cast<float>(i) / 4;
    }
    return numbers;
  };
  EXPECT_EQ(run([&](const Pe& pe) {
              void* const heap = aclshmem_malloc(8192 * sizeof(float));
              std::string wrong;
              for (int way = 0; way < 9; ++way) {
                Pe::write(heap, fresh(pe.number));
                aclshmem_barrier_all();
                pe.launch("shmem_copy_custom", 1, gm(heap), way);
                const std::string what = "way " + std::to_string(way);
                wrong += compare(what.c_str(), Pe::read<float>(heap, 8192),
                                 copied(way, fresh(pe.previous()), fresh(pe.number)));
                aclshmem_barrier_all();
              }
              return wrong;
            }),
            "");
}

TEST_F(ShmemTest, AKernelIsRefusedWhatIsNotThere) {
  const auto told = [](int way, const std::string& rule) {
    return run([way, rule](const Pe& pe) {
      void* const heap = aclshmem_malloc(8192 * sizeof(float));
      try {
        pe.launch("shmem_copy_custom", 1, gm(heap), way);
      } catch (const std::exception&) {
        const std::string text = aclGetRecentErrMsg();
        if (text.find(rule) == text.npos) return text;
        // The device has failed, and with it barriers.
        _exit(0);
      }
      return std::string("it was taken");
    });
  };
  EXPECT_EQ(told(9, "pe is 77, allowed are 0 to 3"), "");
  EXPECT_EQ(told(10, "from the start of a row to that of the next is 16, allowed are 32 to"), "");
}

TEST_F(ShmemTest, TeamsHaveNumbersAndBarriersOfTheirOwn) {
  EXPECT_EQ(run([](const Pe& pe) {
              void* const heap = aclshmem_calloc(64, sizeof(std::int32_t));
              void* const y = Pe::allocate(64 * sizeof(std::int32_t));
              std::string wrong;
              aclshmem_team_t odd = 9, row = 9, column = 9;
              require(aclshmem_team_split_strided(ACLSHMEM_TEAM_WORLD, 1, 2, 2, &odd), "split");
              require(aclshmem_team_split_2d(ACLSHMEM_TEAM_WORLD, 2, &row, &column), "split_2d");
              const bool in = pe.number % 2 == 1;
              wrong += compare("odd", {odd != ACLSHMEM_TEAM_INVALID}, Numbers{in});
              wrong += compare("row", {aclshmem_team_my_pe(row)}, Numbers{pe.number % 2});
              wrong += compare("column", {aclshmem_team_my_pe(column)}, Numbers{pe.number / 2});
              wrong += compare("translated", {aclshmem_team_translate_pe(column, 1, 0)},
                               Numbers{2 + pe.number % 2});
              if (in) aclshmem_barrier(odd);
              pe.launch("shmem_team_custom", 1, gm(heap), row, gm(y));
              const int first = pe.number / 2 * 2;
              wrong +=
                  compare("kernel", Pe::read(y, 9),
                          Numbers{pe.number % 2, 2, first, first == 2 ? 1 : -1, 0, 0, 0, 0, 0});
              aclshmem_barrier_all();
              aclshmem_team_destroy(row);
              // PEs have destroyed different teams, and count on alike.
              aclshmem_team_t three = 9;
              require(aclshmem_team_split_strided(ACLSHMEM_TEAM_WORLD, 1, 1, 3, &three), "split");
              pe.launch("shmem_team_custom", 1, gm(heap), three, gm(y));
              const Numbers seen = Pe::read(y, 9);
              const bool outside = pe.number == 0;
              return wrong + compare("other team", {seen[0], seen[1], seen[8]},
                                     Numbers{outside ? -1 : pe.number - 1, outside ? -1 : 3, 0});
            }),
            "");
}

TEST_F(ShmemTest, WaitsForLists) {
  EXPECT_EQ(run([](const Pe& pe) {
              void* const heap = aclshmem_calloc(16, sizeof(std::int32_t));
              void* const y = Pe::allocate(16 * sizeof(std::int32_t));
              pe.launch("shmem_wait_custom", 1, gm(heap), gm(y));
              return compare("waits", Pe::read(y, 4), Numbers{1, 0, 1, 0});
            }),
            "");
}

TEST_F(ShmemTest, TheHostCopiesBetweenHeaps) {
  EXPECT_EQ(
      run([](const Pe& pe) {
        constexpr int kCount = 100000;
        auto* const heap =
            static_cast<std::int32_t*>(aclshmem_malloc(2 * kCount * sizeof(std::int32_t)));
        auto* const signal = static_cast<std::int32_t*>(aclshmem_calloc(2, sizeof(std::int32_t)));
        Pe::write(heap, numbers_of(pe.number, kCount));
        aclshmem_barrier_all();
        aclshmem_int32_put(heap + kCount, heap, kCount, pe.next());
        aclshmem_barrier_all();
        std::string wrong =
            compare("put", Pe::read(heap + kCount, kCount), numbers_of(pe.previous(), kCount));
        void* const own = Pe::allocate(kCount * sizeof(std::int32_t));
        aclshmemx_getmem_on_stream(own, heap, kCount * sizeof(std::int32_t), pe.next(), pe.stream);
        require(aclrtSynchronizeStream(pe.stream), "aclrtSynchronizeStream");
        wrong += compare("get", Pe::read(own, kCount), numbers_of(pe.next(), kCount));
        aclshmem_barrier_all();
        aclshmem_int32_p(heap, 17 + pe.number, pe.next());
        aclshmemx_putmem_signal(heap + 1, own, 4, signal, 3, ACLSHMEM_SIGNAL_ADD, pe.next());
        aclshmemx_signal_op_on_stream(signal, 4, ACLSHMEM_SIGNAL_ADD, pe.next(), nullptr);
        aclshmem_barrier_all();
        wrong += compare("g", {aclshmem_int32_g(heap, pe.next())}, Numbers{17 + pe.number});
        return wrong + compare("p", Pe::read(heap, 2), {17 + pe.previous(), 1000000 * pe.number}) +
               compare("signal", Pe::read(signal, 1), Numbers{7});
      }),
      "");
}

TEST_F(ShmemTest, MemoryLiesAtTheSamePlaceOnAllPes) {
  EXPECT_EQ(run([](const Pe& pe) {
              void* const first = aclshmem_malloc(1000);
              void* const second = aclshmem_align(1 << 16, 100);
              aclshmem_free(first);
              void* const again = aclshmem_calloc(10, 100);
              const auto distance = static_cast<const char*>(second) - static_cast<char*>(again);
              auto* const there = static_cast<std::int32_t*>(aclshmem_calloc(1, 4));
              aclshmem_barrier_all();
              aclshmem_int32_p(there, static_cast<std::int32_t>(distance), pe.next());
              aclshmem_barrier_all();
              std::string wrong = compare("distance", Pe::read(there, 1),
                                          Numbers{static_cast<std::int32_t>(distance)});
              const bool sound =
                  first == again && reinterpret_cast<std::uint64_t>(second) % 65536 == 0;
              wrong += sound ? "" : "the room is not where it was; ";
              wrong += aclshmem_malloc(1 << 30) == nullptr ? "" : "more than there is; ";
              wrong += aclshmem_malloc(0) == nullptr ? "" : "nothing; ";
              wrong += aclshmem_ptr(&wrong, 0) == nullptr ? "" : "an address of the host; ";
              wrong += aclshmem_ptr(there, kPes) == nullptr ? "" : "a PE that is not there; ";
              return wrong + (aclshmem_ptr(there, pe.number) == there ? "" : "the own address; ");
            }),
            "");
}

TEST_F(ShmemTest, WrongJobsAreRefused) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const auto refused = [](int pe, int pes, std::uint64_t bytes, const char* place) {
    aclshmemx_init_attr_t attributes{};
    attributes.my_pe = pe;
    attributes.n_pes = pes;
    attributes.local_mem_size = bytes;
    std::strcpy(attributes.ip_port, place);
    return aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
  };
  EXPECT_EQ(refused(4, 4, 1 << 20, "here"), ACLSHMEM_INVALID_VALUE);
  EXPECT_EQ(refused(0, 0, 1 << 20, "here"), ACLSHMEM_INVALID_VALUE);
  EXPECT_EQ(refused(0, 4, 0, "here"), ACLSHMEM_INVALID_VALUE);
  EXPECT_EQ(refused(0, 4, 1 << 20, ""), ACLSHMEM_INVALID_VALUE);
  EXPECT_EQ(aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, nullptr), ACLSHMEM_INVALID_PARAM);
  EXPECT_EQ(aclshmemx_init_status(), ACLSHMEM_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(aclshmem_my_pe(), -1);
  EXPECT_EQ(aclshmem_malloc(64), nullptr);
  EXPECT_EQ(aclshmem_finalize(), ACLSHMEM_NOT_INITED);
  // A job of one PE needs no others.
  EXPECT_EQ(refused(0, 1, 1 << 20, ""), ACLSHMEM_SUCCESS);
  EXPECT_EQ(refused(0, 1, 1 << 20, ""), ACLSHMEM_INVALID_PARAM);
  EXPECT_EQ(aclshmem_n_pes(), 1);
  EXPECT_EQ(aclshmem_finalize(), ACLSHMEM_SUCCESS);
}

TEST(HeapRoomsTest, RoomsThatMeetBecomeOne) {
  shmem::HeapRooms rooms(1024);
  EXPECT_EQ(rooms.take(100, 1), 0u);
  EXPECT_EQ(rooms.take(100, 256), 256u);
  EXPECT_EQ(rooms.take(156, 1), 100u);  // what the alignment has skipped
  EXPECT_EQ(rooms.take(669, 1), std::nullopt);
  EXPECT_FALSE(rooms.give_back(50));
  EXPECT_TRUE(rooms.give_back(256));
  EXPECT_TRUE(rooms.give_back(0));
  EXPECT_TRUE(rooms.give_back(100));
  EXPECT_FALSE(rooms.give_back(100));
  EXPECT_EQ(rooms.take(1024, 1), 0u);
}

}  // namespace
}  // namespace davsim::test::shmem_jobs
