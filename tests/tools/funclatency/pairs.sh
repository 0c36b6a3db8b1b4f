#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
need_command jq

# The time between two events: in one thread, and from thread to thread by a value that both have.
cat >"$T/queue.c" <<'EOF'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	#define KEPT __attribute__((noipa))
	struct request { int number; };
	static struct request *handed;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
	KEPT void enqueue(int queue, struct request *request) { (void)queue; (void)request; }
	KEPT struct request *dequeue(struct request *request) { return request; }
	KEPT void begin(int n) { (void)n; }
	KEPT void end(int n) { (void)n; }
	static void *serve(void *unused)
	{
	    for (int i = 0; i < 20; i++) {
	        pthread_mutex_lock(&lock);
	        while (!handed)
	            pthread_cond_wait(&changed, &lock);
	        usleep(2000);
	        free(dequeue(handed));
	        handed = NULL;
	        pthread_cond_signal(&changed);
	        pthread_mutex_unlock(&lock);
	    }
	    return unused;
	}
	int main()
	{
	    pthread_t server;
	    puts("ready"); fflush(stdout); getchar();
	    pthread_create(&server, NULL, serve, NULL);
	    for (int i = 0; i < 20; i++) {
	        pthread_mutex_lock(&lock);
	        while (handed)
	            pthread_cond_wait(&changed, &lock);
	        handed = malloc(sizeof(*handed));
	        handed->number = i;
	        enqueue(7, handed);
	        pthread_cond_signal(&changed);
	        pthread_mutex_unlock(&lock);
	    }
	    pthread_join(server, NULL);
	    end(0);                                            /* no start */
	    for (int i = 1; i <= 5; i++) { begin(i); usleep(1000); end(i); }
	    begin(10); begin(11); end(11); end(10);            /* nested: one thread, two keys */
	    begin(12);                                         /* no end */
	}
EOF
gcc -g -O1 -pthread -o "$T/queue" "$T/queue.c"
mkfifo "$T/input"
exec 8<>"$T/input"
measured() { # TOOL-ARG…
	stdin=$T/input start_target_and_wait "$T/queue"
	run_tool funclatency --json -p "$target_pid" "$@"
	echo >&8
	stop_tool
	expect_status 0
}
pairs() { jq -c 'select(.type == "pairs") | [.pairs, .unmatched_ends, .replaced_starts, .waiting_starts, .forgotten_starts]' "$tool_out"; }
counted() { jq -c 'select(.histogram) | [.histogram.count, .histogram.avg >= $least]' --argjson least "$1" "$tool_out"; }

# By thread: the latest start counts, so one of the nested pairs has no end, and one no start.
measured --from "p:$T/queue:begin" --to "p:$T/queue:end"
expect_equal "$(pairs)" '[6,2,1,1,0]'
expect_equal "$(jq -r 'select(.histogram) | .func' "$tool_out")" "p:$T/queue:begin,p:$T/queue:end"
expect_line '^funclatency: 2 ends had no start: it was before tracing began, or had another thread$' "$tool_err"
expect_line '^funclatency: 1 start had no end before the next start with the same thread$' "$tool_err"
expect_line '^funclatency: 1 start had no end yet when tracing ended$' "$tool_err"

# By a key: the nested pairs are two. The short form; conditions.
measured "p:$T/queue:begin,p:$T/queue:end" --key arg1
expect_equal "$(pairs)" '[7,1,0,1,0]'
measured --from "p:$T/queue:begin (arg1 < 6)" --to "p:$T/queue:end (arg1 < 6)" --key n --min 1ms
expect_equal "$(pairs) $(counted 1000000)" '[5,1,0,0,0] [5,true]'

# From thread to thread: the request is the second argument there, and the result here.
measured --from "p:$T/queue:enqueue" --to "r:$T/queue:dequeue" --key arg2 --to-key retval
expect_equal "$(pairs) $(counted 2000000)" '[20,0,0,0,0] [20,true]'
# Several values; what is at an address.
measured --from "p:$T/queue:enqueue" --to "p:$T/queue:dequeue" --key '7,request->number'
expect_equal "$(pairs) $(counted 2000000)" '[20,0,0,0,0] [20,true]'

# From a function to itself: the time between two calls.
measured --from "p:$T/queue:dequeue" --to "p:$T/queue:dequeue"
expect_equal "$(pairs) $(counted 2000000)" '[19,1,0,1,0] [19,true]'

# Text output.
stdin=$T/input start_target_and_wait "$T/queue"
run_tool funclatency -u -p "$target_pid" --from "p:$T/queue:begin" --to "p:$T/queue:end" --key arg1
echo >&8
stop_tool
expect_line '^Events = p:.*:begin,p:.*:end$' "$tool_out"
expect_line '^     usecs +: count' "$tool_out"
expect_line '^avg = .*count: 7$' "$tool_out"

# More starts than fit: they are forgotten, which is said.
run_tool funclatency --json --keys 64 --from "p:$TARGETS/flood:flood" --to "p:$TARGETS/flood:main" --key arg2
"$TARGETS/flood" 1 5000
stop_tool INT
expect_line '^funclatency: [0-9]+ starts were forgotten: too many were without an end \(increase --keys\)$' "$tool_err"
expect_equal "$(jq -c 'select(.type == "pairs") | .waiting_starts + .forgotten_starts' "$tool_out")" 5000

# What happens in two processes belongs together only if the user says so.
for across in '' --across-processes; do
	run_tool funclatency --json $across --from "p:$TARGETS/calls:plain" --to "p:$TARGETS/flood:flood" --key 5
	"$TARGETS/calls" 1 plain:1
	"$TARGETS/flood" 1 1
	stop_tool INT
	expect_equal "$across $(pairs)" "$across [$([ -z "$across" ] && echo '0,1,0,1,0' || echo '1,0,0,0,0')]"
done
