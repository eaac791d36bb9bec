/** Foreign text in an SVG file. */
import { plainText } from "../text/escape.js";

/** Foreign text as character data of XML: one line, no control characters, no markup. */
export function escapeXml(text: string): string {
  return plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
