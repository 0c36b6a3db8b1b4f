// Promises, generators, exceptions, workers of the thread pool, compression and hashes, enough calls to be compiled.
'use strict';
const crypto = require('crypto'), zlib = require('zlib');
let sum = 17;
const mix = (value) => { sum = (sum * 31 + Number(value)) % 1000000007; };
function dive(depth) {
    if (depth === 0) throw new RangeError('bottom');
    try { return dive(depth - 1) + 1; } finally { mix(depth); }
}
function* numbers(n) { try { for (let i = 0; i < n; i++) yield i * i; } finally { mix(n); } }
function hot(n) { let total = 0; for (let i = 0; i < n; i++) total += i % 7 ? i & 3 : String(i).length; return total; }
async function later(n) { await null; if (n === 3) throw new Error('three'); return n * 2; }
async function main() {
    for (let depth = 0; depth < 15; depth++) try { mix(dive(depth)); } catch (error) { mix(error.message.length); }
    for (const n of numbers(10)) { mix(n); if (n > 50) break; }
    for (let i = 0; i < 100; i++) mix(hot(500));
    for (const result of await Promise.allSettled([1, 2, 3, 4].map(later))) mix(result.value || 7);
    mix(crypto.createHash('sha256').update('text').digest()[3]);
    mix(crypto.pbkdf2Sync('secret', 'salt', 10, 16, 'sha512')[5]);
    mix(await new Promise((done) => zlib.gzip('x'.repeat(2000), (error, data) => done(zlib.gunzipSync(data).length))));
    mix(JSON.stringify(JSON.parse('{"a": [1, 2.5, null]}')).length);
    mix('a1b22c333'.replace(/\d+/g, (m) => m * 2).length);
    mix([3, 1, 2].sort((a, b) => a - b)[0]);
    console.log('node', sum);
}
main();
