// Hosts with narrow limits, unusual files and names: each ends with a message and a status of 2 at
// most, and leaves nothing behind.
#include <csignal>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

const std::vector<std::string> kRun = {"run", "rope_quant_kvcache", "--case", "RQK-1"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::function<void()> limited(__rlimit_resource resource, rlim_t value) {
  return [=] {
    const rlimit limit{value, value};
    setrlimit(resource, &limit);
  };
}

class EdgesTest : public ProgramTest {
 protected:
  void expect_usage(
      const std::vector<std::string>& arguments, const std::string& part,
      const std::function<void()>& in_child = [] {}) const {
    const Outcome outcome = davsim(arguments, in_child);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_TRUE(holds(outcome.err, part)) << outcome.err;
    for (const char* library : {"boost", "/usr/include", "filesystem error", "terminate"}) {
      EXPECT_FALSE(holds(outcome.err, library)) << outcome.err;
    }
  }
  bool folder_is_empty() const { return fs::is_empty(work_); }
};

TEST_F(EdgesTest, MemoryFollowsWhatIsUsed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer reserves addresses for all memory that there could be";
#endif
  constexpr rlim_t kAddressSpace = rlim_t{1200} << 20;
  const Outcome narrow = davsim(kRun, limited(RLIMIT_AS, kAddressSpace));
  EXPECT_EQ(narrow.status, 0) << narrow.err;
  // Cube cores have a workspace of the kernels' library, at the end of the memory.
  const Outcome cube =
      davsim({"run", "matmul", "--case", "MM-1", "--quiet"}, limited(RLIMIT_AS, kAddressSpace));
  EXPECT_EQ(cube.status, 0) << cube.err;
  const Outcome buffers = davsim(with(kRun, {"--set", "l1.size=256MiB"}));
  EXPECT_EQ(buffers.status, 0) << buffers.err;
  EXPECT_LT(buffers.peak, std::uint64_t{512} << 20);
}

TEST_F(EdgesTest, TooLittleMemoryOfTheHostIsNoErrorOfDavsim) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer reserves addresses for all memory that there could be";
#endif
  const auto within = [&](std::vector<std::string> arguments, rlim_t mebibytes) {
    const Outcome outcome = davsim(arguments, limited(RLIMIT_AS, mebibytes << 20));
    EXPECT_NE(outcome.status, 70) << mebibytes << ": " << outcome.err;
    return outcome;
  };
  for (const rlim_t mebibytes : {96, 112, 128, 160, 192, 208, 224}) within(kRun, mebibytes);
  const Outcome buffers = within(with(kRun, {"--set", "l1.size=256MiB"}), 4096);
  EXPECT_EQ(buffers.status, 2);
  EXPECT_TRUE(holds(buffers.err, "no room for the 268435456 bytes of L1 of core")) << buffers.err;
  const Outcome dies =
      within({"run-system", "ascend_910c", "--op", "broadcast", "--bytes", "1MiB"}, 8192);
  EXPECT_EQ(dies.status, 2);
  EXPECT_TRUE(holds(dies.err, "GiB of addresses, which the memories of the dies take"));
}

TEST_F(EdgesTest, TheStackOfTheShellDoesNotMatter) {
  const Outcome small = davsim(kRun, limited(RLIMIT_STACK, 128 << 10));
  EXPECT_EQ(small.status, 0) << small.err;
}

TEST_F(EdgesTest, FewFilesAreNoErrorOfDavsim) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "UndefinedBehaviorSanitizer needs files to tell what an address holds";
#endif
  for (const rlim_t files : {6, 8, 10}) {
    const Outcome outcome =
        davsim(with(kRun, {"--msprof", "folder"}), limited(RLIMIT_NOFILE, files));
    EXPECT_NE(outcome.status, 70) << outcome.err;
    if (outcome.status != 0) {
      EXPECT_TRUE(folder_is_empty()) << files;
    }
    fs::remove_all(work_ / "folder");
  }
}

TEST_F(EdgesTest, AnInputIsNotOverwritten) {
  ASSERT_EQ(davsim(with(kRun, {"--functional", "--save-inputs", "in", "--save-attrs", "a"})).status,
            0);
  const std::string before = read_file(file("in"));
  const std::vector<std::string> again = {"run", "rope_quant_kvcache", "--inputs", "in", "--attrs",
                                          "a",   "--functional"};
  expect_usage(with(again, {"--outputs", "./in"}), "which --inputs reads");
  expect_usage(with(again, {"--report", "a"}), "which --attrs reads");
  EXPECT_EQ(read_file(file("in")), before);
}

TEST_F(EdgesTest, DevicesPipesAndStandardStreams) {
  const auto run = with(kRun, {"--functional"});
  EXPECT_EQ(davsim(with(run, {"--outputs", "/dev/null", "--report", "/dev/null"})).status, 0);
  EXPECT_EQ(
      davsim(with(run, {"--outputs", "out", "--save-inputs", "in", "--save-attrs", "a"})).status,
      0);
  const Outcome printed = davsim(with(run, {"--outputs", "-"}));
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, read_file(file("out")));
  EXPECT_TRUE(holds(printed.err, "rope_quant_kvcache"));
  const Outcome piped = davsim({"run", "rope_quant_kvcache", "--inputs", "-", "--attrs", "a",
                                "--outputs", "again", "--functional"},
                               [] {
                                 int ends[2];
                                 if (pipe(ends) != 0) _exit(126);
                                 if (fork() == 0) {
                                   dup2(ends[1], STDOUT_FILENO);
                                   close(ends[0]);
                                   execlp("cat", "cat", "in", nullptr);
                                   _exit(126);
                                 }
                                 dup2(ends[0], STDIN_FILENO);
                                 close(ends[0]);
                                 close(ends[1]);
                               });
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(read_file(file("again")), read_file(file("out")));
  expect_usage(with(kRun, {"--outputs", "-", "--json"}), "standard output");
}

TEST_F(EdgesTest, NamesThatAreTooLongOrGone) {
  const std::string name(5000, 'n');
  expect_usage(with(kRun, {"--soc", name + ".ini"}), "there is no SoC description file");
  expect_usage(with(kRun, {"--outputs", name}), "File name too long");
  expect_usage(with(kRun, {"--outputs", ""}), "empty");
  write_file(file("long.ini"), "include = " + name + "\n");
  expect_usage(with(kRun, {"--soc", "long.ini"}), "there is no description file");
  expect_usage(with(kRun, {"--outputs", "out", "--report", "r"}), "No such file", [this] {
    fs::create_directory("gone");
    if (chdir("gone") != 0) _exit(126);
    fs::remove(work_ / "gone");
  });
}

TEST_F(EdgesTest, DescriptionsWithLimits) {
  const auto refused = [this](const std::string& text, const std::string& part) {
    write_file(file("my.ini"), "include = Ascend910B3.ini\n" + text);
    expect_usage(with(kRun, {"--soc", "my.ini"}), part);
  };
  refused("[Timing.Dma]\nrow_min = nan cycles | me\n", "number of at least 0");
  refused("[Timing.Dma]\nrow_min = 5 apples | me\n", "the unit must be cycles");
  refused("[Timing.Dma]\nchunk = 4294967296 bytes | me\n", "allowed are");
  write_file(file("zero.ini"), "include = /dev/zero\n");
  expect_usage(with(kRun, {"--soc", "zero.ini"}), "no regular file");
  for (int i = 0; i < 18; ++i) {
    const std::string next = "f" + std::to_string(i + 1) + ".ini";
    write_file(file("f" + std::to_string(i) + ".ini"),
               "include = " + next + "\ninclude = " + next + "\n");
  }
  write_file(file("f18.ini"), "include = Ascend910B3.ini\n");
  expect_usage(with(kRun, {"--soc", "f0.ini"}), "more than 64 files");
  write_file(file("mark.ini"), "\xEF\xBB\xBFinclude = Ascend910B3.ini\n");
  write_file(file("mark.json"), "\xEF\xBB\xBF{}");
  const Outcome marked =
      davsim(with(kRun, {"--soc", "mark.ini", "--attrs", "mark.json", "--functional"}));
  EXPECT_EQ(marked.status, 0) << marked.err;
}

TEST_F(EdgesTest, BuffersThatAreTooSmallForAnOperator) {
  for (const char* setting : {"ub.size=10KiB", "l1.size=16KiB"}) {
    const Outcome small = davsim({"run", "sparse_flash_attention_quant", "--case", "SFA-1",
                                  "--functional", "--set", setting});
    EXPECT_EQ(small.status, 2) << small.err;
    EXPECT_TRUE(holds(small.err, "too small for blocks")) << small.err;
  }
}

struct FirstCase {
  const char *name, *id;
  std::vector<const char*> buffers;  ///< that it needs
};
const std::vector<const char*> kAllBuffers = {"ub", "l1", "l0a", "l0b", "l0c"};
const FirstCase kFirstCases[] = {
    {"fused_infer_attention_score_v2", "FIA-1", kAllBuffers},
    {"kv_rmsnorm_rope_cache", "KVR-1", {"ub"}},
    {"lightning_indexer_prolog_quant", "IPQ-1", kAllBuffers},
    {"matmul", "MM-1", {"l1"}},
    {"mla_indexer_prolog_quant", "MIP-1", kAllBuffers},
    {"mla_prolog_quant", "MPQ-1", kAllBuffers},
    {"paged_attention", "PA-1", kAllBuffers},
    {"rope_quant_kvcache", "RQK-1", {"ub"}},
    {"sparse_flash_attention_quant", "SFA-1", kAllBuffers},
};

TEST_F(EdgesTest, EveryOperatorRefusesBuffersOfOneKibibyte) {
  for (const FirstCase& first : kFirstCases) {
    for (const std::string buffer : first.buffers) {
      const Outcome outcome = davsim(
          {"run", first.name, "--case", first.id, "--functional", "--set", buffer + ".size=1KiB"});
      EXPECT_EQ(outcome.status, 2) << first.id << ", " << buffer << ": " << outcome.err;
    }
  }
}

TEST_F(EdgesTest, SlowEveryBufferOfAnySizeRunsOrIsRefused) {
  for (const FirstCase& first : kFirstCases) {
    for (const char* buffer : {"ub", "l1", "l0a", "l0b", "l0c", "bt", "fb0", "fb1", "fb2", "fb3"}) {
      for (const char* size : {"1KiB", "8KiB", "32KiB", "64KiB", "112KiB"}) {
        const std::string setting = std::string(buffer) + ".size=" + size;
        const Outcome outcome =
            davsim({"run", first.name, "--case", first.id, "--functional", "--set", setting});
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 2)
            << first.id << ", " << setting << ": " << outcome.status << ", " << outcome.err;
      }
    }
  }
}

/// The least UB that an operator names is enough for it.
TEST_F(EdgesTest, SlowTheNamedBytesOfUbAreEnough) {
  const std::vector<std::tuple<const char*, const char*, const char*>> cases = {
      {"kv_rmsnorm_rope_cache", "KVR-1", "a token takes "},
      {"mla_prolog_quant", "MPQ-1", "cores take "},
      {"lightning_indexer_prolog_quant", "IPQ-1", "cores take "},
      {"mla_indexer_prolog_quant", "MIP-1", "cores take "},
  };
  for (const auto& [name, id, before] : cases) {
    const auto with_ub = [&](std::uint64_t bytes) {
      return davsim({"run", name, "--case", id, "--functional", "--set",
                     "ub.size=" + std::to_string(bytes) + "B"});
    };
    const Outcome refused = with_ub(1024);
    ASSERT_EQ(refused.status, 2) << refused.err;
    const std::size_t at = refused.err.find(before);
    ASSERT_NE(at, std::string::npos) << refused.err;
    const std::uint64_t least = std::stoull(refused.err.substr(at + std::string(before).size()));
    EXPECT_EQ(with_ub(least).status, 0) << name << ", " << least << " bytes";
    EXPECT_EQ(with_ub(least - 32).status, 2) << name << ", " << least - 32 << " bytes";
  }
}

TEST_F(EdgesTest, SystemsThatAreNotThere) {
  const auto refused = [&](const std::string& system, const std::string& what) {
    const Outcome outcome = davsim({"run-system", system, "--op", "broadcast", "--times-only"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, what)) << outcome.err;
  };
  refused("atlas_a2_serve", "did you mean 'atlas_a2_server'?");
  refused("atlas_a2_server:9", "has 8 dies; 9 of them cannot be used\n");
  refused("atlas_a2_server:x", "'x' is no number of dies");
  refused("/dev/zero", "there is no description file");
  refused(std::string(5000, 'x') + ".ini", "there is no description file");
  write_file(file("own.ini"), "include = atlas_a2_server.ini\n[Link.hccs]\nbandwidth = 5 ns | x\n");
  refused("./own.ini", "bandwidth is in GB/s, not in ns");
}

TEST_F(EdgesTest, WordsOfTheUser) {
  expect_usage(with(kRun, {"--soc", "910B3"}), "did you mean 'Ascend910B3'");
  expect_usage({"describe", "a\x1b[2Jb"}, "a\\x1b[2Jb");
  // A control sequence introducer in UTF-8 and in Latin-1, a byte that is neither, and letters.
  expect_usage({"describe",
                "a\xc2\x9b"
                "2Jb"},
               "a\\xc2\\x9b2Jb");
  expect_usage({"describe", "a\x9b\xff\x7f"}, "a\\x9b\\xff\\x7f");
  expect_usage({"describe", "\xc2\xa0\xc3\xbc\xe2\x82\xac"}, "'\xc2\xa0\xc3\xbc\xe2\x82\xac'");
}

TEST_F(EdgesTest, PartsOfKilledRunsAreRemoved) {
  write_file(file("out.part-999999999-0"), "of a process that was killed");
  const std::string alive = "out.part-" + std::to_string(getpid()) + "-0";
  write_file(file(alive), "of this process");
  EXPECT_EQ(davsim(with(kRun, {"--functional", "--outputs", "out"})).status, 0);
  EXPECT_FALSE(fs::exists(file("out.part-999999999-0")));
  EXPECT_TRUE(fs::exists(file(alive)));
}

}  // namespace
}  // namespace davsim::cli
