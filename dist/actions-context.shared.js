import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{readJob}from"./github-job.shared.js";import{openGitHub}from"./octokit-plugin-throttling.shared.js";import{toolVersion}from"./commands-version.shared.js";import{logSafe,plainText}from"./report-text-escape.shared.js";import{randomUUID}from"node:crypto";async function openActionContext(inputs,context){let log=line=>{context.stdout.write(`${plainLine(line)}
`)},job=await readJob(context.env),github=job&&inputs.token!==""?openGitHub(job,inputs.token,log,{version:await toolVersion(context.root)}):void 0;return{inputs,context,job,github,log}}function plainLine(line){return logSafe(plainText(line)).replace(/^\s*::/,": :")}async function withoutCommands({stdout},work){let token=randomUUID();stdout.write(`::stop-commands::${token}
`);try{return await work()}finally{stdout.write(`::${token}::
`)}}export{openActionContext,plainLine,withoutCommands};
