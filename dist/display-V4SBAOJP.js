import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{openDisplay}from"./chunk-SNE5SDRE.js";import"./chunk-NU3XQDBL.js";import"./chunk-6XX7MJ6W.js";import"./chunk-4DRR74Z3.js";import"./chunk-EBMPIQS2.js";import"./chunk-BUS4AM4A.js";import"./chunk-LV4M3E22.js";import"./chunk-NIW3VRJZ.js";export{openDisplay};
