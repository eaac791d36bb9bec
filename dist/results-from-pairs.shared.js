import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
function isFromPairs({slices}){return slices.length>1}export{isFromPairs};
