// A gRPC server of one method, `probe.Probe/Ask`, that goes wrong in ways: node grpc.mjs MODE PORT
import http2 from "node:http2";

const [mode, port] = process.argv.slice(2);
/** LongRunningReply of the field 1: `Done`. */
const DONE = Buffer.from([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from("Done")]);
const GONE = Buffer.from([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from("Gone")]);
let asked = 0;

function answer(stream, status, body, message) {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => {
    stream.sendTrailers({ "grpc-status": status, ...(message ? { "grpc-message": encodeURIComponent(message) } : {}) });
  });
  stream.end(body);
}

const server = http2.createServer();
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  stream.resume();
  stream.on("end", () => {
    asked += 1;
    if (headers[":path"] !== "/probe.Probe/Ask" || mode === "unimplemented") {
      stream.respond(
        { ":status": 200, "content-type": "application/grpc", "grpc-status": 12, "grpc-message": "no%20such%20method" },
        { endStream: true },
      );
    } else if (mode === "http") stream.respond({ ":status": 404 }, { endStream: true });
    else if (mode === "wrong") answer(stream, 0, GONE);
    else if (mode === "mixed" && asked % 5 === 0) answer(stream, 13, undefined, "oops");
    else if (mode === "drops" && asked % 100 === 0) stream.session.destroy();
    else if (mode === "hangs" && asked > 1) return;
    else if (mode === "slow") setTimeout(() => answer(stream, 0, DONE), 100);
    else answer(stream, 0, DONE);
  });
});
server.on("sessionError", () => {});
server.listen(Number(port), "127.0.0.1");
