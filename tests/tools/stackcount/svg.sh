#!/bin/bash
# timeout: 900
# shares: stacks
source "$(dirname "$0")/../../lib.sh"

# --svg writes a flame graph that a browser can zoom and search, with all names unchanged.
source "$ROOT/tests/browser.bash"

run_tool stackcount --svg "$T/graph.svg" "$TARGETS/stacks:work"
"$TARGETS/stacks"
stop_tool INT
expect_status 0
expect_equal "$(cat "$tool_out")" ''

seen=$(browse "$T/graph.svg" '
	const reset = document.getElementById("reset");
	const title = name => say(frame(name).querySelector("title").textContent);
	const shown = name => {
	    const rect = frame(name).querySelector("rect"), text = frame(name).querySelector("text");
	    say(name + " " + (frame(name).style.display || rect.getAttribute("x") + " " +
	        rect.getAttribute("width") + " " + (text ? text.textContent : "")));
	};
	say(document.querySelector("#heading").textContent.replace(/.*\//, ""));
	["stacks", "often", "thread"].forEach(title);
	["often", "seldom"].forEach(shown);
	say(getComputedStyle(reset).visibility);
	click(frame("often").querySelector("rect"));
	say("zoomed");
	["all", "stacks", "often", "seldom"].forEach(shown);
	say(getComputedStyle(reset).visibility);
	click(reset);
	say("reset");
	shown("often");
	click(frame("seldom").querySelector("rect"));
	document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
	say("reset by a key");
	shown("often");
')
# The boxes are as wide as the window: 800 pixels.
expect_equal "$seen" 'stacks:work of all processes
stacks (11 events, 100.00%)
often (3 events, 27.27%)
thread (1 event, 9.09%)
often 364.55 212.23 often
seldom 577.27 141.32 seldom
hidden
zoomed
all 10.00 779.50 all
stacks 10.00 779.50 stacks
often 10.00 779.50 often
seldom none
visible
reset
often 364.55 212.23 often
reset by a key
often 364.55 212.23 often'

found=$(browse "$T/graph.svg" '
	const status = () => document.getElementById("status").textContent;
	const search = pattern => {
	    answer = pattern;
	    click(document.getElementById("search"));
	    const names = [...document.querySelectorAll("#frames .match title")].map(title => title.textContent);
	    say(pattern + ": " + status() + ": " + names.join(", "));
	};
	search("^(of|sel)");
	say(getComputedStyle(frame("often").querySelector("rect")).fill);
	search("^often$|^thread");
	search("nowhere");
	search(null);
	search("(");
	search("");
	answer = "^thread$";
	const ctrl_f = new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true });
	document.dispatchEvent(ctrl_f);
	say(ctrl_f.defaultPrevented + " " + status());
')
expect_equal "$found" '^(of|sel): matched 45.45%: often (3 events, 27.27%), seldom (2 events, 18.18%)
rgb(212, 106, 212)
^often$|^thread: matched 36.36%: often (3 events, 27.27%), thread (1 event, 9.09%)
nowhere: matched 0.00%: 
null: matched 0.00%: 
(: Invalid regular expression: /(/: Unterminated group: 
: : 
true matched 9.09%'

# Names with characters that XML reserves, and bytes that are not text.
start_target_and_wait "$TARGETS/jit" $'std::map<int, char>::find(int const&) "\xff\x1b"'
at_exit "rm -f /tmp/perf-$target_pid.map"
run_tool stackcount --svg "$T/jit.svg" -i 0.05 -p "$target_pid" "$TARGETS/jit:called_by_jit"
wait_for "grep -q called_by_jit '$T/jit.svg'" 10
stop_tool TERM
expect_equal "$(browse "$T/jit.svg" '
	const found = document.querySelectorAll("#frames title");
	say([...found].map(title => title.textContent).find(text => text.startsWith("std")).replace(/ \(\d+ events?,.*/, ""));
	say("done");
')" 'std::map<int, char>::find(int const&) "\xff\x1b"
done'

# Where scripts do not run, it is an image without controls.
cat >"$T/page.html" <<END
<body><img src="graph.svg" onload="document.body.textContent = this.naturalWidth + 'x' + this.naturalHeight"
    onerror="document.body.textContent = 'no image'"></body>
END
browser_ --dump-dom "file://$T/page.html" >"$T/page.dom"
expect_line '<body>1200x[0-9]+</body>' "$T/page.dom"

run "$BIN/stackcount" --svg "$T/no/graph.svg" "$TARGETS/stacks:work"
expect_status 1
expect_line "^stackcount: cannot write $T/no/graph.svg: No such file" "$tool_err"
