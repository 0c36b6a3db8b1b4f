#!/bin/bash
# The short form of what tests/harm/signals does at length.
exec "$(dirname "$0")/../harm/signals" 30 12
