import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
var InputError=class extends Error{name="InputError"},SetupError=class extends Error{name="SetupError";log;constructor(message,log=""){super(message),this.log=log}};export{InputError,SetupError};
