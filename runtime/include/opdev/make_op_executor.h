// How hand-written aclnn functions make an executor and launch operators of their project.
#pragma once

#include "opdev/op_arg_def.h"
#include "opdev/op_executor.h"
#include "opdev/platform.h"

using namespace std;  // as functions written for the vendor's header expect

#define CREATE_EXECUTOR() UniqueExecutor(__func__)

// The variable `executor` is that of the calling function.
#define ADD_TO_LAUNCHER_LIST_AICORE(type, ...) \
  ::davsim::op_api::add_operator(executor, #type, ::davsim::op_api::call_of(__VA_ARGS__))
#define INFER_SHAPE(type, ...) \
  ::davsim::op_api::infer_shapes(#type, ::davsim::op_api::call_of(__VA_ARGS__))
