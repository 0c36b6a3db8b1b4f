#!/bin/bash
# timeout: 300
# alone: it kills tools while they attach and detach
# The short form of what tests/harm/signals does at length.
exec "$(dirname "$0")/../harm/signals" 20 8
