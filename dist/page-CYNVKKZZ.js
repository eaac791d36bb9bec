import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{renderReport,reportWarnings}from"./chunk-TDIUVYMT.js";import"./chunk-PFZBIQ7Z.js";import"./chunk-OXSJBM6E.js";import"./chunk-EBMPIQS2.js";import"./chunk-NIW3VRJZ.js";export{renderReport,reportWarnings};
