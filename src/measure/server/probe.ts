/** One request to a server, and its outcome. */

export interface Probe {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** 2 is cleartext by prior knowledge. */
  readonly http: 1 | 2;
  /** A gRPC call: the bodies are messages. */
  readonly grpc?: boolean;
}

export type Attempt =
  | { readonly kind: "answer"; readonly status: number; readonly body: Buffer }
  | { readonly kind: "none"; readonly why: string };
