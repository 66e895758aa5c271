// Logs: the program's own, and that of libraries.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "acl/acl_base.h"
#include "base/dlog_pub.h"

namespace {

int shown_level() {
  const char* level = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
  return level == nullptr || *level == '\0' ? DLOG_ERROR : std::atoi(level);
}

bool is_shown(int level) {
  const char* shown = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  if (shown == nullptr || std::string(shown) != "1") return false;
  return level == DLOG_EVENT || (level < DLOG_NULL && level >= shown_level());
}

const char* name_of(int level) {
  static constexpr const char* kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  if (level == DLOG_EVENT) return "EVENT";
  return level >= DLOG_DEBUG && level <= DLOG_ERROR ? kNames[level] : "ERROR";
}

}  // namespace

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
               const char* fmt, ...) {
  if (fmt == nullptr || !is_shown(logLevel)) return;
  std::va_list arguments;
  va_start(arguments, fmt);
  char message[1024];
  std::vsnprintf(message, sizeof message, fmt, arguments);
  va_end(arguments);
  std::printf("[%s] %s:%u %s: %s\n", name_of(logLevel), file == nullptr ? "?" : file, line,
              func == nullptr ? "?" : func, message);
}

int CheckLogLevel(int, int logLevel) {
  return is_shown(logLevel) ? 1 : 0;
}

int dlog_getlevel(int, int* enableEvent) {
  if (enableEvent != nullptr) *enableEvent = is_shown(DLOG_EVENT) ? 1 : 0;
  return shown_level();
}

void DlogRecord(int moduleId, int level, const char* fmt, ...) {
  if (fmt == nullptr || !is_shown(level)) return;
  std::va_list arguments;
  va_start(arguments, fmt);
  char message[1024];
  std::vsnprintf(message, sizeof message, fmt, arguments);
  va_end(arguments);
  std::string text = message;
  if (text.empty() || text.back() != '\n') text += '\n';
  std::printf("[%s] %d: %s", name_of(level), moduleId, text.c_str());
}
