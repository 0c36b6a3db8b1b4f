// Serves orders of a shop over HTTP: with a hot loop, files that block it, and much garbage.
const fs = require('fs');
const http = require('http');

function total(items) {
  let sum = 0;
  for (let discount = 0; discount < 3000; discount++)
    for (const item of items)
      sum += item.price - discount % 7;
  return sum;
}

function readStock() {
  fs.writeFileSync('stock', 'apples 5\n');
  return fs.readFileSync('stock', 'utf8');
}

function serve(request, response) {
  const items = Array.from({length: 1000}, (_, i) => ({price: i}));
  const sum = total(items) + readStock().length;
  response.statusCode = request.url === '/orders/13' ? 500 : 200;
  response.end(`${sum}\n`);
}

const server = http.createServer(serve);
server.listen(process.env.PORT, '127.0.0.1', () => console.log('open'));
