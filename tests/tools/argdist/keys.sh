#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Counts by an integer, by a string, by several of both; unsigned types stay unsigned.
values=$TARGETS/values
gather "$values" 2 -- -C "p:$values:sum(int a, int b):int:a"
expect_equal "$(rows)" '2 a = -2147483647
2 a = 7'

gather "$values" 2 -- -C "p:$values:sum(int a, int b):unsigned, u8:a,b"
expect_equal "$(rows)" '2 a = 7, b = 247
2 a = 2147483649, b = 3'

gather "$values" 2 -- -C "p:$values:put(int fd, const char *data, size_t size):int,char*,size_t:fd,data,size"
expect_equal "$(rows)" '2 fd = -1, data = abc, size = 3
2 fd = 2, data = abcdef, size = 6'

# Keys that are read from memory, floating-point keys and constants.
gather "$values" -- -C "p:$values:visit(struct node *node):double,int,char *:node->ratio,7,node->name:node != 0"
expect_equal "$(rows)" '1 node->ratio = 2.5, 7 = 7, node->name = first'

# Bytes after a string's end do not make a different key.
gather "$values" -- -C "p:$values:show():char*:arg1:arg2 == 8 || arg2 == 4"
expect_equal "$(rows)" '1 arg1 = octi
1 arg1 = octifest
1 arg1 = with'
gather "$TARGETS/flood" 2 3000 -- -C "p:$TARGETS/flood:flood(long thread, long number):long,long:thread,number % 3 * 9 - 10"
expect_equal "$(rows)" "$(printf '1000 thread = %d, number %% 3 * 9 - 10 = %d\n' 1 -10 1 -1 1 8 2 -10 2 -1 2 8)"
