#!/bin/bash
# A flame graph, opened in a browser, zooms, searches, and shows names as they are.
# privileges: none
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/browser.bash"

FLAME_GRAPH_EXAMPLE=$T/example.svg "$BIN/../tests/output/flame_graph_test" \
	--gtest_filter=FlameGraph.Example >"$T/log" || fail "no example: $(cat "$T/log")"

zoomed=$(browse "$T/example.svg" '
	const shown = name => {
	    const rect = frame(name).querySelector("rect"), text = frame(name).querySelector("text");
	    say(name + " " + (frame(name).style.display || rect.getAttribute("x") + " " +
	        rect.getAttribute("width") + " " + (text ? text.textContent : "")));
	};
	const reset = document.getElementById("reset");
	const some = ["all", "client", "server", "read", "ksys_read", "write \"\\xff\\x1b\""];
	some.forEach(shown);
	say(getComputedStyle(reset).visibility);
	click(frame("read").querySelector("rect"));
	say("zoomed");
	some.forEach(shown);
	say(getComputedStyle(reset).visibility);
	click(frame("ksys_read").querySelector("rect"));
	click(reset);
	say("reset");
	some.forEach(shown);
	click(frame("client").querySelector("rect"));
	say("zoomed");
	shown("write \"\\xff\\x1b\"");
	document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
	say("reset by a key");
	shown("server");
')
whole='all 10.00 1179.50 all
client 10.00 117.50 client
server 128.00 1061.50 server
read 128.00 707.50 read
ksys_read 246.00 589.50 ksys_read
write "\xff\x1b" 10.00 117.50 write "\xff\x..'
expect_equal "$zoomed" "$whole
hidden
zoomed
all 10.00 1179.50 all
client none
server 10.00 1179.50 server
read 10.00 1179.50 read
ksys_read 206.67 982.83 ksys_read
write \"\\xff\\x1b\" none
visible
reset
$whole
zoomed
write \"\\xff\\x1b\" 10.00 1179.50 write \"\\xff\\x1b\"
reset by a key
server 128.00 1061.50 server"

found=$(browse "$T/example.svg" '
	const search = pattern => {
	    answer = pattern;
	    click(document.getElementById("search"));
	    const names = [...document.querySelectorAll("#frames .match title")].map(title => title.textContent);
	    say(pattern + ": " + document.getElementById("status").textContent + ": " + names.join(", "));
	};
	search("read$");
	say(getComputedStyle(frame("read").querySelector("rect")).fill);
	search("std::map<int, char>");
	search("main|server");
	search("nowhere");
	search(null);
	search("(");
	search("");
	answer = "^client$";
	const ctrl_f = new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true });
	document.dispatchEvent(ctrl_f);
	say(ctrl_f.defaultPrevented + " " + document.getElementById("status").textContent);
')
expect_equal "$found" 'read$: matched 60.00%: ksys_read (50 calls, 50.00%), read (60 calls, 60.00%)
rgb(212, 58, 212)
std::map<int, char>: matched 30.00%: std::map<int, char>::find(int const&) (30 calls, 30.00%)
main|server: matched 100.00%: main (10 calls, 10.00%), main (90 calls, 90.00%), server (90 calls, 90.00%)
nowhere: matched 0.00%: 
null: matched 0.00%: 
(: Invalid regular expression: /(/: Unterminated group: 
: : 
true matched 10.00%'

# Where no script runs it is an image, and offers nothing that would not work.
cat >"$T/page.html" <<END
<body><img src="example.svg" onload="document.body.textContent = this.naturalWidth + 'x' + this.naturalHeight"
    onerror="document.body.textContent = 'no image'"></body>
END
browser_ --dump-dom "file://$T/page.html" >"$T/page.dom"
expect_line '<body>1200x159</body>' "$T/page.dom"
