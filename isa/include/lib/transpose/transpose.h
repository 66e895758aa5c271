// Another name of the header.
#pragma once

#include "lib/transpose/confusion_transpose.h"
