/* Functions of memory and strings that are told how much room there is. They return EOK, or an
 * error and leave the target empty; those that print return the length, or -1. C and C++. */
#ifndef DAVSIM_SECUREC_H
#define DAVSIM_SECUREC_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
#define EINVAL_AND_RESET (EINVAL | 0x80)
#define ERANGE_AND_RESET (ERANGE | 0x80)
#define EOVERLAP_AND_RESET (54 | 0x80)
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL

typedef int errno_t;

static inline size_t securec_length(const char* text, size_t most) {
  const void* end = memchr(text, 0, most);
  return end == NULL ? most : (size_t)((const char*)end - text);
}

static inline errno_t memset_s(void* dest, size_t destMax, int c, size_t count) {
  if (dest == NULL) return EINVAL;
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN) return ERANGE;
  memset(dest, c, count > destMax ? destMax : count);
  return count > destMax ? ERANGE_AND_RESET : EOK;
}

static inline errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  if (src == NULL || count > destMax) {
    memset(dest, 0, destMax);
    return src == NULL ? EINVAL_AND_RESET : ERANGE_AND_RESET;
  }
  memmove(dest, src, count);
  return EOK;
}

static inline errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count) {
  const char* to = (const char*)dest;
  const char* from = (const char*)src;
  if (dest != NULL && src != NULL && count <= destMax && to != from && to < from + count &&
      from < to + count) {
    memset(dest, 0, destMax);
    return EOVERLAP_AND_RESET;
  }
  return memmove_s(dest, destMax, src, count);
}

static inline errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  size_t length = 0;
  if (destMax == 0 || destMax > SECUREC_STRING_MAX_LEN) return ERANGE;
  if (strDest == NULL) return EINVAL;
  if (strSrc == NULL) {
    strDest[0] = '\0';
    return EINVAL_AND_RESET;
  }
  length = securec_length(strSrc, count);
  if (length >= destMax) {
    strDest[0] = '\0';
    return ERANGE_AND_RESET;
  }
  memmove(strDest, strSrc, length);
  strDest[length] = '\0';
  return EOK;
}

static inline errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc) {
  return strncpy_s(strDest, destMax, strSrc, SECUREC_STRING_MAX_LEN);
}

static inline errno_t strncat_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  size_t length = 0;
  errno_t result = EOK;
  if (strDest == NULL) return EINVAL;
  length = securec_length(strDest, destMax);
  if (length == destMax) return ERANGE;
  result = strncpy_s(strDest + length, destMax - length, strSrc, count);
  if (result != EOK) strDest[0] = '\0';
  return result;
}

static inline errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc) {
  return strncat_s(strDest, destMax, strSrc, SECUREC_STRING_MAX_LEN);
}

static inline int vsnprintf_s(char* strDest, size_t destMax, size_t count, const char* format,
                              va_list arguments) {
  int length = 0;
  if (strDest == NULL || format == NULL || destMax == 0) return -1;
  length = vsnprintf(strDest, count < destMax ? count + 1 : destMax, format, arguments);
  if (length >= 0 && (size_t)length <= count && (size_t)length < destMax) return length;
  if (count >= destMax) strDest[0] = '\0';
  return -1;
}

static inline int vsprintf_s(char* strDest, size_t destMax, const char* format, va_list arguments) {
  return vsnprintf_s(strDest, destMax, destMax, format, arguments);
}

__attribute__((format(printf, 4, 5))) static inline int snprintf_s(char* strDest, size_t destMax,
                                                                   size_t count, const char* format,
                                                                   ...) {
  int length = 0;
  va_list arguments;
  va_start(arguments, format);
  length = vsnprintf_s(strDest, destMax, count, format, arguments);
  va_end(arguments);
  return length;
}

__attribute__((format(printf, 3, 4))) static inline int sprintf_s(char* strDest, size_t destMax,
                                                                  const char* format, ...) {
  int length = 0;
  va_list arguments;
  va_start(arguments, format);
  length = vsnprintf_s(strDest, destMax, destMax, format, arguments);
  va_end(arguments);
  return length;
}

#endif
