/* The same without the folder. */
#include "aclnnop/aclnn_util.h"
