#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

need_command clang-format
[[ $(clang-format --version) = *'version 14.'* ]] || skip 'clang-format 14 decides about the format'
make -s lint-format || fail 'make format mends it'
