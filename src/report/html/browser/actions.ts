/** Buttons that need script: copy a command, download the figures. */

export function addCopyButtons(): void {
  for (const place of document.querySelectorAll("[data-copy]")) {
    const code = place.querySelector("pre");
    if (!code) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy the command";
    button.addEventListener("click", () => {
      void copy(code).then((done) => {
        button.textContent = done ? "Copied" : "Selected: press Ctrl+C or ⌘C";
      });
    });
    place.append(button);
  }
}

/** A page from a file has no clipboard in some browsers: there the text is selected. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}

export function addDownload(): void {
  const button = document.querySelector<HTMLButtonElement>("#download");
  const text = document.querySelector("#page-data")?.textContent;
  if (!button || !text) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "server-bench-page.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
