import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{projectName}from"./plan-project-name.shared.js";import"./smol-toml.shared.js";import"./errors.shared.js";import"./esbuild-runtime.2.js";export{projectName};
