/** What the rounds of a row need: its services, and what its commands made. Kept until the row needs no further round of this kind. */

import type { FurtherSubject } from "../../measure/further-subject.js";
import type { PreparationContext } from "../../measure/preparation/prepare.js";
import { prepareSides } from "../../measure/preparation/prepared-sides.js";

type Sides = Awaited<ReturnType<typeof prepareSides<FurtherSubject["sides"]>>>;

export class KeptPreparations implements AsyncDisposable {
  readonly #kept = new Map<FurtherSubject, Promise<Sides>>();

  /** @throws the run's abort reason */
  async of(subject: FurtherSubject, context: PreparationContext): Promise<Sides> {
    const sides = this.#kept.get(subject) ?? prepareSides(subject.sides, context);
    this.#kept.set(subject, sides);
    return await sides;
  }

  /** Ends those of all other subjects. */
  async keepOnly(subjects: ReadonlySet<FurtherSubject>): Promise<void> {
    for (const [subject, sides] of this.#kept) {
      if (subjects.has(subject)) continue;
      this.#kept.delete(subject);
      const [one] = await Promise.allSettled([sides]);
      if (one.status === "fulfilled" && one.value.state === "prepared") await one.value[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keepOnly(new Set());
  }
}
