#!/bin/bash
# timeout: 300
# alone: it places thousands of probes, one by one

# Instructions with probes do what they do without; tests/harm/instructions tries many more.
exec "$(dirname "$0")/../../harm/instructions" short
