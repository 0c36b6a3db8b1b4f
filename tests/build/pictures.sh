#!/bin/bash
# timeout: 900
# shares: browser
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/browser.bash"
cd "$ROOT"

# The pictures: README.md and the table of benchmarks show each of them, and no other.
expect_equal "$(sed -n 's|.*](\(docs/\)\{0,1\}\(pictures/[^)]*\)).*|docs/\2|p' README.md docs/benchmarks.md | sort)" \
	"$(ls docs/pictures/*.svg)"

# They load nothing from elsewhere, and are well-formed.
for picture in docs/pictures/*.svg; do
	python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$picture"
	expect_no_line '@import|@font-face|url\(.?(https?:|//|data:)|href=.(https?:|//)' "$picture"
done

# Terminals: the command that is shown still exists; each line is text that can be read, in the light and the dark scheme,
# and ends within the picture.
for picture in $(grep -l 'id="paper"' docs/pictures/*.svg); do
	command=$(sed -n 's/^<title>\(.*\)<\/title>$/\1/p' "$picture")
	tool=${command%% *}
	"$BIN/$tool" --help >"$T/help" || fail "$picture: $command"
	for option in $(grep -oE -- ' --?[a-zA-Z][a-z-]*' <<<"$command"); do
		grep -qE -- "(^| |,)$option([ ,=]|\$)" "$T/help" || fail "$picture: $tool has no $option"
	done
	for scheme in light dark; do
		browse "$picture" '
			const luminance = color => color.match(/[\d.]+/g).slice(0, 3)
			    .map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
			    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
			const paper = document.getElementById("paper");
			const texts = [...document.querySelectorAll("g text")].filter(text => text.textContent.trim());
			const behind = luminance(getComputedStyle(paper).fill);
			say("paper: " + (behind > 0.5 ? "light" : "dark"));
			for (const text of texts) {
			    const ink = luminance(getComputedStyle(text).fill);
			    const contrast = (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
			    if (contrast < 4.5) say("pale: " + text.textContent);
			    if (text.getBoundingClientRect().right > paper.getBoundingClientRect().right) say("cut: " + text.textContent);
			}
			say("lines: " + (new Set(texts.map(text => text.getAttribute("y"))).size > 8 ? "many" : texts.length));
			say(document.querySelector("g text").textContent.trim());' >"$T/said"
		expect_equal "$(cat "$T/said")" "paper: $scheme"$'\nlines: many\n# '"$command"
	done
done

# The flame graph shows the program's functions, and runs its script without an error.
browse docs/pictures/profile.svg 'say(frame("Shop.do_GET") ? "ok" : document.querySelectorAll("#frames > g").length + " frames")' >"$T/said"
expect_equal "$(cat "$T/said")" ok
