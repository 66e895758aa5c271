// Traces packed by gzip.
#include <zlib.h>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

std::string unpacked(const fs::path& path) {
  std::string packed = read_file(path), text(1 << 24, '\0');
  z_stream state{};
  EXPECT_EQ(inflateInit2(&state, MAX_WBITS + 16), Z_OK);  // gzip and nothing else
  state.next_in = reinterpret_cast<Bytef*>(packed.data());
  state.avail_in = static_cast<uInt>(packed.size());
  state.next_out = reinterpret_cast<Bytef*>(text.data());
  state.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
  text.resize(state.total_out);
  inflateEnd(&state);
  return text;
}

class PackedTraceTest : public ProgramTest {
 protected:
  Outcome run(const std::string& option, const std::string& name) const {
    return davsim({"run", "rope_quant_kvcache", "--case", "RQK-1", option, name, "--quiet"});
  }
};

TEST_F(PackedTraceTest, HoldsTheSameTrace) {
  EXPECT_EQ(run("--trace", "t.json").status, 0);
  const Outcome packed = run("--trace", "t.json.gz");
  EXPECT_EQ(packed.status, 0) << packed.err;
  const std::string plain = read_file(file("t.json"));
  EXPECT_TRUE(unpacked(file("t.json.gz")) == plain);
  EXPECT_LT(fs::file_size(file("t.json.gz")) * 5, plain.size());
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(PackedTraceTest, ExplainReadsItWhateverItsName) {
  run("--trace", "t.json");
  run("--trace", "t.json.gz");
  fs::rename(file("t.json.gz"), file("packed"));
  const Outcome plain = davsim({"explain", "t.json"}), packed = davsim({"explain", "packed"});
  EXPECT_EQ(packed.status, 0) << packed.err;
  EXPECT_EQ(packed.out, plain.out);
  write_file(file("torn"), read_file(file("packed")).substr(0, 5000));
  const Outcome torn = davsim({"explain", "torn"});
  EXPECT_EQ(torn.status, 2) << torn.err;
  EXPECT_TRUE(holds(torn.err, "torn"));
}

/// A file of 150 KB that would become 128 MB.
TEST_F(PackedTraceTest, WhatIsPackedBeyondReasonIsRefused) {
  gzFile packed = gzopen(file("bomb.json.gz").c_str(), "wb9");
  const std::string blanks(1 << 20, ' ');
  for (int i = 0; i < 128; ++i)
    gzwrite(packed, blanks.data(), static_cast<unsigned>(blanks.size()));
  gzclose(packed);
  const Outcome refused = davsim({"explain", "bomb.json.gz"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(holds(refused.err, "packed at more than 100 to 1")) << refused.err;
}

TEST_F(PackedTraceTest, WaveformsToo) {
  EXPECT_EQ(run("--vcd", "w.vcd").status, 0);
  EXPECT_EQ(run("--vcd", "w.vcd.gz").status, 0);
  EXPECT_TRUE(unpacked(file("w.vcd.gz")) == read_file(file("w.vcd")));
}

}  // namespace
}  // namespace davsim::cli
