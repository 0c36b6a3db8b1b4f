#!/bin/bash
# Node 20's own CPU profiles (--cpu-prof) name the functions of its module loader: Module._compile, Module.load,
# Module._load, Module._extensions..js. In profiles of Node 22, the same functions, which are called just as often, have
# no names: other expressions assign them, from which V8 infers no name. Error.stack still shows Module._compile and
# Module.load, because it derives these names from the receiver of the call. So a profile by Node 22 has "(anonymous)" where the
# stack of an error at the same point has a name, and profiles of the two versions do not match line by line.
#
# Result: node 20.18.0: 4 of 4 names in the profile; node 22.11.0: 0 of 4. In errors: both have Module._compile.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >load.js <<'JS'
const { writeFileSync } = require('fs');
const path = require('path').join(__dirname, 'leaf.js');
writeFileSync(path, 'let s = 0; for (let i = 0; i < 1e5; i++) s += i % 7; module.exports = s;');
for (const end = Date.now() + 1500; Date.now() < end;) {
  delete require.cache[path];
  require(path);
}
console.log(/at Module\._compile/.test(new Error().stack) ? 'named in errors' : 'not named in errors');
JS
cat >names.js <<'JS'
const { nodes } = JSON.parse(require('fs').readFileSync(process.argv[2]));
const names = new Set(nodes.map((node) => node.callFrame)
  .filter((frame) => frame.url === 'node:internal/modules/cjs/loader').map((frame) => frame.functionName));
console.log(['_compile', 'load', '_load', '_extensions..js'].filter((name) => names.has(`Module.${name}`)).length);
JS
names() { # VERSION
	mkdir "$1"
	echo '{}' >"$1/package.json"
	npm install --silent --no-fund --no-audit --prefix "$1" "node@$1" >/dev/null
	local node="$folder/$1/node_modules/node/bin/node"
	[ "$("$node" --version)" = "v$1" ]
	[ "$("$node" --cpu-prof --cpu-prof-dir="$1/profile" load.js)" = 'named in errors' ]
	"$node" names.js "$1"/profile/*.cpuprofile
}
older=$(names 20.18.0)
newer=$(names 22.11.0)
echo "node 20.18.0: $older of 4 names in the profile; node 22.11.0: $newer of 4"
[ "$older $newer" = '4 0' ]
