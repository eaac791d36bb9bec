/** Search and selections: rows that do not match are hidden, wherever they are shown. */
import type { State } from "./state.js";

interface Filters {
  readonly values: () => State;
  readonly apply: (state: State) => void;
}

const FIELDS = ["q", "server", "interface", "verdict"] as const;

/** @param changed after each change by the reader */
export function filters(changed: () => void): Filters {
  const form = document.querySelector<HTMLFormElement>("#controls");
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].map((element) => ({
    element,
    text: `${element.textContent ?? ""} ${element.dataset.id ?? ""}`.toLowerCase(),
  }));
  const value = (name: string) => {
    const field = form?.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : "";
  };
  const show = () => {
    const words = value("q").toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { element, text } of rows) {
      const matches =
        words.every((word) => text.includes(word)) &&
        (["server", "interface", "verdict"] as const).every(
          (name) => value(name) === "" || element.dataset[name] === value(name),
        );
      element.classList.toggle("filtered", !matches);
      if (matches && element.tagName === "TR") shown += 1;
    }
    const lines = rows.filter(({ element }) => element.tagName === "TR").length;
    const filtered = FIELDS.some((name) => value(name) !== "");
    const status = document.querySelector("#count");
    if (status) status.textContent = filtered ? `${shown} of ${lines} benchmarks` : "";
    for (const group of document.querySelectorAll("[data-group]"))
      group.classList.toggle("filtered", filtered && !group.querySelector("[data-row]:not(.filtered)"));
  };
  form?.removeAttribute("hidden");
  form?.addEventListener("submit", (event) => event.preventDefault());
  form?.addEventListener("input", () => {
    show();
    changed();
  });
  form?.addEventListener("reset", () => {
    // The fields are empty only after the event.
    setTimeout(() => {
      show();
      changed();
    });
  });
  return {
    values: () => Object.fromEntries(FIELDS.map((name) => [name, value(name)])),
    apply: (state) => {
      for (const name of FIELDS) {
        const field = form?.elements.namedItem(name);
        if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = state[name] ?? "";
        // A link may name a server that this page does not have.
        if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.value = "";
      }
      show();
    },
  };
}
