#!/bin/bash
# shares: sid
# timeout: 300
source "$(dirname "$0")/../../lib.sh"

# OCaml 5 has its own stacks, and switches to the thread's stack for C functions. Stacks lead
# through both, because its unwind tables describe the switch.
debian_root sid ocaml gcc libc6-dev dash
cat >"$T/callers.ml" <<'ML'
let leaf () = ignore (Sys.file_exists "/nothing") [@@inline never]
let rec middle n = if n = 0 then leaf () else (middle (n - 1); ignore (Sys.opaque_identity n))
let rec spin n s = if n = 0 then s else spin (n - 1) ((s * 31 + n) mod 1000003)
let outer n = spin n 1 + 1 [@@inline never]
let () =
  print_endline "ready";
  let k = ref 0 in
  while true do
    middle 3;
    k := !k + outer 10000
  done
ML
"${in_root[@]}" ocamlopt -ccopt -no-pie -o "$T/callers" "$T/callers.ml" >"$T/compiled" 2>&1 || skip "ocamlopt failed: $(tail -n 1 "$T/compiled")"
start_target_and_wait "${in_root[@]}" "$T/callers"
run_tool stackcount -p "$target_pid" -U -f -D 2 "$T/callers:caml_sys_file_exists"
stop_tool
expect_status 0
read -r all whole < <(awk '{ all += $NF }
	/;_start;(.*;)?main;.*;caml_start_program;.*;camlCallers\.entry[^;]*;(camlCallers\.middle[^;]*;)+camlCallers\.leaf[^;]*;(.*;)?caml_sys_file_exists / { whole += $NF }
	END { print all + 0, whole + 0 }' "$tool_out")
[ "$all" -ge 100 ] || fail "only $all calls"
[ $((whole * 100)) -ge $((all * 98)) ] || {
	cut -c1-300 "$tool_out" >&2
	fail "only $whole of $all stacks are complete"
}
