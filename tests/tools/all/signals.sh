#!/bin/bash
# timeout: 300
# alone: it kills tools while they attach and detach
# A short version of tests/harm/signals.
exec "$(dirname "$0")/../../harm/signals" 20 8
