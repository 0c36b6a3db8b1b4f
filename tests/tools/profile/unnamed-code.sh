#!/bin/bash
# timeout: 300
# shares: bookworm
source "$(dirname "$0")/../../lib.sh"

# Runtimes that compile code without describing it: the frames say which one has made it, and a
# message says, once, why they have no names and what would help; so does doctor.
cat >"$T/hot.lua" <<'END'
function inner(n) local s = 0; for i = 1, n do s = s + i % 7 end return s end
function middle(n) if n == 0 then return inner(20000) + 1 else return middle(n - 1) + 1 end end
print("ready") io.stdout:flush()
while true do middle(3) end
END
cat >"$T/hot.lisp" <<'END'
(defun inner (n) (let ((s 0)) (dotimes (i n) (setf s (mod (+ s i) 1000003))) s))
(defun middle (n) (if (= n 0) (1+ (inner 20000)) (1+ (middle (1- n)))))
(format t "ready~%") (finish-output)
(loop (middle 3))
END
cat >"$T/hot.scm" <<'END'
(define (inner n) (let loop ((i 0) (s 0)) (if (= i n) s (loop (+ i 1) (modulo (+ s i) 1000003)))))
(define (middle n) (if (= n 0) (+ 1 (inner 20000)) (+ 1 (middle (- n 1)))))
(display "ready") (newline) (force-output)
(let loop () (middle 3) (loop))
END
cat >"$T/hot.erl" <<'END'
-module(hot).
-export([start/0, outer/0, middle/1, inner/2]).
inner(0, S) -> S;
inner(N, S) -> inner(N - 1, (S + N) rem 1000003).
middle(0) -> inner(20000, 0) + 1;
middle(N) -> middle(N - 1) + 1.
outer() -> middle(3) + 1.
start() -> io:format("ready~n"), loop().
loop() -> outer(), loop().
END
profile_program() { # CMD…
	start_target_and_wait "${in_root[@]}" "$@"
	run_tool profile -F 99 -U -f -p "$target_pid"
	wait_for "[ \"\$(awk '{ print \$14 + \$15 }' /proc/$target_pid/stat)\" -ge 200 ]" 60
	stop_tool INT
	expect_status 0
}
expect_unnamed() { # COMPILER TITLE WHY CMD…
	profile_program "${@:4}"
	expect_line ";\[unknown: $1\]" "$tool_out"
	expect_no_line ';\[unknown\]' "$tool_out"
	expect_count 1 "^profile: .* runs $2, whose functions are \[unknown: $1\] in stacks: it $3\$" "$tool_err"
	run "$BIN/uscope" doctor "$target_pid"
	expect_line "^names +absent +its functions are \[unknown: $1\] in stacks: it $3\$" "$tool_out"
	stop_target KILL
}
debian_root bookworm luajit
expect_unnamed LuaJIT LuaJIT 'does not describe the code that it compiles; .* -jp' luajit "$T/hot.lua"
debian_root bookworm sbcl
expect_unnamed SBCL SBCL 'does not describe the code that it compiles; .* sb-sprof' sbcl --script "$T/hot.lisp"
debian_root bookworm guile-3.0
expect_unnamed Guile Guile 'does not describe the code that it compiles; .* \(statprof\)' guile-3.0 --no-auto-compile "$T/hot.scm"

debian_root bookworm erlang-base
erlang=$(cd "$root" && echo usr/lib/erlang/erts-*/bin)
export ROOTDIR=/usr/lib/erlang BINDIR=/$erlang EMU=beam PROGNAME=erl HOME=/tmp
start="{ok, Module, Code} = compile:file(\"$T/hot\", [binary]), code:load_binary(Module, \"hot\", Code), hot:start()."
expect_unnamed BEAM 'Erlang \(BEAM\)' 'describes the code that it compiles only if it is started with \+JPperf true' \
	"/$erlang/erlexec" -noshell -eval "$start"
profile_program "/$erlang/erlexec" +JPperf true -noshell -eval "$start"
expect_line ';hot:loop/0;hot:outer/0(;hot:middle/1){3,4};hot:inner/2 [0-9]+$' "$tool_out"
expect_no_line 'Erlang' "$tool_err"
