// The vector instructions (queue V).
#pragma once

#include "ascendc/control_register.h"
#include "ascendc/vector_binary.h"
#include "ascendc/vector_cast.h"
#include "ascendc/vector_dequant.h"
#include "ascendc/vector_duplicate.h"
#include "ascendc/vector_index.h"
#include "ascendc/vector_mask.h"
#include "ascendc/vector_params.h"
#include "ascendc/vector_reduce.h"
#include "ascendc/vector_reduce_tensor.h"
#include "ascendc/vector_scalar.h"
#include "ascendc/vector_shift.h"
#include "ascendc/vector_sort.h"
#include "ascendc/vector_transpose_tensor.h"
#include "ascendc/vector_unary.h"
