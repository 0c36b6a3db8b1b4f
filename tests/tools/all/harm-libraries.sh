#!/bin/bash
# alone: it puts probes on all functions of the C library
source "$(dirname "$0")/../../harm/harm.bash"

# Calls of all functions of the C library and the mathematical library return the same as untraced.
ways=(counts)
harmless_on libc "$(libc_of "$TARGETS/harm/libc")" '*' "$TARGETS/harm/libc"
file=$(library_of "$TARGETS/harm/libm" libm)
harmless_on libm "$file" '*' "$TARGETS/harm/libm"
ways=(latencies)
harmless_on 'loading a library' "$TARGETS/harm/loaded" '*' "$TARGETS/harm/loading"
all_harmless
