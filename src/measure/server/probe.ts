/** One request to a server, and its outcome. */

export interface Probe {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** 2 is cleartext by prior knowledge, or by agreement within TLS. */
  readonly http: 1 | 2;
  /** A gRPC call: the bodies are messages. */
  readonly grpc?: boolean;
  /** PEM of the authority that the server's certificate is from; undefined: no TLS. */
  readonly authority?: string | undefined;
  /** Path of a unix socket, instead of the port. */
  readonly socket?: string;
}

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly body: Buffer;
  /** Fields of the header, as they were sent. */
  readonly type?: string | undefined;
  readonly length?: string | undefined;
  readonly location?: string | undefined;
  readonly retryAfter?: string | undefined;
  /** That bytes follow its end, in words. */
  readonly excess?: string | undefined;
}

interface NoAnswer {
  readonly kind: "none";
  readonly why: string;
  /** The server did answer, in a way that holds nothing to compare: a gRPC status, a refused handshake. */
  readonly refused?: true;
  /** `mishap`: it speaks otherwise than it is asked, which `why` says with its remedy; it will not change. */
  readonly how?: "unconnected" | "late" | "mishap";
}

export type Attempt = Answer | NoAnswer;
