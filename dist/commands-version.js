import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{toolVersion}from"./commands-version.shared.js";import"./esbuild-runtime.2.js";export{toolVersion};
