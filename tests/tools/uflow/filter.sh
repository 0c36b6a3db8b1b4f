#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# Filters select what is shown; the depth stays that in the program.
need_php
write_php
flow() { # OPTION…
	run_tool uflow "$@" "$target_pid"
	proceed
	wait_done
	stop_tool TERM
	expect_status 0
	proceed
	rm "$T/lines"
}

start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
flow -C Oct -M fes
expect_equal "$(tree)" '    -> Octi.fest
    <- Octi.fest
    -> Octi.fest
    <- Octi.fest
    -> Octi.fest
    <- Octi.fest'

start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
flow --depth 2
expect_equal "$(tree)" '-> plain
  -> Octi.run
  <- Octi.run
<- plain'

start_waiting env USE_ZEND_DTRACE=1 "${php_program[@]}" "$T/octi.php" 1
flow -C Other
expect_equal "$(tree)" ''
