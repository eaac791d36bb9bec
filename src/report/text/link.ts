/** Links that are made here: the label is Markdown, and nothing of the address can end the link. */
import { codeSpan } from "./escape.js";

/** Where a commit is looked at. */
export interface Forge {
  readonly serverUrl: string;
  /** `owner/name` */
  readonly repository: string;
}

/** The label alone where the address is none of the web. */
export function link(label: string, address: string | undefined): string {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return label;
  return `[${label}](${url.href.replace(/[()<>[\]|\\`]/g, encodeCharacter)})`;
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** As many digits as GitHub shows. */
const SHA_DIGITS = 7;

/** A commit by its first digits; what is no commit is shown and not linked. */
export function commitLink({ serverUrl, repository }: Forge, sha: string): string {
  if (!/^[0-9a-f]{7,64}$/i.test(sha)) return codeSpan(sha);
  return link(codeSpan(sha.slice(0, SHA_DIGITS)), `${serverUrl}/${repository}/commit/${sha}`);
}

/** Whether the address, which may be anyone's, is a workflow run of this repository. */
export function isRunOf({ serverUrl, repository }: Forge, address: string): boolean {
  const prefix = `${serverUrl}/${repository}/actions/runs/`;
  return address.startsWith(prefix) && /^\d+(\/attempts\/\d+)?$/.test(address.slice(prefix.length));
}
