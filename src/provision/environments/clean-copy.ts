/**
 * What is installed from folders of this machine is built from a copy of what git tracks there and of new files that it does not ignore.
 * A build leaves files behind (`build/`, objects of extensions), and the next one would take them for its own.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readFile, readlink, realpath, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isWithin } from "../../is-within.js";
import type { AppInstall, EnvironmentSpec, NamedPath } from "../../plan/types.js";
import type { ProvisionContext } from "../context.js";
import { borrowIndex } from "../sides/checkout.js";
import { checkoutOf } from "../sides/git.js";
import { sourceFiles, toBytes } from "./source-files.js";
import type { EnvironmentTarget } from "./target.js";

export interface CleanCopy extends AsyncDisposable {
  /** The same, with the paths of the copy. */
  readonly spec: EnvironmentSpec;
  /** Output of tools with the user's paths. */
  readonly withUserPaths: (text: string) => string;
}

/** Copies the checkouts, or the folders where there is no checkout, that something is built from. What is editable stays where it is. */
export async function cleanCopy({ run }: ProvisionContext, target: EnvironmentTarget): Promise<CleanCopy> {
  const { spec, sources, editable } = target;
  const root = join(run.tempDir, `sources-${randomBytes(4).toString("hex")}`);
  const ofApp = spec.install === undefined || editable || sources.app.length === 0 ? undefined : spec.install;
  const named = ofApp === undefined ? [] : namedPaths(ofApp).map(({ path }) => path);
  const folder = ofApp === undefined ? [] : [ofApp.folder];
  const copied = new Set<string>();
  const paths = new Set([...sources.server, ...(ofApp ? sources.app : []), ...folder, ...named]);
  // A set visits what is added meanwhile, and each path once.
  for (const path of paths) {
    await add(root, path, copied);
    for (const other of await projectsBeside(path)) paths.add(other);
  }
  const move = async (path: string) => {
    const moved = join(root, await realPlace(path));
    return (await lstat(moved).catch(() => undefined)) === undefined ? path : moved;
  };
  const texts = [root, pathToFileURL(root).pathname];
  return {
    spec: {
      ...spec,
      requires: await Promise.all(spec.requires.map((one) => moveRequirement(one, move))),
      ...(spec.own && { own: await Promise.all(spec.own.map((one) => moveRequirement(one, move))) }),
      ...(ofApp && { install: await moveInstall(ofApp, move) }),
    },
    withUserPaths: (text) => texts.reduce((changed, place) => changed.replaceAll(place, ""), text),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

type Move = (path: string) => Promise<string>;

function namedPaths({ requirements, lock, project }: AppInstall): NamedPath[] {
  return [...requirements, ...(lock ? [lock] : []), ...(project ? [project] : [])];
}

async function moveRequirement(requirement: string, move: Move): Promise<string> {
  const [, before = "", url] = /^(.* @ )(file:\S+)/.exec(requirement) ?? [];
  if (url === undefined) return requirement;
  return requirement.replace(before + url, before + pathToFileURL(await move(fileURLToPath(url))).href);
}

async function moveInstall(install: AppInstall, move: Move): Promise<AppInstall> {
  const moved = async (one: NamedPath) => ({ ...one, path: await move(one.path) });
  return {
    ...install,
    folder: await move(install.folder),
    requirements: await Promise.all(install.requirements.map(moved)),
    ...(install.lock && { lock: await moved(install.lock) }),
    ...(install.project && { project: await moved(install.project) }),
  };
}

/** Other projects that a project names, such as uv's source `core = { path = "../core" }`; they may lie in another checkout. */
async function projectsBeside(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "pyproject.toml"), "utf8").catch(() => "");
  const named = [...text.matchAll(/\bpath ?= ?"([^"\n]+)"/g)].map(([, path = ""]) => resolve(folder, path));
  const isProject = async (path: string) =>
    (await stat(join(path, "pyproject.toml")).catch(() => undefined)) !== undefined;
  const found = await Promise.all(named.map(async (path) => ((await isProject(path)) ? [path] : [])));
  return found.flat();
}

/** Only what leads to it is resolved: the last name may be a link that the copy has too. */
async function realPlace(path: string): Promise<string> {
  return join(await realpath(dirname(path)), basename(path));
}

/** Copies what holds the path to the same place below `root`, so that ways from one copied folder to another stay the same. */
async function add(root: string, path: string, copied: Set<string>): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  const folder = await realpath(isFolder ? path : dirname(path));
  const checkout = checkoutOf(folder);
  // A file that belongs to no checkout, such as a wheel, is read where it is.
  if (checkout === undefined && !isFolder) return;
  await copyOnce(root, checkout ?? folder, copied);
  // Git ignores it, and yet it was named.
  const inCopy = join(root, await realPlace(path));
  if ((await lstat(inCopy).catch(() => undefined)) !== undefined) return;
  if (isFolder) return await copyOnce(root, folder, copied);
  await mkdir(dirname(inCopy), { recursive: true });
  await copyEntry({ top: folder, target: dirname(inCopy) }, toBytes(basename(path)));
}

async function copyOnce(root: string, folder: string, copied: Set<string>): Promise<void> {
  if (copied.has(folder)) return;
  copied.add(folder);
  await copyTree(folder, join(root, folder));
}

interface Trees {
  readonly top: string;
  readonly target: string;
}

async function copyTree(top: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  // Builds ask git for a version. Where git refuses the folder they cannot have one in either place.
  if (checkoutOf(top) === top) await borrowIndex(top, target).catch(() => undefined);
  const names = await sourceFiles(top, "build");
  for (const folder of new Set(names.map(dirname))) await mkdir(bytes(join(target, folder)), { recursive: true });
  await Promise.all(names.map((name) => copyEntry({ top, target }, name)));
}

/** A file that was deleted, and a pipe, are left out. A folder among the names is a submodule. */
async function copyEntry({ top, target }: Trees, name: string): Promise<void> {
  const [from, to] = [join(toBytes(top), name), join(toBytes(target), name)];
  const found = await lstat(bytes(from)).catch(() => undefined);
  if (found?.isSymbolicLink()) await copyLink(top, from, to);
  else if (found?.isDirectory()) await copySubmodule(text(from), text(to));
  else if (found?.isFile()) await copyFile(bytes(from), bytes(to), constants.COPYFILE_FICLONE);
}

async function copyLink(top: string, from: string, to: string): Promise<void> {
  const leadsTo = await readlink(bytes(from), "latin1");
  const place = resolve(dirname(from), leadsTo);
  await symlink(bytes(isWithin(toBytes(top), place) ? leadsTo : place), bytes(to));
}

/** One that is not checked out is empty. */
async function copySubmodule(from: string, to: string): Promise<void> {
  if (checkoutOf(from) === (await realpath(from))) await copyTree(await realpath(from), to);
  else await mkdir(to, { recursive: true });
}

function bytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

function text(path: string): string {
  return bytes(path).toString("utf8");
}
