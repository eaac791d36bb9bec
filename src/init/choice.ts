/** What `init` writes down: everything was found, asked or given by then. */
import type { InterfaceName } from "../plan/types.js";
import type { Dependencies } from "./dependencies.js";

export interface Choice {
  /** Name of the app and of the set. */
  readonly name: string;
  readonly title: string;
  readonly app: {
    readonly interface: InterfaceName;
    /** Relative to the project's folder; "" for that itself. */
    readonly folder: string;
    readonly target: string;
    readonly env: Readonly<Record<string, string>>;
  };
  readonly server: { readonly name: string; readonly knobs: Readonly<Record<string, string | number>> };
  readonly dependencies: Dependencies;
  /** A version that the files name; undefined: the Python of the run. */
  readonly python: string | undefined;
  /** Commands before the server, such as a migration. */
  readonly before: readonly (readonly string[])[];
  readonly routes: readonly ChosenRoute[];
}

export interface ChosenRoute {
  /** Name of the request: `home`, `items-1`. */
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The expected status where it is not one of success; undefined: what each side answers is learned. */
  readonly status: number | undefined;
}

/** `/` -> `home`; `/items/1?q=x` -> `items-1-q-x` */
export function routeName(path: string, taken: ReadonlySet<string>): string {
  const plain = path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const name = plain === "" ? "home" : plain;
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(tried)) return tried;
  }
}

/** `My Shop_2` -> `my-shop-2`; another name where the tool has one like it. */
export function appName(given: string, taken: ReadonlySet<string>): string {
  const plain = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const name = plain === "" ? "app" : plain;
  return taken.has(name) ? `${name}-app` : name;
}
