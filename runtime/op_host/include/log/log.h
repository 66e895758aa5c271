// Messages of the functions of operators, on standard error.
#pragma once

#include <cstdio>

#define DAVSIM_OP_LOG(level, name, format, ...) \
  std::fprintf(stderr, "davsim: " level " of an operator: " format "\n", ##__VA_ARGS__)

#define OP_LOGE(name, ...) DAVSIM_OP_LOG("error", name, __VA_ARGS__)
#define OP_LOGW(name, ...) DAVSIM_OP_LOG("warning", name, __VA_ARGS__)
#define OP_LOGI(name, ...) static_cast<void>(0)
#define OP_LOGD(name, ...) static_cast<void>(0)

#define OP_CHECK_IF(condition, log, result) \
  do {                                      \
    if (condition) {                        \
      log;                                  \
      result;                               \
    }                                       \
  } while (false)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                          \
  OP_CHECK_IF((pointer) == nullptr, OP_LOGE(context, "%s is null", #pointer), \
              return ge::GRAPH_FAILED)
