# shellcheck shell=bash
#
# For tests that open what a tool wrote in a browser: source it after lib.sh.

browser=$(command -v chromium-headless-shell || command -v chromium) ||
	skip 'chromium-headless-shell is not installed'

# With a profile of its own. What it says about the machine it runs on is kept apart.
browser_() { # ARG…
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$T/browser" "$@" \
		2>"$T/browser.log" || fail "$browser: status $?: $(tail -n 3 "$T/browser.log")"
}

# Opens an SVG file as a user does, with a script behind the file's own, and prints what that script says by
# say(TEXT), a line each. In it, frame(NAME) is the box of the first frame of that name, and click(ELEMENT)
# clicks there; what a prompt is answered is in `answer`. An exception is a line too.
browse() { # SVG JAVASCRIPT
	local page=$T/browsed.svg
	{
		sed '$d' "$1" # its last line is </svg>
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
			document.getElementById('said').textContent = said.join('\n');
			]]></script></svg>
		END
	} >"$page"
	browser_ --dump-dom "file://$page" >"$T/browsed.dom"
	sed -n '/<text id="said">/,/<\/text>/{s/.*<text id="said">//;s/<\/text>.*//;p}' "$T/browsed.dom" |
		sed 's/&lt;/</g;s/&gt;/>/g;s/&amp;/\&/g'
}
