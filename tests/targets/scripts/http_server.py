# An HTTP/1 server under TLS. Its responses take 20 to 79 ms each; their status is 200 + the first
# digit of the path.
#
#     http_server.py FOLDER          FOLDER has the files key and cert; prints the port
#     http_server.py FOLDER proxy    is a proxy for CONNECT requests instead
#     http_server.py FOLDER … clear  without TLS
import asyncio
import itertools
import ssl
import sys

count = itertools.count()


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
    except OSError:
        pass


async def read_head(reader):
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return ""


async def tunnel(reader, writer):
    head = await read_head(reader)
    host, port = head.split()[1].rsplit(":", 1)
    far_reader, far_writer = await asyncio.open_connection(host, int(port))
    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))


async def serve(reader, writer):
    while head := await read_head(reader):
        path = head.split()[1]
        await asyncio.sleep((20 + next(count) * 37 % 60) / 1000)
        body = "answer " + path
        status = 200 + int(path[1])
        writer.write(f"HTTP/1.1 {status} Fine\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    writer.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if "clear" not in sys.argv:
        context.load_cert_chain(sys.argv[1] + "/cert", sys.argv[1] + "/key")
    handle = tunnel if "proxy" in sys.argv else serve
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=None if "clear" in sys.argv else context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
