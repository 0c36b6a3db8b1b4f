# shellcheck shell=bash
#
# For tests that open a tool's output in a browser. Source this file after lib.sh.

browser=$(command -v chromium-headless-shell || command -v chromium) ||
	skip 'chromium-headless-shell is not installed'

window=800,600 # the width and height of the browser's window
scheme=light   # or dark

# Runs the browser with its own profile; its warnings about the machine go to a log.
browser_() { # ARG…
	local preferred=1
	[ "$scheme" = light ] || preferred=0
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$T/browser" \
		--window-size="$window" --blink-settings=preferredColorScheme=$preferred "$@" \
		2>"$T/browser.log" || fail "$browser: status $?: $(tail -n 3 "$T/browser.log")"
}

# Opens an SVG file as a user does, runs a script after the file's own, and prints a line for each
# say(TEXT) of that script and for each exception. The script can call frame(NAME), the box of the
# first frame of that name, and click(ELEMENT); `answer` is the reply to a prompt.
browse() { # SVG JAVASCRIPT
	local page=$T/browsed.svg
	{
		sed '$d' "$1" # without </svg>, its last line
		cat <<-'END'
			<text id="said"></text><script><![CDATA[
			const said = [];
			let answer = null;
			const prompt = () => answer;
			const say = text => said.push(text);
			const frame = name => [...document.querySelectorAll('#frames > g')]
			    .find(g => g.querySelector('title').textContent.startsWith(name + ' ('));
			const click = element => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
			addEventListener('error', event => say('error: ' + event.message));
			try {
		END
		echo "$2"
		cat <<-'END'
			} catch (error) { say('error: ' + error.message); }
			document.getElementById('said').textContent = said.map(text => text + '\n').join('');
			]]></script></svg>
		END
	} >"$page"
	browser_ --dump-dom "file://$page" >"$T/browsed.dom"
	sed -n '/<text id="said">/,/<\/text>/{s/.*<text id="said">//;s/<\/text>.*//;p}' "$T/browsed.dom" |
		sed 's/&lt;/</g;s/&gt;/>/g;s/&amp;/\&/g'
}
