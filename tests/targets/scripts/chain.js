// Runs small functions that call each other in one chain, until the file of its argument exists.
// With "profiled" as another argument, V8's own profiler watches meanwhile, and the program then
// prints how many samples it took in each; without it, no signal interrupts the functions. To be run
// with options such as node --max-inlined-bytecode-size=0.
const fs = require("fs"), { Session } = require("inspector");

function leaf(a, b) { return (a * 31 + b) % 1000003; }
function mid(a) { return leaf(a, 3) + leaf(a, 4); }
function outer(a) { return mid(a) + 1; }
function root(from, count) {
	let sum = 0;
	for (let i = 0; i < count; i++) sum = (sum + outer(from + i)) | 0;
	return sum;
}

let sum = 0;
for (let i = 0; i < 200; i++) sum ^= root(i, 2000);
let session;
if (process.argv[3] === "profiled") {
	session = new Session();
	session.connect();
	session.post("Profiler.enable");
	session.post("Profiler.setSamplingInterval", { interval: 1000 });
	session.post("Profiler.start");
}
console.log("begun");
while (!fs.existsSync(process.argv[2])) sum ^= root(sum & 7, 100000);
session?.post("Profiler.stop", (error, { profile }) => {
	for (const name of ["root", "outer", "mid", "leaf"]) {
		const nodes = profile.nodes.filter(node => node.callFrame.functionName === name);
		console.log(name, nodes.reduce((hits, node) => hits + node.hitCount, 0));
	}
});
