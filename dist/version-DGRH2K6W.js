import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{toolVersion}from"./chunk-G3VF7N2M.js";import"./chunk-UTSZ567A.js";export{toolVersion};
