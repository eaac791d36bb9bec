#!/usr/bin/env node
import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{helpText,parseArguments}from"./commands-options.shared.js";import"./fastest-levenshtein.shared.js";import{InputError,Interrupted,SetupError}from"./errors.shared.js";import"./esbuild-runtime.js";import{fileURLToPath}from"node:url";var EXIT={done:0,input:2,nothing:3};async function main(argv,host){try{let invocation=parseArguments(argv);if(invocation.name==="help")return host.stdout.write(`${helpText(invocation.of)}
`),argv.length===0?EXIT.input:EXIT.done;if(invocation.name==="version"){let{toolVersion}=await import("./commands-version.js");return host.stdout.write(`${await toolVersion(host.root)}
`),EXIT.done}return await command(invocation,host)}catch(error){return explainError(error,host)}}async function command(parsed,host){switch(parsed.name){case"list":return(await import("./commands-list.js")).list(parsed,host);case"setup":return(await import("./commands-setup.js")).setup(parsed,host);case"run":return(await import("./commands-run-command.js")).runCommand(parsed,host);case"compare":return(await import("./commands-compare.js")).compare(parsed,host);case"report":return(await import("./commands-report.js")).report(parsed,host);case"plan":return(await import("./commands-plan.js")).plan(parsed,host)}}function explainError(error,host){return error instanceof InputError?(host.stderr.write(`server-bench: ${error.message}
`),EXIT.input):error instanceof SetupError?(host.stderr.write(`server-bench: ${error.message}
${error.log===""?"":`${error.log.trimEnd()}
`}`),EXIT.nothing):error instanceof Interrupted?(host.stderr.write(`server-bench: ${error.message}
`),error.exitCode):(host.stderr.write(`server-bench: this is a defect of server-bench, please report it.
${error.stack??error}
`),EXIT.nothing)}for(let stream of[process.stdout,process.stderr])stream.on("error",error=>{if(error.code!=="EPIPE")throw error});var root=fileURLToPath(new URL("..",import.meta.url)),exitCode=await main(process.argv.slice(2),{root,cwd:process.cwd(),env:process.env,stdout:process.stdout,stderr:process.stderr});process.exitCode=exitCode;
