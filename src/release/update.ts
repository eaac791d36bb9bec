/** Writes the benchmarks into the release's body on GitHub, and attaches the page and the figures. */
import { type GitHub, toFailure } from "../github/client.js";
import { findReleases, type GitHubRelease, readRelease, writeReleaseBody } from "../github/releases.js";
import { type Attached, attachFiles, type ReleaseFile } from "./attach.js";
import { bodyWith, findPlace, roomIn } from "./body.js";

type Update =
  | {
      readonly state: "written" | "unchanged";
      readonly url: string;
      readonly draft: boolean;
      readonly files: Attached;
    }
  | Refused;

/** The body is as it was. Files may have been attached before GitHub refused it. */
interface Refused {
  readonly state: "refused";
  readonly reason: string;
  readonly files?: Attached;
}

interface ReleaseText {
  readonly tag: string;
  /** @param limit characters of the text, at most @param attached names of files that the release has now */
  readonly render: (limit: number, attached: readonly string[]) => string;
  /** Attached to the release, where that is possible. */
  readonly files: readonly ReleaseFile[];
  /** Characters of a body. */
  readonly limit: number;
}

interface BodyText extends Pick<ReleaseText, "tag" | "limit"> {
  readonly render: (limit: number) => string;
}

/** Reads of the body before a write: another person may edit it at the same time. */
const READS = 3;

type Planned = { readonly kind: "body"; readonly body: string } | { readonly kind: "refused"; readonly reason: string };

/**
 * GitHub has no conditional writes: the body is read again right before it is written, and must be the one that the new
 * body was made from. Never throws for GitHub's errors.
 */
export async function updateRelease(github: GitHub, text: ReleaseText): Promise<Update> {
  try {
    const [found, ...others] = await findReleases(github, text.tag);
    if (!found) return { state: "refused", reason: missing(text.tag) };
    if (others.length > 0)
      return { state: "refused", reason: `there are ${others.length + 1} drafts for ${text.tag}: delete all but one` };
    // A body that has no place for the text is known before anything is changed.
    const planned = planBody(found.body, { ...text, render: (limit) => text.render(limit, []) });
    if (planned.kind === "refused") return { state: "refused", reason: planned.reason };
    const files = await attachFiles(github, found, text.files);
    const attached = files.state === "attached" ? files.names : [];
    const body = await update(github, found, { ...text, render: (limit) => text.render(limit, attached) });
    return { ...body, files };
  } catch (error) {
    return { state: "refused", reason: toFailure(error).message };
  }
}

/** What did not happen, and why; behind it files that were attached nevertheless. */
export function refusedWords({ reason, files }: Refused): { readonly what: string; readonly why: string } {
  if (files?.state !== "attached" || files.names.length === 0) return { what: "release was not changed", why: reason };
  return { what: "text of the release was not changed", why: `${reason}; attached to it: ${files.names.join(", ")}` };
}

function missing(tag: string): string {
  return `there is no release for ${tag}, or its draft is not shown to this token ("contents: write" shows it): create the release and run the job again, or copy notes.md into it`;
}

type Body = Refused | { readonly state: "written" | "unchanged"; readonly url: string; readonly draft: boolean };

async function update(github: GitHub, found: GitHubRelease, text: BodyText): Promise<Body> {
  let seen = found;
  for (let read = 1; read < READS; read++) {
    const planned = planBody(seen.body, text);
    if (planned.kind === "refused") return { state: "refused", reason: planned.reason };
    const { url, draft } = seen;
    if (planned.body === seen.body) return { state: "unchanged", url, draft };
    const now = await readRelease(github, found.id);
    if (now.body === seen.body) return await write(github, now, planned.body);
    seen = now;
  }
  return {
    state: "refused",
    reason: `the body of the release ${text.tag} was edited twice while it was about to be written: run the job again`,
  };
}

async function write(github: GitHub, { id, url, draft, immutable }: GitHubRelease, body: string): Promise<Body> {
  try {
    await writeReleaseBody(github, id, body);
    return { state: "written", url, draft };
  } catch (error) {
    const { message } = toFailure(error);
    // GitHub lets the text of an immutable release change; an organisation's rules may not.
    const hint = immutable ? "; the release is immutable: write the benchmarks while it is a draft" : "";
    return { state: "refused", reason: `${message}${hint}` };
  }
}

function planBody(body: string, { tag, render, limit }: BodyText): Planned {
  const place = findPlace(body);
  if (place.kind === "broken") return { kind: "refused", reason: `the release ${tag}: ${place.reason}` };
  const room = roomIn(place, limit);
  const planned = bodyWith(place, render(room));
  if (planned.length <= limit) return { kind: "body", body: planned };
  return {
    kind: "refused",
    reason: `the body of the release ${tag} has no room: GitHub allows ${limit} characters, and its own text leaves ${Math.max(0, room)}; shorten it, or link notes.md`,
  };
}
