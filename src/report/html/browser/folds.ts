/** Folds that open for a link and for print. */

/** Opens what surrounds an element, and moves there. */
export function openAround(id: string): void {
  const target = id === "" ? null : document.getElementById(id);
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  target.scrollIntoView({ block: "center" });
  target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
}

export function openForPrint(): void {
  const opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>("details:not([open])")) {
      fold.open = true;
      opened.push(fold);
    }
  });
  addEventListener("afterprint", () => {
    for (const fold of opened.splice(0)) fold.open = false;
  });
}
