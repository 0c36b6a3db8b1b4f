#!/bin/bash
# timeout: 300
# The short form of what tests/harm/signals does at length.
exec "$(dirname "$0")/../harm/signals" 20 8
