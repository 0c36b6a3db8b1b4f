#!/bin/bash
# timeout: 200
# shares: node
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/../../built.bash"
source "$(dirname "$0")/node-stacks.bash"

# Functions of modules whose names V8 stores in unusual ways. The code of a module itself has no
# name; if a method's name is computed, each closure has its own name, which is not in the data that
# they share; and a function that is assigned to a property has an inferred name.
cat >"$T/shapes.mjs" <<'END'
import fs from 'fs';
export const helper = () => 1;
export let counted = 0;
const out = fs.openSync(process.argv[2], 'w'), name = 'comp' + 'uted';
Error.prepareStackTrace = (error, sites) => sites
	.map(site => [site.getFunctionName() || '<anonymous>', site.getFileName(), site.getLineNumber()])
	.filter(([, file]) => file.endsWith('/shapes.mjs'))
	.map(([name, file, line]) => `${name === 'computed' ? '<anonymous>' : name} (shapes.mjs:${line})`).join(' < ');
function call() {
	counted++;
	console.log(new Error().stack); fs.writeSync(out, 'x');
}
const shop = {
	plain() { call(); },
	[name]() {
		this.plain();
	},
};
shop.assigned = function () {
	const kept = 'kept';
	shop[name](() => kept);
};
class Shop {
	static #secret = 1;
	static [name]() {
		if (Shop.#secret) shop.assigned();
	}
}
console.log('ready');
process.stdin.once('data', () => shop.assigned());
await new Promise(go => process.stdin.once('data', go));
call();
Shop.computed();
for (let i = 0; i < 3; i++)
	shop.computed();
console.log('done');
process.stdin.once('data', () => process.exit());
END
node_names() { # NODE…
	trace_stacks --lines "$byte_written" -- "$@" "$T/shapes.mjs" "$T/written"
	expect_line ' < shop.assigned .* < <anonymous> \(shapes\.mjs:26\) < <anonymous> \(shapes\.mjs:33\)$' "$target_out"
	source_frames_of "$tool_out" ' [(]shapes[.]mjs:[0-9]+[)]' >"$T/frames"
}
for release in $(node_releases 18); do
	npm_node "$release"
	node_names "$node_path" --no-sparkplug
	diff "$target_out" "$T/frames" >&2 || fail "Node $release: the names differ from V8's"
	# In compiled code, the lines are those where functions begin.
	node_names "$node_path" --always-sparkplug
	expect_line '^call \(shapes\.mjs:9\) < plain \(shapes\.mjs:14\) < <anonymous> \(shapes\.mjs:15\) < shop\.assigned \(shapes\.mjs:19\) < ' "$T/frames"
	sed -Ei 's/ \([^)]*\)//g' "$target_out" "$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "Node $release: the names in compiled code differ from V8's"
done
