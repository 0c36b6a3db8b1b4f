#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# ":" and "," separate only where they cannot be part of an expression.
values=$TARGETS/values
gather "$values" -- \
	-C "p:$values:sum(int a, int b):int,int:a > 0 ? b : a,a == 7 ? ',' : ':':b != '#'" \
	-C "p:$values:show(char *text, size_t n):char*:str(text, n):text == \"octi\" || text == \"a:b,c\"#label"
expect_equal "$(rows)" "1 a > 0 ? b : a = -2147483647, a == 7 ? ',' : ':' = 58
1 a > 0 ? b : a = -9, a == 7 ? ',' : ':' = 44
1 str(text, n) = octi"
