/* How headers of aclnn functions declare them. */
#ifndef DAVSIM_ACLNNOP_ACLNN_UTIL_H
#define DAVSIM_ACLNNOP_ACLNN_UTIL_H

#define ACLNN_API __attribute__((visibility("default")))

#endif
