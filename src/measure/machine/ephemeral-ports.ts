/** The range from which the kernel gives ports to outgoing connections, and to whoever wants any port. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface PortRange {
  readonly first: number;
  /** Belongs to the range. */
  readonly last: number;
}

/** Undefined: the system does not say. @param root of the file system; tests give their own */
export function readEphemeralPorts(root = "/"): PortRange | undefined {
  try {
    const text = readFileSync(join(root, "proc/sys/net/ipv4/ip_local_port_range"), "utf8");
    const [first, last] = text.trim().split(/\s+/).map(Number);
    return first === undefined || last === undefined || !(last >= first) ? undefined : { first, last };
  } catch {
    return undefined;
  }
}
