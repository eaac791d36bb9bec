/** Links of our own: the label is Markdown, and no character of the address can end the link. */
import { codeSpan } from "./escape.js";

/** Where a commit is looked at. */
export interface Forge {
  readonly serverUrl: string;
  /** `owner/name` */
  readonly repository: string;
}

/** Only the label when the address is not http or https. */
export function link(label: string, address: string | undefined): string {
  const url = address === undefined ? undefined : parsed(address);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return label;
  return `[${label}](${url.href.replace(/[()<>[\]|\\`]/g, encodeCharacter)})`;
}

/** `URL.canParse` was seen to accept an address that `new URL` then refused, in a process that had parsed thousands. */
function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** As many digits as GitHub shows. */
const SHA_DIGITS = 7;

/** A commit by its first digits; text that is no commit is shown without a link. */
export function commitLink({ serverUrl, repository }: Forge, sha: string): string {
  if (!/^[0-9a-f]{7,64}$/i.test(sha)) return codeSpan(sha);
  return link(codeSpan(sha.slice(0, SHA_DIGITS)), `${serverUrl}/${repository}/commit/${sha}`);
}

/** Whether the address, which is not trusted, is a workflow run of this repository. */
export function isRunOf({ serverUrl, repository }: Forge, address: string): boolean {
  const prefix = `${serverUrl}/${repository}/actions/runs/`;
  return address.startsWith(prefix) && /^\d+(\/attempts\/\d+)?$/.test(address.slice(prefix.length));
}
