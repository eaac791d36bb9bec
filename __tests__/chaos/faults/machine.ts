/** The machine lacks something: room on a disk, files, the network, handles, processes, memory, ports. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.js";
import { KINDS, type Start, sharedCache, type World } from "../world.js";

const MEASURED = ["run", "paired"] as const;
const CGROUPS = "/sys/fs/cgroup";

function works(...[program = "", ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Tried in a namespace, so that nothing stays. */
const MOUNTS = {
  what: "the right to mount",
  isHere: () => works("unshare", "--mount", "mount", "-t", "tmpfs", "chaos", "/mnt"),
};
const NETWORKS = { what: "the right to make a network namespace", isHere: () => works("unshare", "-n", "true") };

function controlGroups(controller: string): NonNullable<Fault["needs"]> {
  const isHere = (): boolean => {
    try {
      accessSync(join(CGROUPS, controller, "cgroup.procs"), constants.W_OK);
      accessSync(join(CGROUPS, controller), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  };
  return { what: "root and control groups of version 1", isHere };
}

function mount(folder: string, kibibytes: number): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k,mode=777`, "chaos", folder]);
}

function unmount(folder: string): void {
  if (!readFileSync("/proc/self/mounts", "utf8").includes(` ${folder} `)) return;
  // A process that still looks into it must not keep it.
  execFileSync("umount", ["-l", folder]);
}

function fill(folder: string): void {
  try {
    writeFileSync(join(folder, "filler"), Buffer.alloc(64 * 1024 * 1024, "x"));
  } catch {
    // It is full now.
  }
}

/** A shell that does `first` and becomes the tool. */
const after = (first: string): readonly string[] => ["sh", "-c", `${first}; exec "$@"`, "chaos"];

/** In a control group of its own with this limit. */
function limited(world: World, controller: string, files: Readonly<Record<string, number>>): Start {
  const group = join(CGROUPS, controller, world.root.replaceAll("/", "-").slice(1));
  mkdirSync(group, { recursive: true });
  for (const [name, value] of Object.entries(files)) writeFileSync(join(group, name), String(value));
  return { prefix: after(`echo $$ > ${join(group, "cgroup.procs")}`) };
}

function removeGroup(world: World, controller: string): void {
  const group = join(CGROUPS, controller, world.root.replaceAll("/", "-").slice(1));
  if (existsSync(group)) execFileSync("rmdir", [group]);
}

function ownCache(world: World): Start {
  const cache = join(world.root, "cache");
  for (const name of ["oha", "uv", "environments"]) {
    const from = join(sharedCache(), name);
    if (!existsSync(from)) continue;
    const entries = readdirSync(from).filter((entry) => name !== "environments" || entry.startsWith("granian-"));
    for (const entry of entries.slice(0, 4)) {
      mkdirSync(join(cache, name), { recursive: true });
      execFileSync("cp", ["-al", join(from, entry), join(cache, name, entry)]);
    }
  }
  return { env: { SERVER_BENCH_CACHE: cache } };
}

export const MACHINE_FAULTS: readonly Fault[] = [
  {
    name: "disk of the results is full",
    needs: MOUNTS,
    kinds: ["run", "paired", "report"],
    codes: [0, 3],
    says: /no space|ENOSPC|cannot be written|disk/i,
    prepare: ({ out }, random) => {
      mount(out, random.between(16, 600));
      return {};
    },
    strike: ({ out }) => fill(out),
    repair: ({ out }) => unmount(out),
  },
  {
    name: "disk of the temporary files is full",
    needs: MOUNTS,
    kinds: KINDS,
    codes: [0, 1, 3],
    says: /no space|ENOSPC|disk|could be measured|fail/i,
    prepare: ({ temp }, random) => {
      mount(temp, random.between(16, 2000));
      return {};
    },
    strike: ({ temp }) => fill(temp),
    repair: ({ temp }) => unmount(temp),
  },
  {
    name: "the temporary folder is removed",
    kinds: ["run", "paired", "setup", "action"],
    codes: [0, 1, 3],
    strike: ({ temp }) => {
      for (const name of readdirSync(temp)) rmSync(join(temp, name), { recursive: true, force: true, maxRetries: 5 });
    },
  },
  {
    name: "the folder of the results is removed",
    kinds: ["run", "paired", "report"],
    codes: [0, 1, 3],
    strike: ({ out }) => rmSync(out, { recursive: true, force: true }),
  },
  {
    name: "the cache is removed",
    kinds: ["run", "paired"],
    codes: [0, 1, 3],
    prepare: ownCache,
    strike: ({ root }) => rmSync(join(root, "cache"), { recursive: true, force: true, maxRetries: 5 }),
  },
  {
    name: "no network, with a cache",
    needs: NETWORKS,
    kinds: MEASURED,
    codes: [0],
    prepare: () => ({ prefix: ["unshare", "-n", ...after("ip link set lo up")] }),
  },
  {
    name: "no network, without a cache",
    needs: NETWORKS,
    kinds: ["setup", "run"],
    codes: [3],
    says: /network|download|resolve|connect|could not be made|cannot install/i,
    prepare: ({ root }) => ({
      prefix: ["unshare", "-n", ...after("ip link set lo up")],
      env: { SERVER_BENCH_CACHE: join(root, "empty"), PATH: "/usr/local/bin:/usr/bin:/bin", HOME: root },
    }),
  },
  {
    name: "few file handles",
    kinds: KINDS,
    codes: [0, 1, 3],
    prepare: (_, random) => ({ prefix: ["prlimit", `--nofile=${random.between(28, 160)}`] }),
  },
  {
    name: "few processes",
    needs: controlGroups("pids"),
    kinds: KINDS,
    codes: [0, 1, 3, null],
    commentStays: true,
    prepare: (world, random) => limited(world, "pids", { "pids.max": random.between(12, 60) }),
    repair: (world) => removeGroup(world, "pids"),
  },
  {
    name: "little memory",
    needs: controlGroups("memory"),
    kinds: MEASURED,
    codes: [0, 1, 3, null],
    prepare: (world, random) =>
      limited(world, "memory", { "memory.limit_in_bytes": random.between(90, 300) * 1024 * 1024 }),
    repair: (world) => removeGroup(world, "memory"),
  },
  {
    name: "few ports",
    needs: NETWORKS,
    kinds: MEASURED,
    codes: [0, 1, 3],
    prepare: (_, random) => {
      const ports = `40000 ${40000 + random.between(2, 40)}`;
      const first = `ip link set lo up; sysctl -qw net.ipv4.ip_local_port_range="${ports}"`;
      return { prefix: ["unshare", "-n", ...after(first)] };
    },
  },
];
