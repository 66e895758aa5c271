// lib/transpose/confusion_transpose.h under another name of the public interface.
#pragma once

#include "lib/transpose/confusion_transpose.h"
