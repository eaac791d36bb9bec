/** Vitest itself, run on one test file with one of our reporters. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./workflows.js";

interface Setup {
  /** A file of this folder, without `.ts`. */
  readonly reporter: string;
  readonly className: string;
  readonly ci: boolean;
  /** Further options of Vitest, as source text. */
  readonly options?: string;
}

export async function vitestOn(
  test: string,
  { reporter, className, ci, options = "" }: Setup,
): Promise<{ readonly code: number | null; readonly output: string }> {
  // Below the repository, so that vitest is found.
  const folder = await mkdtemp(join(ROOT, "node_modules", ".vitest-on-"));
  try {
    await writeFile(join(folder, "one.test.ts"), `import { expect, it } from "vitest";\n${test}\n`);
    await writeFile(
      join(folder, "vitest.config.ts"),
      `import { ${className} } from "${ROOT}__tests__/support/${reporter}.js";
export default { test: { include: ["*.test.ts"], ${options} reporters: ["default", new ${className}()] } };\n`,
    );
    return await run(folder, ci);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(cwd: string, ci: boolean): Promise<{ readonly code: number | null; readonly output: string }> {
  const { CI: _, ...env } = process.env;
  const options = { cwd, env: { ...env, ...(ci && { CI: "true" }) } };
  return new Promise((resolve) => {
    const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"];
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
