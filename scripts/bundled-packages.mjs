/** The packages whose code is in dist/ -> the file of their licences, and the bill of materials (SBOM, CycloneDX 1.6). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * @param metafiles of esbuild
 * @returns {Promise<{name: string, version: string, license: string, address: string, texts: string[]}[]>} by name and version
 */
export async function bundledPackages(root, metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  const packages = await Promise.all([...folders].map((folder) => describe(join(root, folder))));
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

async function describe(folder) {
  const { name, version, license, author, homepage, repository } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  if (typeof license !== "string")
    throw new Error(`${name} ${version}, which dist/ would contain, does not name its licence`);
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const whole = texts.map((text) => text.replaceAll("\r\n", "\n").trim()).filter(Boolean);
  const holder = typeof author === "string" ? author : author?.name;
  const address = homepage ?? addressOf(repository);
  // Some packages name their licence only.
  const short = `Licence: ${license}. The package has no text of it.${holder ? ` Author: ${holder}.` : ""} ${address}`;
  return { name, version, license, address, texts: whole.length > 0 ? whole : [short.trim()] };
}

function addressOf(repository) {
  const url = typeof repository === "string" ? repository : (repository?.url ?? "");
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** Packages with the same text share it. */
export function licencesText(packages) {
  const named = packages.map(({ name, version, license }) => `  ${name} ${version} (${license})`);
  const byText = new Map();
  for (const { name, version, texts } of packages) {
    const text = texts.join("\n\n");
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const rule = "-".repeat(78);
  const parts = [...byText].map(([text, names]) => `${rule}\n${names.join(", ")}\n\n${text}\n`);
  const intro = `server-bench is under the licence in the file LICENSE. The files in this folder contain these packages:\n\n${named.join("\n")}\n`;
  return [intro, ...parts].join("\n");
}

/** Without a time and a random number: the same sources give the same file. */
export function sbomText(packages, { name, version, license }) {
  const component = (type, one) => ({
    type,
    "bom-ref": `pkg:npm/${purlName(one.name)}@${one.version}`,
    name: one.name,
    version: one.version,
    licenses: [licenceOf(one.license)],
    purl: `pkg:npm/${purlName(one.name)}@${one.version}`,
  });
  const own = component("application", { name, version, license });
  const components = packages.map((one) => component("library", one));
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) }],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** A scope's @ is escaped in a package URL. */
function purlName(name) {
  return name.replace(/^@/, "%40");
}

function licenceOf(text) {
  return / (?:AND|OR|WITH) /.test(text) ? { expression: text } : { license: { id: text } };
}
