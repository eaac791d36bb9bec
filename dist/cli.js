#!/usr/bin/env node
import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{helpText,parseArguments}from"./chunk-EYFLYR2V.js";import"./chunk-UGKSMUWG.js";import{InputError,Interrupted,SetupError}from"./chunk-3FTEZ5OH.js";import"./chunk-UTSZ567A.js";import{fileURLToPath}from"node:url";var EXIT={done:0,input:2,nothing:3};async function main(argv,host){try{let invocation=parseArguments(argv);if(invocation.name==="help")return host.stdout.write(`${helpText(invocation.of)}
`),argv.length===0?EXIT.input:EXIT.done;if(invocation.name==="version"){let{toolVersion}=await import("./version-DGRH2K6W.js");return host.stdout.write(`${await toolVersion(host.root)}
`),EXIT.done}return await command(invocation,host)}catch(error){return explainError(error,host)}}async function command(parsed,host){switch(parsed.name){case"list":return(await import("./list-Y7RPI7BK.js")).list(parsed,host);case"setup":return(await import("./setup-O5MIFNE2.js")).setup(parsed,host);case"run":return(await import("./run-command-NEWTYC4M.js")).runCommand(parsed,host);case"compare":return(await import("./compare-UM337WVS.js")).compare(parsed,host);case"report":return(await import("./report-J4JPVMYR.js")).report(parsed,host);case"plan":return(await import("./plan-OQ4YDETV.js")).plan(parsed,host)}}function explainError(error,host){return error instanceof InputError?(host.stderr.write(`server-bench: ${error.message}
`),EXIT.input):error instanceof SetupError?(host.stderr.write(`server-bench: ${error.message}
${error.log===""?"":`${error.log.trimEnd()}
`}`),EXIT.nothing):error instanceof Interrupted?(host.stderr.write(`server-bench: ${error.message}
`),error.exitCode):(host.stderr.write(`server-bench: this is a defect of server-bench, please report it.
${error.stack??error}
`),EXIT.nothing)}for(let stream of[process.stdout,process.stderr])stream.on("error",error=>{if(error.code!=="EPIPE")throw error});var root=fileURLToPath(new URL("..",import.meta.url)),exitCode=await main(process.argv.slice(2),{root,cwd:process.cwd(),env:process.env,stdout:process.stdout,stderr:process.stderr});process.exitCode=exitCode;
