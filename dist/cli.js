#!/usr/bin/env node
import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{helpText,parseArguments}from"./chunk-QBVH7GJD.js";import"./chunk-BUS4AM4A.js";import{InputError,SetupError}from"./chunk-LV4M3E22.js";import"./chunk-NIW3VRJZ.js";import{fileURLToPath}from"node:url";var EXIT={done:0,failOn:1,input:2,nothing:3,interrupted:130};async function main(argv,host){try{let invocation=parseArguments(argv);if(invocation.name==="help")return host.stdout.write(`${helpText(invocation.of)}
`),argv.length===0?EXIT.input:EXIT.done;if(invocation.name==="version"){let{toolVersion}=await import("./version-EGZKGC5A.js");return host.stdout.write(`${await toolVersion(host.root)}
`),EXIT.done}return await command(invocation,host)}catch(error){return explainError(error,host)}}async function command(parsed,host){switch(parsed.name){case"list":return(await import("./list-DQFT633N.js")).list(parsed,host);case"setup":return(await import("./setup-DF7GJ6ZS.js")).setup(parsed,host);case"run":return(await import("./run-LZ2THHB7.js")).runCommand(parsed,host);case"report":return(await import("./report-J3G2WW2V.js")).report(parsed,host)}}function explainError(error,host){return error instanceof InputError?(host.stderr.write(`server-bench: ${error.message}
`),EXIT.input):error instanceof SetupError?(host.stderr.write(`server-bench: ${error.message}
${error.log===""?"":`${error.log.trimEnd()}
`}`),EXIT.nothing):(host.stderr.write(`server-bench: this is a defect of server-bench, please report it.
${error.stack??error}
`),EXIT.nothing)}var root=fileURLToPath(new URL("..",import.meta.url)),exitCode=await main(process.argv.slice(2),{root,cwd:process.cwd(),env:process.env,stdout:process.stdout,stderr:process.stderr});process.exitCode=exitCode;
