import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
var LOGS_FOLDER="logs";export{LOGS_FOLDER};
