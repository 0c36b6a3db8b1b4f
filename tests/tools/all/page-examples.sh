#!/bin/bash
# alone: it traces libc in all processes
# timeout: 400
source "$(dirname "$0")/../../lib.sh"

# Each example of the pages of trace, argdist, stackcount and funclatency runs on the program that it
# names and prints what the page says; an example without a line here fails.
need_command cc g++ psql redis-cli
export LC_ALL=C.UTF-8
cd "$T" || exit
examples_of() { # PAGE
	sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/s/^\.B //p' "$ROOT/man/$1.1" | sed 's/\\(dq/"/g; s/\\(aq/'\''/g; s/\\-/-/g; s/\\e/\\/g'
}

cat >work.c <<'END'
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>
char *volatile kept;
__attribute__((noinline)) void allocate(size_t bytes)
{
    kept = malloc(bytes);
    kept[0] = 1;
}
int main(int argc, char **argv)
{
    if (argc > 1)
        for (;; usleep(20000)) {
            setlocale(LC_ALL, "C");
            allocate(2000);
            free(kept);
        }
    open("/none/such", O_RDONLY);
    for (int i = 0; i < 1000; i++)
        free(kept = malloc(100));
    allocate(2000000);
    char bytes[300] = "";
    int fd = open("written", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 5; i++)
        write(fd, bytes, sizeof(bytes));
    fsync(fd);
}
END
cat >srv.cpp <<'END'
#include <sys/sdt.h>
#include <thread>
#include <unistd.h>
struct Request { int number; };
struct Queue {};
Request requests[3];
extern "C" {
__attribute__((noipa)) void enqueue(Queue *, Request *) {}
__attribute__((noipa)) Request *dequeue(Queue *, int number) { return &requests[number]; }
}
int main()
{
    Queue queue;
    for (int i = 0; i < 3; i++) {
        DTRACE_PROBE1(srv, request__begin, i);
        enqueue(&queue, &requests[i]);
        std::thread([&] { usleep(3000); dequeue(&queue, i); }).join();
        DTRACE_PROBE1(srv, request__end, i);
    }
}
END
cc -g -O1 -o work work.c
g++ -g -O1 -o srv srv.cpp -lpthread
start_redis
start_mariadb
start_postgres
start_target env -i FIRST=1 ./work loop
work() { ./work; }
wait_a_little() { sleep 0.2; }
wait_on_pipe() { { sleep 0.1 && echo x; } | cat >/dev/null; }
redis() { for _ in 1 2 3; do printf 'set greeting hello\nget greeting\n' | redis-cli -s "$redis_socket" >redis.out; done; }
sql() { mariadb --no-defaults -S "$mariadb_socket" -e 'select 6*7' >sql.out; }
postgres() { psql -qAtX -h "$postgres_dir" -U postgres -c 'select 1' >postgres.out; }
serve() { ./srv; }

# The process id 181 becomes the one of the server.
check() { # PID WORKLOAD REGEX
	checked=yes
	eval "run_tool ${example/-p 181/-p $1}"
	$2
	stop_tool INT
	expect_status 0
	[ "$3" = svg ] || expect_line "$3" "$tool_out"
	[ "$3" != svg ] || grep -q "$4" "$5" || fail "$example: $5 lacks $4"
}

for page in trace argdist stackcount funclatency; do
	count=0
	while IFS= read -r example; do
		checked=''
		case ${example/\/usr\/lib\/postgresql\/15/} in
		trace*createStringObject*) check 0 redis ' createStringObject +hello$' ;;
		trace*c:open*) check 0 work " work +open +-1\$" ;;
		trace*'$container, str(arg3'*) check 0 sql ' dispatch_command +.*: select 6\*7$' ;;
		trace*dispatch_command*) check "$mariadb_pid" sql ' dispatch_command +select 6\*7$' ;;
		trace*c:setlocale*) check "$target_pid" wait_a_little ' setlocale +C FIRST=1$' ;;
		trace*c:malloc*) check 0 work ' work +malloc +2000000$' && expect_line '^ +allocate' "$tool_out" ;;
		argdist*'> 4096'*) check 0 work '^	1 +size = 2000000$' ;;
		argdist*createStringObject*) check "$redis_pid" redis '= "?hello"?$' ;;
		argdist*read*) check 0 redis '^ +read, ns +: count ' ;;
		argdist*standard_ExecutorRun*)
			[ -x /usr/lib/postgresql/15/bin/postgres ] || { echo "left out, PostgreSQL 15 is not installed: $example" && checked=yes && continue; }
			check 0 postgres 'select'
			;;
		argdist*lin*) check 0 work '256 -> 511 +: 5 +\|' ;;
		argdist*--percent*) check 0 work '^	5 +[0-9.]+ +1500 +[0-9.]+ +300 +fd = 3$' ;;
		argdist*--every*) check 0 work '= "?work"?$' ;;
		'stackcount -p 181 c:malloc') check "$target_pid" wait_a_little '^ +allocate' ;;
		stackcount*large.svg) check 0 work svg allocate large.svg ;;
		stackcount*bytes.svg) check 0 work svg 'allocate.*bytes' bytes.svg ;;
		stackcount*--min*) check 0 wait_on_pipe '^ +read' ;;
		stackcount*--diff*)
			run_tool stackcount -p "$target_pid" -D 10 c:malloc -f
			wait_a_little
			stop_tool INT
			cp "$tool_out" before
			check "$target_pid" wait_a_little svg allocate change.svg
			;;
		stackcount*sched_switch) check 0 redis '(^|;)(redis-server|cat|swapper).* [0-9]+$' ;;
		'funclatency c:read') check 0 redis '^ +nsecs +: count ' ;;
		funclatency*dispatch_command*) check "$mariadb_pid" sql '^ +usecs +: count ' ;;
		funclatency*percentiles*) check "$redis_pid" redis 'setCommand' ;;
		funclatency*enqueue*) check 0 serve 'count: 3$' ;;
		funclatency*request__begin*) check 0 serve 'count: 3$' ;;
		funclatency*heatmap*) check 0 work '^[0-9:]{8} +[.:=+*#%@]' ;;
		esac
		[ -n "$checked" ] || fail "$page.1 has an example that this test does not know: $example"
		count=$((count + 1))
	done < <(examples_of "$page")
	[ "$count" -gt 3 ] || fail "$page.1 has only $count examples"
	echo "$page.1: $count examples"
done
