// The basic product of CATLASS's library by its public structure: tiles of C are dealt to the cube
// cores in bands of a few rows; for each, L1 and L0 have two places for A and two for B, which have
// flags of their own; the next piece of k is on its way to L1 before the last one is multiplied.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/tile_bands.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Product {
  std::uint32_t m, n, k;
  std::uint32_t tile_m, tile_n;  ///< of C
  std::uint32_t l1_k, l0_k;      ///< of k, in L1 and in L0
  std::uint32_t band;            ///< tiles above each other that are dealt together

  static Product of(const Params& p) {
    return {p.size("m"),
            p.size("n"),
            p.size("k"),
            p.number("tile_m", 128),
            p.number("tile_n", 256),
            p.number("l1_k", 256),
            p.number("l0_k", 64),
            p.number("band", 3)};
  }
  TileBands bands() const {
    return {static_cast<std::uint32_t>(ceil_div(m, tile_m)),
            static_cast<std::uint32_t>(ceil_div(n, tile_n)), band};
  }
};

/// The buffers are of TPipe, which is taken down at once: the kernel has flags of its own.
class CubeBuffers {
 public:
  CubeBuffers() {
    init(l1_, 512 * 1024), init(l0a_, 64 * 1024), init(l0b_, 64 * 1024), init(l0c_, 128 * 1024);
    pipe_.Destroy();
  }

 private:
  template <class Buffer>
  void init(Buffer& buffer, std::uint32_t bytes) {
    pipe_.InitBuffer(buffer, bytes);
  }
  TPipe pipe_;
  TBuf<TPosition::A1> l1_;
  TBuf<TPosition::A2> l0a_;
  TBuf<TPosition::B2> l0b_;
  TBuf<TPosition::CO1> l0c_;
};

class PingPongProduct {
 public:
  PingPongProduct(const Product& p, half* a, half* b, half* c)
      : p_(p),
        a_(global(a, std::uint64_t{p.m} * p.k)),
        b_(global(b, std::uint64_t{p.k} * p.n)),
        c_(global(c, std::uint64_t{p.m} * p.n)) {
    const std::uint32_t a_count = p.tile_m * p.l1_k, b_count = p.tile_n * p.l1_k;
    for (std::int32_t i = 0; i < 2; ++i) {
      const auto slot = static_cast<std::uint32_t>(i);
      a_l1_[slot] = local<half>(TPosition::A1, slot * a_count * 2, a_count);
      b_l1_[slot] = local<half>(TPosition::B1, 2 * a_count * 2 + slot * b_count * 2, b_count);
      a_l0_[slot] = local<half>(TPosition::A2, slot * 32 * 1024, 16 * 1024);
      b_l0_[slot] = local<half>(TPosition::B2, slot * 32 * 1024, 16 * 1024);
      a_event_[slot] = i, b_event_[slot] = i + 2;
      SetFlag<HardEvent::MTE1_MTE2>(a_event_[slot]);
      SetFlag<HardEvent::MTE1_MTE2>(b_event_[slot]);
      SetFlag<HardEvent::M_MTE1>(a_event_[slot]);
      SetFlag<HardEvent::M_MTE1>(b_event_[slot]);
    }
    sums_ = local<float>(TPosition::CO1, 0, p.tile_m * p.tile_n);
  }
  ~PingPongProduct() {
    for (std::uint32_t i = 0; i < 2; ++i) {
      WaitFlag<HardEvent::MTE1_MTE2>(a_event_[i]);
      WaitFlag<HardEvent::MTE1_MTE2>(b_event_[i]);
      WaitFlag<HardEvent::M_MTE1>(a_event_[i]);
      WaitFlag<HardEvent::M_MTE1>(b_event_[i]);
    }
  }

  void tile(const TilePlace& place) {
    row_ = place.row * p_.tile_m, col_ = place.col * p_.tile_n;
    rows_ = std::min(p_.tile_m, p_.m - row_), cols_ = std::min(p_.tile_n, p_.n - col_);
    const auto pieces = static_cast<std::uint32_t>(ceil_div(p_.k, p_.l1_k));
    load(l1_slot_, 0);
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      const std::uint32_t next = 1 - l1_slot_;
      if (piece + 1 < pieces) load(next, piece + 1);
      multiply(piece, piece + 1 == pieces);
      l1_slot_ = next;
    }
    FixpipeParamsV220 out;
    out.nSize = static_cast<std::uint16_t>(cols_);
    out.mSize = static_cast<std::uint16_t>(rows_);
    out.srcStride = static_cast<std::uint16_t>(round_up(rows_, 16));
    out.dstStride = p_.n;
    out.quantPre = QuantMode_t::F322F16;
    out.unitFlag = 3;
    Fixpipe(c_[std::uint64_t{row_} * p_.n + col_], sums_, out);
  }

 private:
  std::uint32_t depth_of(std::uint32_t piece) const {
    return std::min(p_.l1_k, p_.k - piece * p_.l1_k);
  }

  /// Rows become columns of fractals, of as many rows as a tile in L1 has.
  void load(std::uint32_t slot, std::uint32_t piece) {
    const std::uint32_t depth = depth_of(piece), k = piece * p_.l1_k;
    WaitFlag<HardEvent::MTE1_MTE2>(a_event_[slot]);
    DataCopy(a_l1_[slot], a_[std::uint64_t{row_} * p_.k + k],
             fractals(rows_, depth, p_.k, p_.tile_m));
    SetFlag<HardEvent::MTE2_MTE1>(a_event_[slot]);
    WaitFlag<HardEvent::MTE1_MTE2>(b_event_[slot]);
    DataCopy(b_l1_[slot], b_[std::uint64_t{k} * p_.n + col_],
             fractals(depth, cols_, p_.n, p_.l1_k));
    SetFlag<HardEvent::MTE2_MTE1>(b_event_[slot]);
  }
  static Nd2NzParams fractals(std::uint32_t rows, std::uint32_t cols, std::uint32_t pitch,
                              std::uint32_t l1_rows) {
    Nd2NzParams copy;
    copy.ndNum = 1;
    copy.nValue = static_cast<std::uint16_t>(rows);
    copy.dValue = static_cast<std::uint16_t>(cols);
    copy.srcDValue = static_cast<std::uint16_t>(pitch);
    copy.dstNzC0Stride = static_cast<std::uint16_t>(l1_rows);
    copy.dstNzNStride = 1;
    return copy;
  }

  void multiply(std::uint32_t piece, bool last_piece) {
    const std::uint32_t depth = depth_of(piece);
    const auto parts = static_cast<std::uint32_t>(ceil_div(depth, p_.l0_k));
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint32_t k = part * p_.l0_k, deep = std::min(p_.l0_k, depth - k);
      const bool first = part == 0, last = part + 1 == parts;
      WaitFlag<HardEvent::M_MTE1>(a_event_[l0_slot_]);
      if (first) WaitFlag<HardEvent::MTE2_MTE1>(a_event_[l1_slot_]);
      load_a(k, deep);
      if (last) SetFlag<HardEvent::MTE1_MTE2>(a_event_[l1_slot_]);
      WaitFlag<HardEvent::M_MTE1>(b_event_[l0_slot_]);
      if (first) WaitFlag<HardEvent::MTE2_MTE1>(b_event_[l1_slot_]);
      load_b(k, deep);
      if (last) SetFlag<HardEvent::MTE1_MTE2>(b_event_[l1_slot_]);
      SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
      WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
      mmad(deep, piece == 0 && first, last_piece && last);
      SetFlag<HardEvent::M_MTE1>(b_event_[l0_slot_]);
      SetFlag<HardEvent::M_MTE1>(a_event_[l0_slot_]);
      l0_slot_ = 1 - l0_slot_;
    }
  }

  /// An instruction for each row of fractals.
  void load_a(std::uint32_t k, std::uint32_t deep) {
    LoadData2DParams load;
    load.repeatTimes = static_cast<std::uint8_t>(round_up(deep, 16) / 16);
    load.srcStride = static_cast<std::uint16_t>(p_.tile_m / 16);
    for (std::uint32_t i = 0; i < round_up(rows_, 16) / 16; ++i) {
      LoadData(a_l0_[l0_slot_][i * 16 * round_up(deep, 16)],
               a_l1_[l1_slot_][k * p_.tile_m + i * 256], load);
    }
  }
  void load_b(std::uint32_t k, std::uint32_t deep) {
    LoadData2DParams load;
    load.repeatTimes = static_cast<std::uint8_t>(round_up(cols_, 16) / 16);
    load.srcStride = static_cast<std::uint16_t>(p_.l1_k / 16);
    load.ifTranspose = true;
    for (std::uint32_t i = 0; i < round_up(deep, 16) / 16; ++i) {
      LoadData(b_l0_[l0_slot_][i * 16 * round_up(cols_, 16)], b_l1_[l1_slot_][k * 16 + i * 256],
               load);
    }
  }

  void mmad(std::uint32_t deep, bool first, bool last) {
    constexpr std::uint32_t kShort = 10;  ///< fractals of C; the unit of those needs a barrier
    MmadParams mmad;
    mmad.m = static_cast<std::uint16_t>(round_up(rows_, 16));
    mmad.n = static_cast<std::uint16_t>(round_up(cols_, 16));
    mmad.k = static_cast<std::uint16_t>(deep);
    mmad.cmatrixInitVal = first;
    mmad.unitFlag = last ? 3 : 2;
    Mmad(sums_, a_l0_[l0_slot_], b_l0_[l0_slot_], mmad);
    if (mmad.m / 16u * (mmad.n / 16u) < kShort) PipeBarrier<PIPE_M>();
  }

  Product p_;
  GlobalTensor<half> a_, b_, c_;
  LocalTensor<half> a_l1_[2], b_l1_[2], a_l0_[2], b_l0_[2];
  LocalTensor<float> sums_;
  std::int32_t a_event_[2], b_event_[2];
  std::uint32_t l1_slot_ = 0, l0_slot_ = 0;
  std::uint32_t row_ = 0, col_ = 0, rows_ = 0, cols_ = 0;
};

/// Parameters in global memory: the shape, three addresses, and three layouts.
constexpr std::uint32_t kParameters = 112;

Launch prepare(sim::Device& device, const Params& params) {
  const Product p = Product::of(params);
  half* a = allocate<half>(device, std::uint64_t{p.m} * p.k, "a");
  half* b = allocate<half>(device, std::uint64_t{p.k} * p.n, "b");
  half* c = allocate<half>(device, std::uint64_t{p.m} * p.n, "c");
  const Preamble preamble = Preamble::of(device, params, {.tiling = kParameters});
  const auto cube = [=] {
    preamble();
    const CubeBuffers buffers;
    PingPongProduct product(p, a, b, c);
    const TileBands bands = p.bands();
    const std::uint32_t tiles = bands.down * bands.across;
    const auto cores = static_cast<std::uint32_t>(GetBlockNum());
    for (auto tile = static_cast<std::uint32_t>(GetBlockIdx()); tile < tiles; tile += cores) {
      product.tile(bands.place_of(tile));
    }
  };
  return launch_of(device, "catlass_gemm", isa::KernelType::kAicOnly, cube_cores(device, params),
                   cube, std::function<void()>());
}

const KernelRegistrar g_catlass_gemm({"catlass_gemm",
                                      "C = A x B of half, CATLASS's basic product: m n k [tile_m "
                                      "tile_n l1_k l0_k band cores tiling]",
                                      prepare});

}  // namespace
}  // namespace davsim::silicon
