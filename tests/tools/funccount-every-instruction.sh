#!/bin/bash
# timeout: 300
# alone: it puts probes on thousands of places, one by one

# The instructions that a probe can be on do what they do without one; tests/harm/instructions has many more.
exec "$(dirname "$0")/../harm/instructions" short
