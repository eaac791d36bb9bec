/** Markdown pages, as GitHub shows them: their links and the anchors of their headings. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.js";

export interface Page {
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
}

/** The pages that a reader follows: those of the root, of docs/ and of examples/. */
export function pages(): Page[] {
  return [".", "docs", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name))
      .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") })),
  );
}

/** Targets of links and images, without those in code and in comments. */
export function linksIn({ text }: Page): string[] {
  const targets = proseOf(text).matchAll(/\]\(<?([^()\s<>]*)>?(?: "[^"]*")?\)|(?:href|src)="([^"]*)"/g);
  return [...targets].map(([, markdown, html]) => markdown ?? html ?? "");
}

/** GitHub's anchors: lower case, no punctuation, dashes for blanks, and a number for the second of its name. */
export function anchorsIn({ text }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(text).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = shown.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
    let name = anchor;
    for (let count = 1; anchors.has(name); count += 1) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

function proseOf(text: string): string {
  return text
    .replaceAll(/^( *)```[\s\S]*?^\1```/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""));
}
