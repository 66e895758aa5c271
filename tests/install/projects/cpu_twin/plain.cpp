// Host code alone: the twin's macro is defined here too.
#include "cpu_debug_launch.h"
int twin_is_known() {
#if defined(ASCENDC_CPU_DEBUG) && ASCENDC_CPU_DEBUG
  return 1;
#else
  return 0;
#endif
}
