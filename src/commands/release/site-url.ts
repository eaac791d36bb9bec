/** Where the folder of all releases is published, and a release's page in it. */
import { InputError } from "../../errors.js";
import { folderName } from "../../release/folder-name.js";

/** `https://octo.github.io/app` and `v1.2.0` -> `https://octo.github.io/app/v1.2.0/` */
export function pageAddress(siteUrl: string, tag: string): string {
  return new URL(`${folderName(tag)}/`, siteUrl.endsWith("/") ? siteUrl : `${siteUrl}/`).href;
}

/** @param option as the user knows it @throws InputError for anything but an address of http or https */
export function checkSiteUrl(url: string, option: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.search === "" && parsed.hash === "") return parsed.href;
  throw new InputError(
    `invalid ${option} "${url}": give the address of the published folder, such as https://octo.github.io/app/`,
  );
}
