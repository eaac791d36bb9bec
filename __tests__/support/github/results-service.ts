/**
 * The Actions results service as @actions/artifact 6 speaks to it: twirp calls with the job's runtime token, and blob
 * storage behind signed addresses of another origin, which must never see a token.
 */
import type { Received, Reply } from "./http.js";
import { type State, type StoredArtifact, sha256, signedPath, usualArtifact } from "./state.js";

const ZIP = "application/zip";
const SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService/";

/** An artifact between CreateArtifact and FinalizeArtifact. */
type Upload = StoredArtifact & { readonly blocks: Map<string, Buffer> };
type Fields = Readonly<Record<string, unknown>>;

export class ResultsService {
  readonly #state: State;
  readonly #report: (violation: string) => void;
  readonly #uploads: Upload[] = [];
  readonly #tokens = new Map<string, number>();

  constructor(state: State, report: (violation: string) => void) {
    this.#state = state;
    this.#report = report;
  }

  /** A token of the form that runners get: a JWT whose scope names the run and the job. */
  runtimeToken(runId: number): string {
    const scope = `Actions.Example Actions.Results:${runId}:job-${this.#state.nextId()}`;
    const parts = [{ alg: "RS256", typ: "JWT" }, { scp: scope }, "signature"];
    const token = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    this.#tokens.set(token, runId);
    return token;
  }

  call({ path, headers, body }: Received, blobUrl: string): Reply {
    const request: Fields = { ...(body as object | undefined) };
    const runId = this.#tokens.get((headers.authorization ?? "").replace(/^Bearer /, ""));
    if (runId === undefined) return twirpError(401, "unauthenticated", "invalid runtime token");
    if (request.workflow_run_backend_id !== String(runId))
      return twirpError(403, "permission_denied", "the token is another run's");
    if (path === `${SERVICE}CreateArtifact`) return this.#create(runId, request, blobUrl);
    if (path === `${SERVICE}FinalizeArtifact`) return this.#finalize(runId, request);
    if (path === `${SERVICE}ListArtifacts`) return this.#list(runId, request);
    return twirpError(404, "bad_route", `no handler for ${path}`);
  }

  #create(runId: number, request: Fields, blobUrl: string): Reply {
    const name = String(request.name);
    if ([...this.#uploads, ...this.#state.artifacts].some((one) => one.runId === runId && one.name === name))
      return twirpError(409, "already_exists", "an artifact with this name already exists on the workflow run");
    const id = this.#state.nextId();
    const contentType = String(request.mime_type ?? ZIP);
    if (/\.\w+$/.test(name) !== (contentType !== ZIP)) this.#report(`CreateArtifact: ${name} as ${contentType}`);
    this.#uploads.push({ ...usualArtifact(id, runId, Buffer.alloc(0)), name, contentType, blocks: new Map() });
    return { status: 200, body: { ok: true, signed_upload_url: `${blobUrl}${signedPath(id)}` } };
  }

  #finalize(runId: number, { name, size, hash }: Fields): Reply {
    const upload = this.#uploads.find((one) => one.runId === runId && one.name === name);
    if (upload === undefined) return twirpError(404, "not_found", "no such artifact was uploaded");
    const { blocks: _, ...artifact } = { ...upload, digest: sha256(upload.zip) };
    if (Number(size) !== artifact.zip.length) this.#report(`FinalizeArtifact: size ${size}`);
    if (hash !== artifact.digest) this.#report(`FinalizeArtifact: hash ${hash}, expected ${artifact.digest}`);
    this.#uploads.splice(this.#uploads.indexOf(upload), 1);
    this.#state.artifacts.push(artifact);
    return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
  }

  #list(runId: number, { workflow_run_backend_id, workflow_job_run_backend_id }: Fields): Reply {
    const artifacts = this.#state.artifacts
      .filter((one) => one.runId === runId)
      .map(({ id, name, zip, createdAt: created_at }) => {
        const of = { workflow_run_backend_id, workflow_job_run_backend_id };
        return { ...of, database_id: String(id), name, size: String(zip.length), created_at };
      });
    return { status: 200, body: { artifacts } };
  }

  /** Blob storage: uploads in blocks or at once, and downloads. */
  blob({ method, path, query, headers, bytes }: Received): Reply {
    const id = Number(path.split("/").at(-1));
    if (!signedPath(id).startsWith(`${path}?sig=${query.sig}&`)) return { status: 403 };
    if ("authorization" in headers) this.#report(`a token was sent to blob storage: ${method} ${path}`);
    const artifact = this.#state.artifacts.find((one) => one.id === id && !one.expired);
    if (method === "GET") return artifact ? { status: 200, body: artifact.zip } : { status: 404 };
    const upload = this.#uploads.find((one) => one.id === id);
    if (method !== "PUT" || !upload) return { status: 404 };
    const stored = { status: 201, headers: { etag: '"0x1"', "last-modified": new Date().toUTCString() } };
    if (query.comp === "block") {
      upload.blocks.set(query.blockid ?? "", bytes);
      return stored;
    }
    // The blocks have none: it is set with the list of blocks, and with a file that is sent at once.
    const type = headers["x-ms-blob-content-type"];
    if (type !== upload.contentType) this.#report(`blob of ${upload.name} as ${type}`);
    const ids = [...bytes.toString().matchAll(/<(?:Latest|Uncommitted)>([^<]+)</g)].map(([, block = ""]) => block);
    const blocks = ids.flatMap((block) => upload.blocks.get(block) ?? []);
    upload.zip = query.comp === "blocklist" ? Buffer.concat(blocks) : bytes;
    return stored;
  }
}

function twirpError(status: number, code: string, message: string): Reply {
  return { status, body: { code, msg: message } };
}
