// Does what a line of standard input says, a known number of times, and answers "done". It wants --expose-gc.
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
