#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/build/manual.bash"
cd "$ROOT"

# All manual pages have their sections in one order, and mandoc has nothing to say about them.
for page in man/*.[0-9]; do
	expect_sections_in_order "$page"
	expect_name_for_apropos "$page"
done

need_command mandoc
lint=$(mandoc -T lint man/*.[0-9]) || true
[ -z "$lint" ] || fail "mandoc -T lint:
$lint"
