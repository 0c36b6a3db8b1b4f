#!/bin/bash
# timeout: 300
# alone: perf and the tool have to keep up with two programs under load
#
# Stacks equal those of perf's unwinder at the same events, for two programs under load. (`make
# stacks` has 14.)
STACKS_CHECKED=1000 exec bash "$(dirname "$0")/../../stacks/programs" redis python
