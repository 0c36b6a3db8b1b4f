#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# A filter decides which calls count; a label names them.
values=$TARGETS/values
gather "$values" -- -C "p:$values:put(int fd, const char *data, size_t size):size_t:size:fd > 0#written" \
	-C "p:$values:show(char *text, size_t n):size_t:n:text == \"octi\" || STRCMP(\"oct\", text)# with : and , #" \
	-C "r:$values:put():int:\$retval:\$retval < 0"
expect_equal "$(sed 1d "$tool_out")" "written
	COUNT      EVENT
	1          size = 6
with : and , #
	COUNT      EVENT
	1          n = 3
	1          n = 4
r:$values:put():int:\$retval:\$retval < 0
	COUNT      EVENT
	1          \$retval = -1"

# A filter rejects the event if its value cannot be read.
gather "$values" -- -C "p:$values:show(char *text):char:*text:*text != 'o'"
expect_equal "$(rows | wc -l)" 4

# A filter on a histogram, and one on entry values of a return probe.
gather "$values" -- -H "r:$values:put(int fd, void *data, size_t size):size_t:\$entry(size):\$entry(fd) == 2"
expect_equal "$(buckets | grep -v ' 0$')" '4 7 1'
