/**
 * The Actions results service as @actions/artifact 6 speaks to it: twirp calls with the job's runtime token, and blob
 * storage behind signed addresses of another origin, which must never see a token.
 */
import type { Received, Reply } from "./http.js";
import { type State, type StoredArtifact, sha256 } from "./state.js";

const ZIP = "application/zip";
const SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService/";

/** An artifact between CreateArtifact and FinalizeArtifact. */
interface Upload {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly contentType: string;
  readonly blocks: Map<string, Buffer>;
  content: Buffer | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export class ResultsService {
  readonly #state: State;
  readonly #report: (violation: string) => void;
  readonly #uploads = new Map<number, Upload>();
  readonly #tokens = new Map<string, number>();

  constructor(state: State, report: (violation: string) => void) {
    this.#state = state;
    this.#report = report;
  }

  /** A token of the form that runners get: a JWT whose scope names the run and the job. */
  runtimeToken(runId: number): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const scope = `Actions.Example Actions.Results:${runId}:job-${this.#state.nextId()}`;
    const token = `${part({ alg: "RS256", typ: "JWT" })}.${part({ scp: scope })}.${part("signature")}`;
    this.#tokens.set(token, runId);
    return token;
  }

  /** Undefined when it is no call of the service. */
  call({ method, path, headers, bytes }: Received, blobUrl: string): Reply | undefined {
    if (method !== "POST" || !path.startsWith(SERVICE)) return undefined;
    const runId = this.#tokens.get((headers.authorization ?? "").replace(/^Bearer /, ""));
    if (runId === undefined) return twirpError(401, "unauthenticated", "invalid runtime token");
    const fields: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof fields !== "object" || fields === null) return twirpError(400, "malformed", "expected an object");
    const request = { ...fields } as Fields;
    if (request.workflow_run_backend_id !== String(runId)) {
      return twirpError(403, "permission_denied", "the token is another run's");
    }
    return this.#answer(path.slice(SERVICE.length), runId, request, blobUrl);
  }

  #answer(operation: string, runId: number, request: Fields, blobUrl: string): Reply {
    if (operation === "CreateArtifact") return this.#create(runId, request, blobUrl);
    if (operation === "FinalizeArtifact") return this.#finalize(runId, request);
    if (operation === "ListArtifacts") return this.#list(runId, request);
    if (operation === "GetSignedArtifactURL") return this.#signedUrl(runId, request, blobUrl);
    return twirpError(404, "bad_route", `no handler for ${operation}`);
  }

  #create(runId: number, request: Fields, blobUrl: string): Reply {
    const name = String(request.name);
    const taken = [...this.#uploads.values(), ...this.#state.artifacts].some(
      (artifact) => artifact.runId === runId && artifact.name === name,
    );
    if (taken) {
      const words = "an artifact with this name already exists on the workflow run";
      return twirpError(409, "already_exists", words);
    }
    const id = this.#state.nextId();
    const contentType = String(request.mime_type ?? ZIP);
    if (/\.\w+$/.test(name) !== (contentType !== ZIP)) this.#report(`CreateArtifact: ${name} as ${contentType}`);
    this.#uploads.set(id, { id, runId, name, contentType, blocks: new Map(), content: undefined });
    return { status: 200, body: { ok: true, signed_upload_url: `${blobUrl}${this.#state.signedPath(id)}` } };
  }

  #finalize(runId: number, request: Fields): Reply {
    const upload = [...this.#uploads.values()].find((one) => one.runId === runId && one.name === request.name);
    if (upload?.content === undefined) return twirpError(404, "not_found", "no such artifact was uploaded");
    const { content } = upload;
    const digest = sha256(content);
    if (Number(request.size) !== content.length) this.#report(`FinalizeArtifact: size ${String(request.size)}`);
    if (request.hash !== digest) this.#report(`FinalizeArtifact: hash ${String(request.hash)}, expected ${digest}`);
    this.#uploads.delete(upload.id);
    const createdAt = new Date().toISOString();
    this.#state.artifacts.push({
      id: upload.id,
      runId,
      name: upload.name,
      zip: content,
      ...(upload.contentType !== ZIP && { contentType: upload.contentType }),
      digest,
      expired: false,
      createdAt,
    });
    return { status: 200, body: { ok: true, artifact_id: String(upload.id) } };
  }

  #list(runId: number, request: Fields): Reply {
    const wanted = request.name_filter;
    const artifacts = this.#state.artifacts
      .filter((artifact) => artifact.runId === runId && (wanted === undefined || artifact.name === wanted))
      .map((artifact) => ({
        workflow_run_backend_id: String(runId),
        workflow_job_run_backend_id: String(request.workflow_job_run_backend_id),
        database_id: String(artifact.id),
        name: artifact.name,
        size: String(artifact.zip.length),
        created_at: artifact.createdAt,
        ...(artifact.digest === null ? {} : { digest: artifact.digest }),
      }));
    return { status: 200, body: { artifacts } };
  }

  #signedUrl(runId: number, request: Fields, blobUrl: string): Reply {
    const artifact = this.#state.artifacts.find((one) => one.runId === runId && one.name === request.name);
    if (artifact === undefined) return twirpError(404, "not_found", "no such artifact");
    return { status: 200, body: { signed_url: `${blobUrl}${this.#state.signedPath(artifact.id)}` } };
  }

  /** Blob storage: uploads in blocks or at once, and downloads. */
  blob(received: Received): Reply {
    const { method, path, query, headers } = received;
    const id = this.#state.idOfBlob(path, query.sig);
    if (id === undefined) return { status: 403, body: "<Error><Code>AuthenticationFailed</Code></Error>" };
    if ("authorization" in headers) this.#report(`a token was sent to blob storage: ${method} ${path}`);
    const stored = this.#state.artifacts.find((artifact) => artifact.id === id);
    if (method === "GET") return download(stored);
    const upload = this.#uploads.get(id);
    if (method !== "PUT" || !upload) return { status: 404 };
    // The blocks have none: it is set with the list of blocks, and with a file that is sent at once.
    const sent = headers["x-ms-blob-content-type"];
    if (query.comp !== "block" && sent !== upload.contentType)
      this.#report(`blob of ${upload.name} as ${String(sent)}`);
    return store(upload, received);
  }
}

function download(artifact: StoredArtifact | undefined): Reply {
  return artifact === undefined || artifact.expired ? { status: 404 } : { status: 200, body: artifact.zip };
}

function store(upload: Upload, { query, bytes }: Received): Reply {
  if (query.comp === "block") {
    upload.blocks.set(query.blockid ?? "", bytes);
    return stored();
  }
  if (query.comp === "blocklist") {
    const ids = [...bytes.toString("utf8").matchAll(/<(?:Latest|Uncommitted)>([^<]+)</g)].map(([, id]) => id ?? "");
    const blocks = ids.map((id) => upload.blocks.get(id));
    if (blocks.includes(undefined)) return { status: 400, body: "<Error><Code>InvalidBlockList</Code></Error>" };
    upload.content = Buffer.concat(blocks.filter((block) => block !== undefined));
    return stored();
  }
  upload.content = bytes;
  return stored();
}

function stored(): Reply {
  return { status: 201, headers: { etag: '"0x1"', "last-modified": new Date().toUTCString() } };
}

function twirpError(status: number, code: string, message: string): Reply {
  return { status, body: { code, msg: message } };
}
