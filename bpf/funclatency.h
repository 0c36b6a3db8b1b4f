/* What the halves of funclatency have in common. */
#pragma once

#include "lib/abi.h"

enum { FUNCLATENCY_LEVELS = 16 }; /* most of -l */
