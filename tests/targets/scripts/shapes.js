// Writes to a file from all kinds of functions, and prints each stack as V8 itself sees it: the
// functions that have a file, with file and line. Arguments: the file to write to, how often it
// calls all before it is ready, and "worker" to run in a worker.
const fs = require("fs"), path = require("path"), { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
const [to, rounds, inWorker] = isMainThread ? process.argv.slice(2) : workerData;
const out = fs.openSync(to, "w"), wanted = [];
const say = isMainThread ? console.log : text => parentPort.postMessage(text);
const told = isMainThread ? go => process.stdin.once("data", go) : go => parentPort.once("message", go);
let keeps = false;
Error.stackTraceLimit = Infinity;

// V8 also lists functions that await a promise, but they are not on the stack. Builtins and eval()
// have no file.
function shown(site) {
	const file = site.getFileName();
	if (!file || site.isAsync()) return [];
	const name = file.startsWith("node:") ? file : path.basename(file);
	return [`${site.getFunctionName() || "<anonymous>"} (${name}:${site.getLineNumber()})`];
}
function keep() {
	const prepare = Error.prepareStackTrace;
	Error.prepareStackTrace = (error, sites) => sites.slice(1).flatMap(shown).join(" < ");
	const stack = new Error().stack;
	Error.prepareStackTrace = prepare;
	if (keeps) wanted.push(stack);
}
function call() {
	keep(); fs.writeSync(out, "x");
}

function recurse(n) {
	if (n === 0) call();
	else
		recurse(
			n - 1);
}
class Shape {
	constructor(side) { this.side = side; call(); }
	draw() { call(); }
	get size() { call(); return this.side; }
	static größe() { recurse(3); }
}
const arrow = x => { call(); return x; };
const 名前 = () => { arrow(1); };
function* numbers() {
	call();
	yield 1;
	call();
}
async function later() {
	call();
	await null;
	call();
}
function callbacks() {
	[1, 2].map(arrow);
	[1].forEach(function each() { call(); });
	[2, 1].sort((a, b) => { call(); return a - b; });
	[1].reduce((sum, x) => sum + arrow(x), 0);
	"a".replace(/a/, () => { call(); return ""; });
	JSON.parse("[1]", (key, value) => { if (key) call(); return value; });
}
function thrown() {
	try {
		throw new Error("x");
	} catch {
		call();
	} finally {
		call();
	}
}
async function all() {
	recurse(5);
	new Shape(2).draw();
	new Shape(3).size;
	Shape.größe();
	名前();
	for (const n of numbers()) arrow(n);
	await later();
	callbacks();
	thrown();
	eval("call()");
	new Function("f", "f()")(call);
}
async function main() {
	for (let i = 0; i < rounds; i++) await all();
	say("ready");
	await new Promise(told);
	keeps = true;
	await all();
	setTimeout(() => {
		call();
		say(wanted.join("\n") + "\ndone");
		told(() => process.exit());
	}, 1);
}
function startWorker() {
	const worker = new Worker(__filename, { workerData: [to, rounds] });
	worker.on("message", text => console.log(text));
	process.stdin.on("data", () => worker.postMessage("go"));
	worker.on("exit", () => process.exit());
}
if (inWorker) startWorker();
else main();
