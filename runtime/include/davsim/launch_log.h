/* The launches of this process, as a profiler tells them. C and C++. */
#ifndef DAVSIM_LAUNCH_LOG_H
#define DAVSIM_LAUNCH_LOG_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* on != 0: forgets what there is and keeps launches from now on; 0: keeps no more. Waits for what
 * is queued first, so that the launches before the call are before it in the log too. */
ACL_FUNC_VISIBILITY aclError davsim_log_launches(int on);

/* How many launches were queued since the log began. The log has them in that order, without those
 * that went wrong. */
ACL_FUNC_VISIBILITY aclError davsim_queued_launches(uint64_t* count);

/* Waits for what is queued. *text is a list of JSON objects, the calling thread's until its next
 * call:
 *   kernel, device, stream, blocks
 *   start_us, end_us       on the clock of the device
 *   frequency_mhz
 *   AIC, AIV               of the cores of a type: cores, cycles of their blocks, and
 *                          in_flight_cycles by pipe, both summed over the cores */
ACL_FUNC_VISIBILITY aclError davsim_logged_launches(const char** text);

#ifdef __cplusplus
}
#endif

#endif
