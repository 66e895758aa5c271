/* Kernels that a program compiles while it runs, in place of the vendor's header of this name.
 * davsim-cc compiles them: the one beside the library, or the one in PATH. */
#ifndef DAVSIM_ACL_RT_COMPILE_H
#define DAVSIM_ACL_RT_COMPILE_H

#include <stddef.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* aclrtcProg;

#define ACL_ERROR_RTC_INVALID_PROG 176000
#define ACL_ERROR_RTC_INVALID_INPUT 176001
#define ACL_ERROR_RTC_INVALID_OPTION 176002
#define ACL_ERROR_RTC_COMPILATION 176003

/* A program of kernels. There are no headers of its own: numHeaders is 0. */
ACL_FUNC_VISIBILITY aclError aclrtcCreateProg(aclrtcProg* prog, const char* src, const char* name,
                                              int numHeaders, const char** headers,
                                              const char** includeNames);
ACL_FUNC_VISIBILITY aclError aclrtcDestroyProg(aclrtcProg* prog);
/* Options of davsim-cc. The log has what the compiler says. */
ACL_FUNC_VISIBILITY aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
                                               const char** options);
/* Names an instance of a template, n::k<float>, before the program is compiled. */
ACL_FUNC_VISIBILITY aclError aclrtcAddNameExpr(aclrtcProg prog, const char* nameExpression);
/* The name for aclrtBinaryGetFunction. It lives as long as the program. */
ACL_FUNC_VISIBILITY aclError aclrtcGetLoweredName(aclrtcProg prog, const char* nameExpression,
                                                  const char** loweredName);
/* What aclrtBinaryLoadFromData takes. */
ACL_FUNC_VISIBILITY aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t* binDataSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetBinData(aclrtcProg prog, char* binData);
/* With the end of the text. */
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t* logSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLog(aclrtcProg prog, char* log);

#ifdef __cplusplus
}
#endif
#endif
