/** The code blocks of a Markdown page. */

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```/gm;

/** @returns {{ line: number, language: string, text: string }[]} `line` is that of the block's first line, from 1 */
export function snippets(markdown) {
  return [...markdown.matchAll(FENCE)].map(({ index, 1: indent = "", 2: language = "", 3: text = "" }) => ({
    line: markdown.slice(0, index).split("\n").length + 1,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** Those that are YAML. */
export function yamlSnippets(markdown) {
  return snippets(markdown).filter(({ language }) => language === "yaml" || language === "yml");
}

/** Those that are workflows: a part of one names a runner or an action too, and is refused by the linters. */
export function workflowSnippets(markdown) {
  return yamlSnippets(markdown).filter(({ text }) => /^ *(- )?(jobs|runs-on|uses):/m.test(text));
}
