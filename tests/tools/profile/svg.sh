#!/bin/bash
# timeout: 900
# privileges: none
source "$(dirname "$0")/../../lib.sh"

# A flame graph fits the window of a browser, whatever the depth of its stacks, and works with the
# pointer and with keys.
source "$ROOT/tests/browser.bash"

# Two programs: one whose stacks begin with a long chain and are 127 deep, and a small one.
python3 - >"$T/deep" <<'END'
chain = ";".join(["shop", "_start", "main"] + ["step%d" % i for i in range(60)])
deep = ";".join("app::level%d(int)" % i for i in range(64))
print(f"{chain};{deep} 300")
print(f"{chain};left;scan (app.py:3) 300")
print(f"{chain};left;ksys_read_[k] 200")
print("tool;_start;main;run 199")
print("tool;_start;main 1")
END
draw() { run "$BIN/profile" --replay "$T/deep" --svg "$T/graph.svg" "$@" && expect_status 0; }
draw

# Everything is inside of the window; boxes where stacks branch or end have their names.
# shellcheck disable=SC2016 # JavaScript
geometry='
	const inside = rect => rect.left >= 0 && rect.top >= 0 && rect.right <= innerWidth && rect.bottom <= innerHeight;
	const boxes = [...document.querySelectorAll("#frames > g")].filter(g => g.style.display !== "none");
	const rects = boxes.map(g => g.querySelector("rect").getBoundingClientRect());
	say(innerWidth + "x" + innerHeight + " " + boxes.length + " boxes, inside: " + rects.every(inside));
	const lower = Math.max(...rects.map(rect => rect.bottom)), upper = Math.min(...rects.map(rect => rect.top));
	const controls = ["heading", "note", "search", "legend", "details"].map(id => document.getElementById(id).getBoundingClientRect());
	say("controls inside: " + controls.every(inside) + ", apart from the boxes: " +
	    controls.every(rect => rect.bottom <= upper || rect.top >= lower));
	say("scrolls: " + (document.documentElement.scrollHeight > innerHeight));
	const named = name => frame(name).querySelector("text")?.textContent;
	say(["all", "shop", "tool", "left", "app::level0(int)", "run"].map(named).join(" "));
	say("chain is thin: " + (frame("step50").querySelector("rect").getBBox().height < 8));
'
for window in 1400,800 800,600; do
	size=${window/,/x}
	expect_equal "$(browse "$T/graph.svg" "$geometry")" "$size 135 boxes, inside: true
controls inside: true, apart from the boxes: true
scrolls: false
all shop tool left app::level0(int) run
chain is thin: true"
done

# Text contrasts with its box and with the paper, in light and in dark mode.
# shellcheck disable=SC2016
contrast='
	const channel = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	const color = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);
	const over = (top, below, opacity) => top.map((value, i) => value * opacity + below[i] * (1 - opacity));
	const paper = color(getComputedStyle(document.getElementById("background")).fill);
	let least = 21;
	for (const text of document.querySelectorAll("text")) {
	    const rect = text.closest("#frames > g")?.querySelector("rect");
	    const style = rect && getComputedStyle(rect);
	    const below = rect ? over(color(style.fill), paper, Number(style.fillOpacity)) : paper;
	    const [dark, light] = [luminance(color(getComputedStyle(text).fill)), luminance(below)].sort((a, b) => a - b);
	    least = Math.min(least, (light + 0.05) / (dark + 0.05));
	}
	say((luminance(paper) > 0.5 ? "light" : "dark") + ": " + (least >= 4.5 ? "legible" : "contrast " + least));
'
for scheme in light dark; do
	expect_equal "$(browse "$T/graph.svg" "$contrast")" "$scheme: legible"
done
scheme=light

# The line at the bottom shows the box at the pointer or selected by keys.
# shellcheck disable=SC2016
expect_equal "$(browse "$T/graph.svg" '
	const details = () => document.getElementById("details").textContent;
	const press = (key, more) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
	const point = (name, type) => frame(name).querySelector("rect").dispatchEvent(new MouseEvent(type, { bubbles: true }));
	const hidden = name => frame(name).style.display === "none";
	say(details());
	point("left", "mouseover");
	say(details());
	point("left", "mouseout");
	say(details());
	for (const key of ["ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp", "ArrowUp"]) {
	    press(key);
	    say(key + ": " + details());
	}
	press("Enter");
	say("zoomed: " + hidden("left") + " " + hidden("run"));
	press("ArrowDown");
	say("below: " + details());
	press("Escape");
	say("reset: " + hidden("left"));
	answer = "left|run";
	press("/");
	say(document.getElementById("status").textContent);
')" 'Click a box to zoom. Keys: / searches, arrows move, Enter zooms, Esc resets.
left (500 samples, 50.00%)
Click a box to zoom. Keys: / searches, arrows move, Enter zooms, Esc resets.
ArrowUp: all (1,000 samples, 100.00%)
ArrowUp: shop (800 samples, 80.00%)
ArrowRight: tool (200 samples, 20.00%)
ArrowUp: _start (200 samples, 20.00%)
ArrowUp: main (200 samples, 20.00%)
zoomed: true false
below: _start (200 samples, 20.00%)
reset: false
matched 69.90%'

# The legend names the kinds of frames that there are.
legend='say([...document.querySelectorAll("#legend text")].map(text => text.textContent).join("; "));'
expect_equal "$(browse "$T/graph.svg" "$legend")" 'interpreted; C++, Rust; C, Go and others; kernel'

# A comparison shows what is gone, and differences that are due to chance in grey.
printf 'shop;main;old 300\nshop;main;same 299\nshop;main;rare 1\n' >"$T/before"
printf 'shop;main;new 300\nshop;main;same 297\nshop;main;rare 3\n' >"$T/deep"
draw --diff "$T/before"
# shellcheck disable=SC2016
expect_equal "$(browse "$T/graph.svg" "$legend"'
	for (const name of ["old", "new", "same", "rare"]) {
	    const rect = frame(name).querySelector("rect");
	    say(frame(name).querySelector("title").textContent + " " + frame(name).classList[0] + " " + (rect.getBBox().width > 100));
	}
')" 'grew; shrank; about the same; width: average of before and now
old (0 samples, 0.00%; 300 before, 50.00%) shrank true
new (300 samples, 50.00%; 0 before, 0.00%) grew true
same (297 samples, 49.50%; 299 before, 49.83%) same true
rare (3 samples, 0.50%; 1 before, 0.17%) same false'

# Few samples are said to be imprecise; a single one is no plural. "-" is standard output.
echo 'shop;main;same 1' >"$T/deep"
run "$BIN/profile" --replay "$T/deep" --svg -
expect_status 0
expect_line '>1 sample; so few samples are imprecise: sample for longer, or more often \(-F\)</text>' "$tool_out"
expect_no_line '1 (samples|frames)' "$tool_out"
expect_equal "$(head -c 4 "$tool_out")" '<svg'
expect_equal "$(cat "$tool_err")" ''
