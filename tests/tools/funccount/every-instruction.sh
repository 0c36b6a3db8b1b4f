#!/bin/bash
# timeout: 300
# alone: it places thousands of probes, one by one

# Instructions have the same effects with probes as without. tests/harm/instructions tests many
# more.
exec "$(dirname "$0")/../../harm/instructions" short
