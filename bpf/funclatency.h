/* Shared by funclatency's BPF programs and its frontend. */
#pragma once

#include "bpf/lib/abi.h"

enum { FUNCLATENCY_LEVELS = 16 }; /* maximum of -l */
