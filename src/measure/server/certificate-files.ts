/** A throwaway authority and a certificate of it, as files of the run: made once, and gone with the run's folder. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "./certificate.js";

export interface Certificate {
  /** Paths of PEM files: for the server, and for load generators to check it by. */
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
  readonly authorityText: string;
}

/** By folder: base and head of a pair start at the same time. */
const made = new Map<string, Promise<Certificate>>();

export function certificateOf(folder: string): Promise<Certificate> {
  const known = made.get(folder) ?? writeCertificate(folder);
  made.set(folder, known);
  return known;
}

async function writeCertificate(folder: string): Promise<Certificate> {
  const { cert, key, authority } = makeCertificate();
  const paths = { cert: join(folder, "tls-cert.pem"), key: join(folder, "tls-key.pem") };
  const authorityPath = join(folder, "tls-authority.pem");
  await Promise.all([
    writeFile(paths.cert, cert),
    writeFile(paths.key, key, { mode: 0o600 }),
    writeFile(authorityPath, authority),
  ]);
  return { ...paths, authority: authorityPath, authorityText: authority };
}
