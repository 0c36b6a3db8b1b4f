#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Unreadable numbers are keys of their own; unreadable values of a histogram are not counted, but
# reported.
values=$TARGETS/values
gather "$values" 2 -- -C "p:$values:visit(struct node *node):int:node->value"
expect_equal "$(rows)" '2 node->value = 42
2 node->value = <unreadable: Bad address>'
expect_equal "$(cat "$tool_err")" ''

gather "$values" 2 -- -H "p:$values:visit(struct node *node):int:node->value" -H "p:$values:show(char *t):char:*t lin(97,123,26)"
expect_equal "$(buckets | grep -v ' 0$')" '32 63 2
-inf 96 2
97 122 12'
expect_line '^argdist: 8 events are not counted: their value could not be read$' "$tool_err"
expect_count 1 '' "$tool_err"
