#!/bin/bash
# timeout: 600
# privileges: none
source "$(dirname "$0")/../lib.sh"
source "$ROOT/tests/browser.bash"
need_command mkdocs
dpkg-query -W mkdocs-material >/dev/null 2>&1 || skip 'mkdocs-material is not installed'

# The site has all documents, its links lead somewhere, and it needs no network.
"$ROOT/scripts/site" "$T" >"$T/log" 2>&1 || fail "$(tail -n 20 "$T/log")"
cd "$T/site"
for document in "$ROOT"/docs/*.md; do
	name=$(basename "$document" .md)
	[ -s "$name.html" ] || fail "the site has no $name.html"
	grep -q "href=\"$name.html\"" index.html || fail "the navigation lacks $name.html"
done
python3 -B - . <<'PYTHON' || fail 'see above'
import html.parser, pathlib, sys
from urllib.parse import urldefrag, unquote

class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text())
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get('id'))
        name = 'href' if tag in ('a', 'link') else 'src'
        if attributes.get(name):
            self.links.append((tag, attributes[name]))

pages = {path.name: Page(path) for path in pathlib.Path(sys.argv[1]).glob('*.html') if path.name != '404.html'}
wrong = []
for name, page in pages.items():
    for tag, link in page.links:
        target, anchor = urldefrag(unquote(link))
        target = target or name
        if ':' in target or target.startswith('//'):
            if tag != 'a':
                wrong.append(f'{name} loads {link}')
        elif not pathlib.Path(target).exists():
            wrong.append(f'{name}: {link} does not exist')
        elif anchor and target in pages and anchor not in pages[target].ids:
            wrong.append(f'{name}: {link}: the page has no such part')
sys.exit('\n'.join(wrong) or None)
PYTHON

# On a desktop and on a phone: the text is shown beside or instead of the navigation, and nothing but
# tables and code is wider than the window, in which they scroll.
cat >said.js <<'END'
addEventListener("load", () => {
	const said = document.createElement("p");
	const width = name => {
		const box = document.querySelector(name)?.getBoundingClientRect();
		return box && box.right > 0 && box.left < innerWidth ? Math.round(box.width) : 0;
	};
	said.id = "said";
	said.textContent = [innerWidth, document.documentElement.scrollWidth, width("article"),
		width(".md-sidebar--primary")].join(" ");
	document.body.append(said);
});
END
look() { # WIDTH PAGE; prints the page's width, and those of the text and the navigation
	sed "s|</body>|<script src=said.js></script></body>|" "$2" >"looked-at-$2"
	window=$1,900 browser_ --dump-dom "file://$PWD/looked-at-$2" >"$T/dom"
	sed -n 's|.*<p id="said">\([^<]*\)</p>.*|\1|p' "$T/dom"
}
for page in index.html options.html first-ten-minutes.html; do
	read -r inner whole text navigation < <(look 1400 "$page")
	[ "$whole" -le "$inner" ] || fail "$page is $whole pixels wide in a window of $inner"
	[ "$text" -gt 500 ] && [ "$navigation" -gt 100 ] || fail "$page, 1400: the text has $text, the navigation $navigation pixels"
	read -r inner whole text navigation < <(look 500 "$page")
	[ "$whole" -le "$inner" ] || fail "$page is $whole pixels wide in a window of $inner"
	[ "$text" -gt 300 ] && [ "$navigation" -eq 0 ] || fail "$page, 500: the text has $text, the navigation $navigation pixels"
done
