// A matrix product of one tile, written by hand: GM -> L1 -> L0 -> Mmad -> Fixpipe -> GM.
#pragma once

#include "tests/sim/timing_test.hpp"

namespace davsim::test {

/// C[m,n] = A[m,k] x B[k,n], all multiples of 16, everything in one piece.
struct TileProduct {
  std::uint16_t m, n, k;

  template <class T>
  AscendC::LocalTensor<T> at(AscendC::TPosition position, std::uint32_t byte,
                             std::uint32_t count) const {
    return AscendC::LocalTensor<T>(position, byte, count);
  }

  void to_l1(const half* a, const half* b) const {
    using namespace AscendC;
    const auto u16 = [](std::uint32_t v) { return static_cast<std::uint16_t>(v); };
    DataCopy(a_l1(), gm(const_cast<half*>(a), std::uint64_t{m} * k),
             Nd2NzParams(1, m, k, 0, k, m, 1, 0));
    DataCopy(b_l1(), gm(const_cast<half*>(b), std::uint64_t{k} * n),
             Nd2NzParams(1, k, n, 0, u16(n), k, 1, 0));
  }
  void to_l0() const {
    using namespace AscendC;
    LoadData3DParamsV2<half> load_a, load_b;
    load_a.l1H = load_b.l1H = 1;
    load_a.l1W = m, load_a.channelSize = k, load_a.kExtension = k, load_a.mExtension = m;
    load_b.l1W = k, load_b.channelSize = n, load_b.kExtension = n, load_b.mExtension = k;
    LoadData(a_l0(), a_l1(), load_a);
    LoadData(b_l0(), b_l1(), load_b);
  }
  void product(std::uint8_t unit_flag = 0, std::uint32_t l0c_byte = 0) const {
    AscendC::MmadParams params;
    params.m = m, params.n = n, params.k = k;
    params.unitFlag = unit_flag;
    AscendC::Mmad(c_l0(l0c_byte), a_l0(), b_l0(), params);
  }
  void out(float* c, std::uint8_t unit_flag = 0, std::uint32_t l0c_byte = 0) const {
    AscendC::FixpipeParamsV220 params;
    params.nSize = n, params.mSize = m, params.srcStride = m, params.dstStride = n;
    params.unitFlag = unit_flag;
    AscendC::Fixpipe(gm(c, std::uint64_t{m} * n), c_l0(l0c_byte), params);
  }
  /// All of it, ordered by flags.
  void run(const half* a, const half* b, float* c) const {
    using namespace AscendC;
    to_l1(a, b);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    to_l0();
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    product();
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    out(c);
  }
  float expected(const half* a, const half* b, std::uint32_t row, std::uint32_t col) const {
    float sum = 0;
    for (std::uint32_t i = 0; i < k; ++i) sum += float(a[row * k + i]) * float(b[i * n + col]);
    return sum;
  }

  AscendC::LocalTensor<half> a_l1() const { return at<half>(AscendC::TPosition::A1, 0, m * k); }
  AscendC::LocalTensor<half> b_l1() const {
    return at<half>(AscendC::TPosition::B1, 262144, k * n);
  }
  AscendC::LocalTensor<half> a_l0() const { return at<half>(AscendC::TPosition::A2, 0, m * k); }
  AscendC::LocalTensor<half> b_l0() const { return at<half>(AscendC::TPosition::B2, 0, k * n); }
  AscendC::LocalTensor<float> c_l0(std::uint32_t byte) const {
    return at<float>(AscendC::TPosition::CO1, byte, m * n);
  }
};

/// The rules of the cube and of MTE1, in the constants of the device's SoC.
class CubeTest : public TimingTest {
 protected:
  static std::uint64_t length(const Recorder::Event& event) { return event.end - event.start; }
  /// A Mmad of so many multiply-accumulates until its result is there.
  observe::Cycle mmad_cycles(double macs, double rate) {
    return whole(macs / rate) + whole(timing().cube.latency);
  }
  /// A load of `bytes` at `rate` until they are there: overhead, transfer, latency.
  observe::Cycle load_cycles(double overhead, double bytes, double rate) {
    return whole(overhead + bytes / rate) + whole(timing().mte1.latency);
  }
  observe::Cycle load_2d_cycles(double bytes, double rate) {
    return load_cycles(timing().mte1.load2d_overhead, bytes, rate);
  }
};

}  // namespace davsim::test
