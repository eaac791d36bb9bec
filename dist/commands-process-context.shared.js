import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{join,relative}from"node:path";function cliPath({cwd,root}){return relative(cwd,join(root,"dist","cli.js"))}export{cliPath};
