#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
need_command gcc

# For children that have ended before the tool reads their events, the start functions of their
# threads are known: both for children that run their parent's program, and for those that run
# another one.
cat >"$T/forks.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
void *octi(void *argument) { return argument; }
static void run(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, octi, NULL);
	pthread_join(thread, NULL);
	_exit(0);
}
int main(int count, char **arguments)
{
	if (count > 1)
		run();
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		for (int i = 0; i < 10; i++) {
			if (fork() == 0) {
				if (i % 2)
					execl("/proc/self/exe", "other", "x", NULL);
				run();
			}
			wait(NULL);
		}
		puts("done");
		fflush(stdout);
	}
}
C
gcc -O1 -pthread -o "$T/forks" "$T/forks.c"
mkfifo "$T/go"
exec 8<>"$T/go"
stdin=$T/go start_target_and_wait "$T/forks"
run_tool uthreads -l c --follow-forks "$target_pid"
kill -STOP "$tool_pid"
echo >&8
wait_for "grep -q done '$target_out'" 20
kill -CONT "$tool_pid"
wait_for "[ \$(grep -c ' stop ' '$tool_out') = 10 ]" 20
stop_tool INT
expect_status 0
expect_count 10 ' pthread +octi \[forks\]$' "$tool_out"
expect_count 10 ' stop +(forks|exe|other), octi \[forks\]$' "$tool_out"
