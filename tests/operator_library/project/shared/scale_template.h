// The template parameters of ScaleCustom, for the host and the kernel.
#pragma once

#include "ascendc/host_api/tiling/template_argument.h"

ASCENDC_TPL_ARGS_DECL(ScaleCustom,
                      ASCENDC_TPL_DATATYPE_DECL(T, C_DT_INT32, C_DT_FLOAT, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(FACTOR, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_MIX, 1, 2, 4,
                                            9),
                      ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1), );

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, ASCENDC_TPL_INPUT(0)),
                                     ASCENDC_TPL_UINT_SEL(FACTOR, ASCENDC_TPL_UI_LIST, 3),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 1),
                                     ASCENDC_TPL_TILING_STRUCT_SEL(ScaleTiling)), );
