// For each line on stdin, does what the line says a known number of times, and prints "done". Needs
// --expose-gc.
const lines = require('readline').createInterface({input: process.stdin});
const words = {
    collect() {
        for (let i = 0; i < 3; i++)
            gc();
    },
    scavenge() {
        for (let i = 0; i < 4; i++)
            gc({type: 'minor'});
    },
};
lines.on('line', word => {
    words[word]();
    console.log('done');
});
console.log('ready');
