/** The servers that are recorded, and their scenario. */
import { InputError } from "../../src/errors.js";

interface Subject {
  /** In scenarios/servers.yml. */
  readonly server: string;
  readonly interface: "asgi" | "rsgi" | "wsgi";
  readonly knobs: Readonly<Record<string, string>>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "granian-rsgi": { server: "granian", interface: "rsgi", knobs: {} },
  granian: { server: "granian", interface: "asgi", knobs: {} },
  uvicorn: { server: "uvicorn", interface: "asgi", knobs: {} },
  "gunicorn-gthread": { server: "gunicorn", interface: "wsgi", knobs: { worker: "gthread" } },
  hypercorn: { server: "hypercorn", interface: "asgi", knobs: {} },
};

export const CONNECTIONS = 64;
/** Name of the set. */
export const SET = "evaluate";

/** @throws InputError for a name that is not recorded */
export function subjectNamed(name: string): Subject {
  const subject = SUBJECTS[name];
  if (subject) return subject;
  throw new InputError(`--servers: "${name}" is not recorded: use ${Object.keys(SUBJECTS).join(", ")}`);
}

export const SERVERS_FILE = `apps:
  planted-asgi: { interface: asgi, path: ., target: "app:asgi" }
  planted-rsgi: { interface: rsgi, path: ., target: "app:rsgi" }
  planted-wsgi: { interface: wsgi, path: ., target: "app:wsgi" }
requests:
  evaluation-body: { path: /, expect: { body: { repeat: x, size: 10000 } } }
`;

/** One row for each name, with it as its title. */
export function scenario(names: readonly string[]): string {
  const rows = names.map((name) => {
    const { server, interface: spoken, knobs } = subjectNamed(name);
    const given = Object.entries(knobs).map(([knob, value]) => `${knob}: ${value}`);
    const row = [
      ...[`title: ${name}`, `server: ${server}`, `app: planted-${spoken}`, `interface: ${spoken}`],
      ...["request: evaluation-body", `connections: ${CONNECTIONS}`, `knobs: { ${given.join(", ")} }`],
    ];
    return `  - { ${row.join(", ")} }`;
  });
  return `title: Evaluation\nlabel: Server\nrows:\n${rows.join("\n")}\n`;
}
