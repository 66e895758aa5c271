// Calls of the cube side and of data movement in the forms in which the documentation's samples
// write them: braces for parameter structs, plain numbers, explicit and deduced template arguments.
// That they compile is the test; nothing calls them.
#include "kernel_operator.h"

namespace davsim::test {

using namespace AscendC;

struct Forms {
  GlobalTensor<half> g;
  GlobalTensor<float> gf;
  LocalTensor<half> l1, a2, ub;
  LocalTensor<float> co1;
  LocalTensor<std::int8_t> l8;
  LocalTensor<std::uint8_t> u8;
  LocalTensor<std::int32_t> c32;
  LocalTensor<int4b_t> l4;
  LocalTensor<std::uint64_t> words, fb;
  std::uint16_t size = 16;
  std::uint8_t pad_list[4] = {0, 0, 0, 0};

  void copies();
  void loads();
  void products();
  void results();
};

void Forms::copies() {
  DataCopy(l1, g, 64);
  DataCopy(l4, l4, 64);
  DataCopy(l1, g, {1, size, 0, 0});
  DataCopy(g, l1, {1, 4, 0, 0});
  DataCopy(fb, words, {1, 1, 0, 0});
  DataCopy(l1, g, {1, size, size, 0, size, size, 1, 0});
  DataCopy(g, ub, {1, 16, 16, 1, 16, 16, 1});
  const SliceInfo slices[] = {{0, 15, 0, 1, 16}, {0, 1, 0, 1, 2}};
  DataCopy(ub, g, slices, slices);
  DataCopy(g, ub, slices, slices, 2);
  DataCopyPad(ub, g, {1, 20, 0, 0, 0}, {false, 0, 0, 0});
  DataCopyPad(ub, g, {1, 20, 0, 0}, {false, 0, 0, 0});
  DataCopyPad(g, ub, {1, 20, 0, 0, 0});
  const DataCopyExtParams ext{1, 20, 0, 0, 0};
  DataCopyPad(g, ub, ext);
  SetPadValue(half(1));
  SetPadValue<half>(half(0));
  Copy(ub, ub, 128, 1, {1, 1, 8, 8});
  SetAtomicAdd<float>();
  SetAtomicNone();
}

void Forms::loads() {
  LoadData(a2, l1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadDataWithTranspose(a2, l1, {0, 1, 1, 0, 0});
  LoadDataWithSparse(l8, l8, u8, {0, 1, 0, 0, 0, false, 0});
  LoadData(a2, l1, {pad_list, size, size, 16, 16, 16, 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0});
  LoadData<half>(a2, l1, LoadData3DParamsV2<half>());
  SetLoadDataRepeat({1, 1, 0});
  SetLoadDataPaddingValue<half>(0);
  SetLoadDataBoundary(static_cast<std::uint32_t>(0));
  SetFmatrix(1, 16, pad_list, FmatrixMode::FMATRIX_LEFT);
  InitConstValue(l1, {1, static_cast<std::uint16_t>(32), 0, half(0)});
  InitConstValue<half>(l1, {1, 2, 0, 0});
  Fill(l1, {1, static_cast<std::uint16_t>(32), 0, 1});
  Fill<half>(l1, {1, 2, 0, 0});
}

void Forms::products() {
  Mmad(co1, a2, a2, {16, 16, 16, false, 0, false, false, false});
  Mmad(co1, a2, a2, co1, {16, 16, 16, false, 0, false, false, false});
  MmadWithSparse(c32, l8, l8, {16, 16, 64, false, 0, false, false, false});
  SetMMLayoutTransform(true);
  SetHF32Mode(1);
  SetHF32TransMode(1);
}

void Forms::results() {
  Fixpipe(gf, co1, {16, 16, 16, 16, 0});
  Fixpipe<float, float, CFG_NZ>(gf, co1, {16, 16, 16, 16, false});
  Fixpipe<half, std::int32_t>(g, c32, words, FixpipeParamsV220());
  DataCopy(gf, co1, DataCopyCO12DstParams());
  SetFixpipeNz2ndFlag(1, 0, 0);
  SetFixpipePreQuantFlag(0);
  SetFixPipeConfig(fb);
  SetFixPipeConfig<std::uint64_t>(fb, true);
  SetFixPipeConfig(fb, words);
}

}  // namespace davsim::test
