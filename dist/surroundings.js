import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{absoluteFolders,currentFolder,homeFolder}from"./surroundings.shared.js";import"./esbuild-runtime.2.js";export{absoluteFolders,currentFolder,homeFolder};
