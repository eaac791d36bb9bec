import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
function clip(text,most){return text.length>most?`${text.slice(0,most-DOTS.length)}${DOTS}`:text}var DOTS="...";export{clip};
