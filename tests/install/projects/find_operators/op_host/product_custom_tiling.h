// The tiling of a product goes from the tiling function to the Matmul object of the kernel.
#ifndef PRODUCT_CUSTOM_TILING_H
#define PRODUCT_CUSTOM_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ProductTilingData)
TILING_DATA_FIELD_DEF(float, slope);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cubeTilingData);
TILING_DATA_FIELD_DEF(uint64_t, behind);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ProductCustom, ProductTilingData)
}  // namespace optiling
#endif
