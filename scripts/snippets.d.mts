/** A code block of a Markdown page. */
export interface Snippet {
  /** Of the block's first line in the page, from 1. */
  readonly line: number;
  readonly language: string;
  /** Without the indentation of the block. */
  readonly text: string;
}

export function snippets(markdown: string): Snippet[];
export function yamlSnippets(markdown: string): Snippet[];
export function workflowSnippets(markdown: string): Snippet[];
