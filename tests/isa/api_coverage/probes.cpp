// A use of every name that docs/api-coverage.md calls supported, as kernels write it. Compiled for
// both core types by a test; never run.
#include "adv_api/hccl/hccl.h"
#include "basic_api/kernel_basic_intf.h"
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/hccl/hccl.h"
#include "lib/matmul_intf.h"

#define API(name)
#define API_PARTLY(name, missing)
/// A name that none of the counted kernels uses.
#define API_ALSO(name)

using namespace AscendC;

namespace {

// What the probes work on.
LocalTensor<float> f, g;
LocalTensor<half> h;
LocalTensor<std::int16_t> s;
LocalTensor<std::int32_t> w;
LocalTensor<std::uint8_t> bytes;
LocalTensor<std::uint32_t> u;
LocalTensor<std::int8_t> b8;
GlobalTensor<float> gm_f;
GlobalTensor<std::int32_t> gm_w;
const std::uint64_t bits[2] = {~0ull, 0};
constexpr TransDataConfig kToRows = {DataFormat::NCDHW, DataFormat::NDC1HWC0};

}  // namespace

void tensors(__gm__ float* pointer) {
  API("GlobalTensor") GlobalTensor<float> global;
  API(".SetGlobalBuffer") global.SetGlobalBuffer(pointer, 64);
  API("LocalTensor") LocalTensor<float> local(TPosition::VECCALC, 0, 64);
  API(".GetValue") local.SetValue(0, global.GetValue(1));
  API(".SetValue") global.SetValue(1, local.GetValue(0));
  API(".ReinterpretCast") local.ReinterpretCast<std::int32_t>()[8].SetValue(0, 1);
  API(".GetPhyAddr") static_cast<void>(reinterpret_cast<__ubuf__ float*>(local.GetPhyAddr()));
  API(".GetSize") static_cast<void>(local.GetSize() + global.GetSize());
  API(".SetSize") local.SetSize(32);
  API(".SetAddr") global.SetAddr(8);
  std::uint32_t shape[] = {2, 4};
  API("ShapeInfo") const ShapeInfo info(2, shape, DataFormat::ND);
  API(".SetShapeInfo") local.SetShapeInfo(info);
  API(".SetL2CacheHint") global.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  ListTensorDesc list;
  TensorDesc<float> desc;
  API(".GetDesc") list.GetDesc(desc, 0);
  API(".GetDataPtr") static_cast<void>(list.GetDataPtr<float>(0));
}

void pipes() {
  API("TPipe") TPipe pipe;
  API("TQue") TQue<TPosition::VECIN, 2> in;
  API("TBuf") TBuf<TPosition::VECCALC> buf;
  API(".InitBuffer") pipe.InitBuffer(in, 2, 256);
  pipe.InitBuffer(buf, 256);
  API(".AllocTensor") auto tensor = in.AllocTensor<half>();
  API(".EnQue") in.EnQue(tensor);
  API(".DeQue") tensor = in.DeQue<half>();
  API(".FreeTensor") in.FreeTensor(tensor);
  API(".Get") h = buf.Get<half>();
  API(".GetWithOffset") h = buf.GetWithOffset<half>(16, 32);
  // Kernels' own resource classes have it; it is made of these calls.
  API(".GetBufferByByte") h = buf.Get<std::uint8_t>()[64].ReinterpretCast<half>();
  API("GetTPipePtr") TPipe* same = GetTPipePtr();
  API(".FetchEventID") TEventID event = same->FetchEventID(HardEvent::MTE2_V);
  API(".AllocEventID") event = pipe.AllocEventID<HardEvent::V_S>();
  API(".ReleaseEventID") pipe.ReleaseEventID<HardEvent::V_S>(event);
  API(".Reset") pipe.Reset();
  API(".Destroy") pipe.Destroy();
}

void control(GM_ADDR workspace) {
  API("SetFlag") SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  API("WaitFlag") WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  API("PipeBarrier") PipeBarrier<PIPE_ALL>();
  API("CrossCoreSetFlag") CrossCoreSetFlag<2, PIPE_MTE3>(0);
  API("CrossCoreWaitFlag") CrossCoreWaitFlag(0);
  API("NotifyEvent") NotifyEvent<PIPE_MTE3>(0);
  API("WaitEvent") WaitEvent(0);
  API("SyncAll") SyncAll();
  SyncAll(gm_w, w, 8);
  GroupBarrier<PipeMode::MTE3_MODE> group(nullptr, 1, 1);
  API("GetWorkspaceLen") static_cast<void>(group.GetWorkspaceLen());
  API("IBSet") IBSet(gm_w, w, 0, 0);
  API("IBWait") IBWait(gm_w, w, 0, 0);
  API("GetBlockIdx") static_cast<void>(GetBlockIdx());
  API("GetBlockNum") static_cast<void>(GetBlockNum());
  API("GetSubBlockIdx") static_cast<void>(GetSubBlockIdx());
  API("GetSubBlockNum") static_cast<void>(GetSubBlockNum());
  API("GetTaskRation") static_cast<void>(GetTaskRation());
  API("GetSystemCycle") static_cast<void>(GetSystemCycle());
  API("GetDataBlockSizeInBytes") static_cast<void>(GetDataBlockSizeInBytes());
  API("GetUserWorkspace") workspace = GetUserWorkspace(workspace);
  API("SetSysWorkspace") SetSysWorkspace(workspace);
  API("GetHcclContext") const GM_ADDR context = GetHcclContext<0>();
  static_cast<void>(context);
  API("GetSysWorkSpacePtr") workspace = GetSysWorkSpacePtr();
  API("SetSyncBaseAddr") SetSyncBaseAddr(0);
  API("InitSocState") InitSocState();
  API("InitOutput") InitOutput<float>(gm_f, 64, 0);
  API("DataCacheCleanAndInvalid")
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm_f);
  API("ICachePreLoad") ICachePreLoad(2);
  API("PRELOAD") PRELOAD(2);
  API("ScalarGetSFFValue") static_cast<void>(ScalarGetSFFValue<1>(8));
  API("printf") printf("block %d: %f\n", GetBlockIdx(), half(1.5));
  API("DumpTensor") DumpTensor(f, 1, 32);
  assert(GetBlockIdx() >= 0, "block %d", GetBlockIdx());
}

void moves() {
  API("DataCopy") DataCopy(f, gm_f, 64);
  API("DataCopyParams") DataCopy(gm_f, f, DataCopyParams(1, 8, 0, 0));
  API("Nd2NzParams") DataCopy(f, gm_f, Nd2NzParams());
  API("DataCopyExtParams") const DataCopyExtParams rows(2, 20, 4, 0, 0);
  API("DataCopyPadExtParams") const DataCopyPadExtParams<float> pad(true, 0, 3, 0.0f);
  API("DataCopyPad") DataCopyPad(f, gm_f, rows, pad);
  API("DataCopyPadParams") DataCopyPad(f, gm_f, DataCopyParams(), DataCopyPadParams());
  API("SetAtomicAdd") SetAtomicAdd<float>();
  API("SetAtomicMax") SetAtomicMax<half>();
  API("SetAtomicMin") SetAtomicMin<std::int32_t>();
  API("SetAtomicNone") SetAtomicNone();
  API("DisableDmaAtomic") DisableDmaAtomic();
}

void cube() {
  const LocalTensor<half> l1, l0;
  const LocalTensor<float> c;
  API("LoadData") LoadData(l0, l1, LoadData2DParams());
  LoadData(l0, l1, LoadData3DParamsV2<half>());
  API("LoadDataWithTranspose") LoadDataWithTranspose(l0, l1, LoadData2dTransposeParams());
  API("LoadDataWithSparse") LoadDataWithSparse(b8, b8, bytes, LoadData2dParams());
  const std::uint8_t padding[] = {0, 0, 0, 0};
  API("SetFmatrix") SetFmatrix(16, 16, padding, FmatrixMode::FMATRIX_LEFT);
  API("SetLoadDataPaddingValue") SetLoadDataPaddingValue(half(0));
  API("InitConstValue") InitConstValue(l0, InitConstValueParams<half>(1, 1, 0, half(0)));
  API("Mmad") Mmad(c, l0, l0, MmadParams());
  API("MmadWithSparse") MmadWithSparse(w, b8, b8, MmadParams());
  API("SetHF32Mode") SetHF32Mode(true);
  API("SetHF32TransMode") SetHF32TransMode(false);
  API("SetMMLayoutTransform") SetMMLayoutTransform(false);
  API("Fixpipe") Fixpipe<float, float, CFG_ROW_MAJOR>(gm_f, c, FixpipeParamsV220());
  API("SetFixpipeNz2ndFlag") SetFixpipeNz2ndFlag(1, 1, 1);
  API("SetFixpipePreQuantFlag") SetFixpipePreQuantFlag(0);
}

void arithmetic() {
  API("Add") Add(f, f, g, 64);
  API("BinaryRepeatParams") Add(f, f, g, bits, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
  API("Sub") Sub(f, f, g, 64, 2, {1, 1, 1, 8, 8, 8});
  API("Mul") Mul(f, f, g, 64);
  API("Div") Div(f, f, g, 64);
  API("Max") Max(f, f, g, 64);
  API("Min") Min(f, f, g, 64);
  API("And") And(s, s, s, 64);
  API("Or") Or(s, s, s, 64);
  API("Not") Not(s, s, 64);
  API("MulAddDst") MulAddDst(f, h, h, 64);
  API("Adds") Adds(f, f, 1.0f, 64);
  API("Muls") Muls(f, f, 2.0f, 64);
  API("Maxs") Maxs(f, f, 0.0f, 64);
  API("Mins") Mins(f, f, 0.0f, 64);
  API("Axpy") Axpy(f, h, half(2), 64);
  API_ALSO("BilinearInterpolation")
  BilinearInterpolation(h, h, u, h, std::uint64_t{128}, 2, false, 1, 128, 2, bytes);
  API("FusedMulAdd") FusedMulAdd(f, f, g, 64);
  API("LeakyRelu") LeakyRelu(f, f, 0.1f, 64);
  API("ShiftLeft") ShiftLeft(s, s, std::int16_t{2}, 64);
  API("ShiftRight") ShiftRight(w, w, 2, 64);
  API("Exp") Exp(f, f, 64);
  API("UnaryRepeatParams") Exp(f, f, 64, 1, UnaryRepeatParams(1, 1, 8, 8));
  API("Ln") Ln(f, f, 64);
  API("Log") Log(f, f, 64);
  API("Ceil") Ceil(f, f, 64);
  API("Tanh") Tanh(f, f, 64);
  API("Sigmoid") Sigmoid(f, f, 64);
  API("Silu") Silu(f, f, 64);
  API("Gelu") Gelu(f, f, 64);
  API("Abs") Abs(f, f, 64);
  API("Sqrt") Sqrt(f, f, 64);
  API("Rsqrt") Rsqrt(f, f, 64);
  API("Relu") Relu(f, f, 64);
  API("Cast") Cast(h, f, RoundMode::CAST_RINT, 64);
  API("SetDeqScale") SetDeqScale(half(1));
  API("Duplicate") Duplicate(f, 0.0f, 64);
  API("Copy") Copy(f, g, 64, 1, {1, 1, 8, 8});
  API("SetMaskCount") SetMaskCount();
  API("SetMaskNorm") SetMaskNorm();
  API("SetVectorMask") SetVectorMask<float, MaskMode::NORMAL>(0, 1);
  API("SetMask") AscendCUtils::SetMask<float>(64);
  API("ResetMask") ResetMask();
}

void functions() {
  API_ALSO("Sin") Sin(f, f, bytes, 64);
  API_ALSO("Cos") Cos(f, f, 64);
  API_ALSO("Tan") Tan(f, f, bytes, 64);
  API_ALSO("Trunc") Trunc(f, f, bytes, 64);
  API_ALSO("Floor") Floor(f, f, bytes, 64);
  API_ALSO("Round") Round(f, f, bytes, 64);
  API_ALSO("Sign") Sign(f, f, bytes, 64);
  API_ALSO("Atan") Atan(f, f, bytes, 64);
  API_ALSO("Erf") Erf(f, f, bytes, 64);
  API_ALSO("Fmod") Fmod(f, f, g, bytes, 64);
  API_ALSO("FasterGelu") FasterGelu(f, f, bytes, 64);
  API_ALSO("ClampMax") ClampMax(f, f, bytes, 1.0f, 64);
  API_ALSO("ClampMin") ClampMin(f, f, bytes, 1.0f, 64);
  API("Power") Power(f, f, g, bytes, 64);
  API("SwiGLU") SwiGLU(f, f, g, 1.0f, bytes, 64);
  API_ALSO("Xor") Xor(s, s, s, bytes, 64);
}

void more_functions() {
  API_ALSO("Acos") Acos(f, f, bytes, 64);
  API_ALSO("Acosh") Acosh(f, f, 64);
  API_ALSO("Asin") Asin(f, f, bytes);
  API_ALSO("Asinh") Asinh(f, f);
  API_ALSO("Atanh") Atanh<float, true>(f, f, bytes, 64);
  API_ALSO("Cosh") Cosh(h, h, bytes, 64);
  API_ALSO("Sinh") Sinh(f, f, 64);
  API_ALSO("Digamma") Digamma(f, f, bytes, 64);
  API_ALSO("Lgamma") Lgamma(f, f, bytes);
  API_ALSO("Erfc") Erfc(f, f, bytes, 64);
  API_ALSO("Frac") Frac(f, f, bytes, 64);
  API_ALSO("Log2") Log2(f, f, bytes, 64);
  API_ALSO("Log10") Log10(f, f, 64);
  API_ALSO("Swish") Swish(f, f, 64, 1.0f);
  API_ALSO("GeGLU") GeGLU(f, f, g, bytes, 64);
  API_ALSO("ReGlu") ReGlu(f, f, g, 64);
  API_ALSO("FasterGeluV2") FasterGeluV2(f, f, bytes, 64);
  API_ALSO("Arange") Arange(f, 0.0f, 1.0f, 64);
  API_ALSO("Fill") Fill(gm_f, 64, 1.0f);
  API_ALSO("InitGlobalMemory") InitGlobalMemory(gm_f, 64, 1.0f);
  API_ALSO("BroadCast")
  const std::uint32_t rows[] = {8, 64}, values[] = {8, 1};
  BroadCast<float, 2, 1>(f, g, rows, values, bytes);
}

void softmaxes(const SoftMaxTiling& tiling, const LogSoftMaxTiling& log) {
  API_ALSO("SimpleSoftMax") SimpleSoftMax(f, g, g, f, bytes, tiling);
  API_ALSO("SoftmaxFlash") SoftmaxFlash(f, g, g, f, f, g, g, bytes, tiling, true);
  API_ALSO("SoftmaxFlashV3")
  SoftmaxFlashV3<half, float, true>(h, f, g, g, h, h, f, g, g, bytes, tiling, SoftMaxParams());
  API_ALSO("SoftmaxGrad") SoftmaxGrad(f, g, f, bytes, tiling, false);
  API_ALSO("LogSoftMax") LogSoftMax(f, g, g, f, bytes, log);
}

void norms() {
  LayerNormTiling layer;
  const NormalizePara lengths{8, 64, 64};
  const WelfordFinalizePara ends{1, 8, 1, 8, 0, 0, 0.125f, 0.125f};
  API_ALSO("LayerNorm") LayerNorm(f, g, g, f, g, g, bytes, 1e-5f, layer);
  API_ALSO("RmsNorm") RmsNorm(f, f, g, bytes, 1e-5f, RmsNormTiling());
  API_ALSO("DeepNorm") DeepNorm(f, g, g, f, f, g, g, bytes, 1.0f, 1e-5f, DeepNormTiling());
  API_ALSO("GroupNorm") GroupNorm(f, g, g, f, g, g, bytes, 1e-5f, GroupNormTiling());
  API_ALSO("BatchNorm") BatchNorm(f, g, g, f, g, g, 1e-5f, BatchNormTiling());
  API_ALSO("Normalize") Normalize<float, float>(f, g, g, g, f, g, g, bytes, 1e-5f, lengths);
  API_ALSO("WelfordUpdate") WelfordUpdate<float, float>(f, g, f, g, f, {1, 8, 8, 1.0f});
  API_ALSO("WelfordFinalize") WelfordFinalize(f, g, f, g, w, bytes, ends);
  API_ALSO("LayerNormGrad") LayerNormGrad(f, g, f, g, f, g, f, 1e-5f, LayerNormGradTiling());
  API_ALSO("LayerNormGradBeta") LayerNormGradBeta(f, g, f, g, LayerNormGradBetaTiling());
}

void shapes() {
  const std::uint32_t shape[] = {8, 64};
  const ConfusionTransposeTiling turn;
  API_ALSO("Mean") Mean(f, f, bytes, {8, 64, 60});
  API_ALSO("ReduceMean") ReduceMean<float, Pattern::Reduce::AR>(f, g, bytes, shape, true);
  API_ALSO("ReduceXorSum") ReduceXorSum(s, s, s, bytes, 64);
  API_ALSO("ReduceProd") ReduceProd<float, Pattern::Reduce::AR>(f, g, bytes, shape, true);
  API_ALSO("ReduceAny") ReduceAny<float, Pattern::Reduce::RA>(f, g, shape, true);
  API_ALSO("ReduceAll") ReduceAll<std::uint8_t, Pattern::Reduce::AR>(bytes, bytes, shape, true);
  API_ALSO("CumSum") CumSum(f, g, f, bytes, {8, 64});
  API_ALSO("Pad") Pad(f, g, {0, 1, 0}, bytes, PadTiling());
  API_ALSO("UnPad") UnPad(f, g, {0, 1}, bytes, UnPadTiling());
  Layout ncdhw = MakeLayout(MakeShape(1, 16, 1, 4, 4), MakeStride());
  Layout ndc1hwc0 = MakeLayout(MakeShape(1, 1, 1, 4, 4, 16), MakeStride());
  TransDataParams<decltype(ncdhw), decltype(ndc1hwc0)> formats{ncdhw, ndc1hwc0};
  API_ALSO("TransData") TransData<kToRows>(h, h, bytes, formats);
  API_ALSO("ConfusionTranspose")
  ConfusionTranspose(f, g, bytes, TransposeType::TRANSPOSE_ND2ND_ONLY, turn);
  API_ALSO("SelectWithBytesMask") SelectWithBytesMask(f, f, 0.0f, bytes, bytes, {8, 64, 64});
  API_ALSO("DropOut") DropOut(f, f, bytes, bytes, 0.5f, {8, 64, 64});
}

void rows() {
  const std::uint32_t rows[] = {8, 64}, row[] = {1, 64};
  API("Sum") Sum(f, f, bytes, {8, 64, 60});
  API("Broadcast") Broadcast<float, 2, 0>(f, g, rows, row, bytes);
  API("AscendQuant") AscendQuant(b8, f, bytes, 2.0f, 0.0f, 64);
  API("AscendDequant") AscendDequant(h, w, f, bytes, {8, 64, 64});
  API("AscendAntiQuant") AscendAntiQuant<std::int8_t, half, false>(h, b8, h, h, bytes, 64);
  API("TopK") TopK<float>(f, w, g, w, {}, bytes, 8, TopkTiling(), {1, 64, 64});
  ReduceMax<float, Pattern::Reduce::AR>(f, g, bytes, rows, true);
}

void reductions() {
  API("ReduceSum") ReduceSum(f, f, g, 64);
  API("ReduceMax") ReduceMax(f, f, g, 64, true);
  API("ReduceMin") ReduceMin(f, f, g, 64);
  API("WholeReduceSum") WholeReduceSum(f, f, 64, 1, 1, 1, 8);
  API("WholeReduceMax") WholeReduceMax(f, f, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  API("BlockReduceSum") BlockReduceSum(f, f, 1, 64, 1, 1, 8);
  API("BlockReduceMax") BlockReduceMax(f, f, 1, 64, 1, 1, 8);
  API("PairReduceSum") PairReduceSum(f, f, 1, 64, 1, 1, 8);
  API("RepeatReduceSum") RepeatReduceSum(f, f, 1, 64, 0, 1, 1, 8);
  API("GetAccVal") static_cast<void>(GetAccVal());
  API("Brcb") Brcb(f, g, 1, {1, 8});
}

void softmax() {
  const SoftMaxShapeInfo shape{8, 64, 8, 64};
  API("SoftmaxConfig") const SoftmaxConfig config(true, 0, 0);
  API("SoftMaxFlashV2TilingFunc") const auto tiling = SoftMaxFlashV2TilingFunc(shape, 4, 4, 4096);
  API("SoftMax") SoftMax<float>(f, f, bytes, tiling, shape);
  API("SoftmaxFlashV2") SoftmaxFlashV2<float, true>(f, g, g, f, g, g, g, bytes, tiling, shape);
  API("SoftmaxGradFront") SoftmaxGradFront<float>(g, f, f, bytes, tiling, shape);
  API("AdjustSoftMaxRes")
  static_cast<void>(AdjustSoftMaxRes<float, float>(f, g, 0xff7fffff, 0.0f, shape));
  static_cast<void>(config);
}

void sorting() {
  API("Sort32") Sort32(f, g, u, 1);
  API("MrgSort") MrgSort(f, MrgSortSrcList<float>(f, f, f, f), MrgSort4Info());
  API("Extract") Extract(f, u, g, 1);
  API("Concat") Concat(f, g, f, 2);
  API("Sort") Sort<float, true>(f, g, u, f, 1);
  API("GetSortOffset") static_cast<void>(GetSortOffset<float>(32));
  API("GetSortLen") static_cast<void>(GetSortLen<float>(32));
  API("Transpose") Transpose(s, s);
  std::uint64_t blocks[16] = {};
  API("TransDataTo5HD") TransDataTo5HD<half>(blocks, blocks, TransDataTo5HDParams());
  API("CreateVecIndex") CreateVecIndex(w, 0, 64);
  API("ArithProgression") ArithProgression<std::int32_t>(w, 0, 2, 64);
}

void choices() {
  API("Compare") Compare(bytes, f, g, CMPMODE::LT, 64);
  Compare(f, g, CMPMODE::GE, bits, BinaryRepeatParams());
  API("CompareScalar") CompareScalar(bytes, f, 1.0f, CMPMODE::EQ, 64);
  API("Compares") Compares(bytes, f, 1.0f, CMPMODE::EQ, 64, 1, {1, 1, 8, 8});
  API("Select") Select(f, bytes, f, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Select(f, bytes, f, g, SELMODE::VSEL_CMPMASK_SPR, 64, 1, {1, 1, 1, 8, 8, 8});
  const auto u = w.ReinterpretCast<std::uint32_t>();
  API("Gather") Gather(f, g, u, 0, 64);
  Gatherb(u, u[64], u[128], 1, {1, 8});
  std::uint64_t kept = 0;
  API("GatherMask") GatherMask(f, g, 1, true, 64, {1, 1, 8, 0}, kept);
  GatherMask(f, g, u, false, 0, {1, 1, 8, 0}, kept);
}

void intrinsics(__gm__ float* pointer) {
  const auto ub = reinterpret_cast<__ubuf__ float*>(f.GetPhyAddr());
  const auto l0a = reinterpret_cast<__ca__ half*>(h.GetPhyAddr());
  API("pipe_barrier") pipe_barrier(PIPE_ALL);
  API("set_flag") set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  API("wait_flag") wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  API("get_block_idx") static_cast<void>(get_block_idx());
  API("get_block_num") static_cast<void>(get_block_num());
  API("get_subblockid") static_cast<void>(get_subblockid());
  API("get_subblockdim") static_cast<void>(get_subblockdim());
  API("mad") mad(ub, l0a, l0a, 16, 16, 16, 0, false, false, true);
  API("ffts_cross_core_sync") ffts_cross_core_sync(PIPE_MTE3, GetffstMsg(2, 0));
  API("get_imm") static_cast<void>(get_imm(1));
  API("set_nd_para") set_nd_para(1);
  API("vector_dup") vector_dup(ub, 0.0f, 1, 1, 1, 8, 0);
  API("sbitset0") static_cast<void>(sbitset0(0, 1));
  API("sbitset1") static_cast<void>(sbitset1(0, 1));
  API("set_padding") set_padding(0);
  API("dcci") dcci(pointer, SINGLE_CACHE_LINE, CACHELINE_OUT);
  API("copy_ubuf_to_ubuf") copy_ubuf_to_ubuf(ub, ub, 0, 1, 8, 0, 0);
  API("set_vector_mask") set_vector_mask(0, 1);
  API("vcadd") vcadd(ub, ub, 1, 1, 1, 8, false);
  API("get_ctrl") const std::uint64_t control = get_ctrl();
  API("set_ctrl") set_ctrl(sbitset1(control, 48));
  API("copy_cbuf_to_fbuf") copy_cbuf_to_fbuf(ub, ub, 1, 1, 0, 0);
}

using ProbeOperand = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
using ProbeResult = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr MatmulShapeParams kProbeSizes = {128, 128, 128, 64, 64, 64};
API_ALSO("GetMMConfig")
constexpr MatmulConfig kProbeMdl = GetMMConfig<MatmulConfigMode::CONFIG_MDL>(kProbeSizes);
static_assert(kProbeMdl.basicN == 64 && kProbeMdl.doMultiDataLoad);
constexpr MatmulConfig kProbeShape = GetSpecialBasicConfig(64, 64, 64, 128, 128, 128, 1, 1);
API("GetMatmulApiTiling")
constexpr MatmulApiStaticTiling kProbeTiling =
    GetMatmulApiTiling<ProbeOperand, ProbeOperand, ProbeResult, ProbeResult>(kProbeShape);
static_assert(kProbeTiling.baseM == 64);

void matmul_object(TPipe& pipe, const TCubeTiling& tiling) {
  GlobalTensor<half> a;
  GlobalTensor<std::uint64_t> words;
  Matmul<ProbeOperand, ProbeOperand, ProbeResult, ProbeResult, kProbeTiling> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  API(".SetOrgShape") mm.SetOrgShape(128, 128, 128);
  API(".SetSingleShape") mm.SetSingleShape(128, 128, 128);
  API(".SetTail") mm.SetTail(64);
  API(".SetTensorA") mm.SetTensorA(a, true);
  API(".SetTensorB") mm.SetTensorB(a);
  API(".SetBias") mm.SetBias(gm_f);
  API(".SetQuantVector") mm.SetQuantVector(words);
  API(".SetQuantScalar") mm.SetQuantScalar(0);
  API(".SetHF32") mm.SetHF32(true, 1);
  API(".SetSubBlockIdx") mm.SetSubBlockIdx(0);
  API(".SetUserDefInfo") mm.SetUserDefInfo(0);
  API(".SetSelfDefineData") mm.SetSelfDefineData(std::uint64_t{0});
  API(".SetWorkspace") mm.SetWorkspace(gm_f);
  API(".IterateAll") mm.IterateAll<false>(gm_f, 0, false, true);
  API(".WaitIterateAll") mm.WaitIterateAll();
  API(".Iterate") while (mm.Iterate()) {
    API(".GetTensorC") mm.GetTensorC(gm_f);
  }
  API(".SetBatchNum") mm.SetBatchNum(2, 1);
  API(".IterateBatch") mm.IterateBatch(gm_f, 2, 1, false);
  API_ALSO(".IterateNBatch") mm.IterateNBatch<false, true>(2, 1, 1, false);
  API_ALSO(".GetBatchTensorC") static_cast<void>(mm.GetBatchTensorC<false>(1, 1));
  API_ALSO(".AsyncGetTensorC") mm.AsyncGetTensorC(f);
  API_ALSO(".WaitGetTensorC") mm.WaitGetTensorC();
  API_ALSO(".ClearBias") mm.ClearBias();
  API_ALSO(".SetLocalWorkspace") mm.SetLocalWorkspace(bytes);
  API_ALSO(".Init") mm.Init(&tiling, &pipe);
  API_ALSO(".End") mm.End();
}

// Collective operations, as kernels that communicate write them.
namespace {

struct CommunicatingTiling {
  Mc2InitTiling mc2InitTiling;
  Mc2CcTiling mc2CcTiling;
};
constexpr HcclServerConfig kOnVector = {CoreType::ON_AIV, 10};

class Communicating {
 public:
  void Run(GM_ADDR send, GM_ADDR recv, CommunicatingTiling* tiling) {
    auto* window = reinterpret_cast<__gm__ HcclContextDef::HcclOpResParam*>(GetHcclContext<1>());
    hccl_.InitV2(GetHcclContext<HCCL_GROUP_ID_0>(), tiling);
    if (hccl_.SetCcTilingV2(offsetof(CommunicatingTiling, mc2CcTiling)) != HCCL_SUCCESS) return;
    const HcclHandle sum =
        hccl_.AllReduce<true>(send, recv, window->winSize, HcclDataType::HCCL_DATA_TYPE_FP16,
                              HcclReduceOp::HCCL_REDUCE_SUM, 2);
    const HcclHandle part = hccl_.ReduceScatter(send, recv, 64, AscendC::HCCL_DATA_TYPE_BFP16,
                                                AscendC::HCCL_REDUCE_MAX, 0);
    hccl_.Commit(part);
    for (std::uint8_t round = 0; round < 2; ++round) hccl_.Wait(sum);
    std::uint64_t counts[2] = {1, 2}, offsets[2] = {0, 1};
    hccl_.AlltoAllV<true>(send, counts, offsets, HCCL_DATA_TYPE_INT8, recv, counts, offsets,
                          HCCL_DATA_TYPE_INT8);
    API(".GetWindowsOutAddr")
    API(".GetRankId") hccl_.BatchWrite<true>(hccl_.GetWindowsOutAddr(hccl_.GetRankId()), 2);
    if (AscendC::g_coreType == AscendC::AIV && hccl_.Query(part) == 1) hccl_.Finalize<false>();
  }

 private:
  Hccl<HCCL_SERVER_TYPE_AICPU> hccl_;
};

// Of an operator for another architecture as well, which has another server: declared, and not used
// where that server does not exist.
template <class T>
class CommunicatingElsewhere {
 public:
  void Run(GM_ADDR send) {
    hccl_.Init(GetHcclContext<0>());
    hccl_.Commit(hccl_.AllGather(send, send, sizeof(T), HCCL_DATA_TYPE_INT8, 0));
  }

 private:
  Hccl<HcclServerType::HCCL_SERVER_TYPE_CCU> hccl_;
};

}  // namespace

void collectives(GM_ADDR send, GM_ADDR recv, CommunicatingTiling* tiling) {
  Communicating().Run(send, recv, tiling);
  Hccl hccl;
  Hccl<HcclServerType::HCCL_SERVER_TYPE_AICPU, kOnVector> pinned;
  hccl.Init(GetHcclContext<0>(), &tiling->mc2InitTiling);
  pinned.Init(GetHcclContext<0>());
  hccl.SetCcTiling(&tiling->mc2CcTiling);
  API(".GetWindowsInAddr")
  API(".GetRankDim")
  hccl.AllGather<true>(send, hccl.GetWindowsInAddr(hccl.GetRankDim() - 1), 64,
                       HcclDataType::HCCL_DATA_TYPE_INT32, 0, 1);
  hccl.AlltoAll<true>(send, recv, 64, HcclDataType::HCCL_DATA_TYPE_FP32);
  API(".Finalize") hccl.Finalize();
}
