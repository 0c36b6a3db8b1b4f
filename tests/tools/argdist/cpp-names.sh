#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# argdist finds C++ functions by their source names. The parameter types that select an overload
# come before the signature that argdist expects after a function.
names=$TARGETS/names_cpp
gather "$names" -- -C "p:$names:shapes::area(int)(int a):int:a" \
	-C "p:$names:shapes::area(int, unsigned long)(int a, unsigned long b):int,u64:a,b" \
	-C "r:$names:shapes::Box<int>::open(int)()" \
	-C "p:$names:shapes::Circle::operator()(int)(void *self, int a):int:a" \
	-C "p:$names:shapes::print():char*:arg1" -C "p:$names:shapes::*area*()"
expect_equal "$(rows)" '1 a = 1
1 a = 1, b = 2
1 retval = 4
1 a = 1
1 arg1 = x
2 total calls'

# After a pattern, "()" does not restrict the parameters.
gather "$names" -- -C "p:$names:shapes::Circle::[gos]*()" # grow() and shrink(), and operators
expect_equal "$(rows)" '8 total calls'
