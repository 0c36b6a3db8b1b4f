#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# A return probe counts by values from the entry, also in recursion and in threads.
values=$TARGETS/values flood=$TARGETS/flood
gather "$values" -- -C "r:$values:factorial(int n):int,int:\$entry(n),\$retval" \
	-C "r:$values:put(int fd, char *data, size_t size):char*,int:\$entry(data),retval" \
	-C "r:$values:name_of(int number):int,char*:\$entry(number),\$retval"
expect_equal "$(rows)" '1 $entry(n) = 1, $retval = 1
1 $entry(n) = 2, $retval = 2
1 $entry(n) = 3, $retval = 6
1 $entry(n) = 4, $retval = 24
1 $entry(n) = 5, $retval = 120
1 $entry(data) = abc, retval = -1
1 $entry(data) = abcdef, retval = 6
1 $entry(number) = 0, $retval = zero
1 $entry(number) = 2, $retval = two'

gather "$flood" 4 20000 -- -C "r:$flood:flood(long thread, long number):long,long:\$entry(thread),\$retval - \$entry(number)"
expect_equal "$(rows)" "$(printf '20000 $entry(thread) = %d, $retval - $entry(number) = %d\n' 1 1 2 2 3 3 4 4)"
