// As made.py; each function is called so often that it is compiled.
const fs = require('fs');
let number = 0;
function make() {
    let code = '';
    for (let i = 0; i < 10; i++)
        code += `function f${i}(n) { return f${i + 1}(n) + ${number}; }\n`;
    code += 'function f10(n) { if (n % 1000 == 0) fs.existsSync("/"); return n; }\nreturn f0;';
    const f0 = new Function('fs', code)(fs);
    for (let i = 0; i < 3000; i++)
        if (f0(i) != i + 10 * number)
            process.exit(1);
    number++;
}
require('readline').createInterface({input: process.stdin}).on('line', () => {
    for (let i = 0; i < 3; i++)
        make();
    console.log('done');
});
console.log('ready');
