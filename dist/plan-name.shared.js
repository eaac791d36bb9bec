import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
var NAME=/^[a-z0-9][a-z0-9.-]*$/;export{NAME};
