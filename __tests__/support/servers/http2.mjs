/** HTTP/2 in cleartext: answers a POST with its body, a GET with hello. */
import { createServer } from "node:http2";

const server = createServer();
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  if (headers[":method"] !== "POST") {
    stream.respond({ ":status": 200 });
    stream.end("hello");
    return;
  }
  stream.respond({ ":status": 200 });
  stream.pipe(stream);
});
server.on("sessionError", () => {});
server.listen(Number(process.argv[2]), "127.0.0.1");
