import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{readFile}from"node:fs/promises";import{join}from"node:path";async function toolVersion(root){let version=JSON.parse(await readFile(join(root,"package.json"),"utf8")).version;return typeof version=="string"?version:"unknown"}export{toolVersion};
