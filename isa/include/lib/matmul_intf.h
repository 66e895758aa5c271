// The matrix product of the high-level API: Matmul, MatmulImpl, REGIST_MATMUL_OBJ. docs/matmul.md
// describes it.
#pragma once

#include "ascendc/hide_macros.h"

#include "lib/matmul/matmul_server.h"

#include "ascendc/show_macros.h"

namespace AscendC {

/// Carries its calls out on the cube core that makes them.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>,
          template <const auto&, typename, typename, typename, typename, typename> class MM_POLICY =
              Impl::Detail::MatmulPolicy>
using MatmulImpl = davsim::api::MatmulObject<
    false, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG,
    davsim::api::MatmulExtras<MM_CB, davsim::api::kTriangleOf<MM_POLICY>>>;

#ifdef ASCENDC_CUBE_ONLY
inline constexpr bool kMatmulIsMixed = false;
#else
inline constexpr bool kMatmulIsMixed = true;
#endif
/// Of a mixed kernel, called by its vector cores; with ASCENDC_CUBE_ONLY as MatmulImpl.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>,
          template <const auto&, typename, typename, typename, typename, typename> class MM_POLICY =
              Impl::Detail::MatmulPolicy>
using Matmul = davsim::api::MatmulObject<
    kMatmulIsMixed, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG,
    davsim::api::MatmulExtras<MM_CB, davsim::api::kTriangleOf<MM_POLICY>>>;

}  // namespace AscendC

/// Makes objects ready: REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm1, &tiling1, mm2, ...). In
/// a mixed kernel the cube core stays here, serves its vector cores and leaves the function then.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)          \
  static_cast<void>(tpipe), static_cast<void>(workspace), \
      davsim::api::init_matmul_objects(davsim::api::Location::current(), __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                  \
  static_cast<void>(tpipe);                                                       \
  static_cast<void>(workspace);                                                   \
  if ASCEND_IS_AIC {                                                              \
    davsim::api::MatmulServer(davsim::api::Location::current()).run(__VA_ARGS__); \
    return;                                                                       \
  }                                                                               \
  davsim::api::connect_matmul_objects(davsim::api::Location::current(), __VA_ARGS__)
#endif
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ

// The library's enumerations and configurations are names of the global namespace too, as at the
// vendor's: CubeFormat::ND, CFG_MDL.
using AscendC::BatchMode;
using AscendC::BatchOutMode;
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CubeFormat;
using AscendC::GetBasicConfig;
using AscendC::GetIBShareNormConfig;
using AscendC::GetMDLConfig;
using AscendC::GetMMConfig;
using AscendC::GetNormalConfig;
using AscendC::GetSpecialBasicConfig;
using AscendC::GetSpecialMDLConfig;
using AscendC::IterateMode;
using AscendC::IterateOrder;
using AscendC::LayoutMode;
using AscendC::MatmulBatchParams;
using AscendC::MatmulBiasParams;
using AscendC::MatmulConfig;
using AscendC::MatmulConfigMode;
using AscendC::MatmulFuncParams;
using AscendC::MatmulQuantParams;
using AscendC::MatmulShapeParams;
using AscendC::MM_CFG_BB;
using AscendC::ScheduleType;

/// An older name of the namespace.
namespace matmul {
using namespace AscendC;
}
