import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{FOLDER_PREFIX,OWNER_FILE,noteOwner,removeAbandoned}from"./process-abandoned.shared.js";import{PYTHON_MINIMUM,askPython,findOnPath,isAtLeast,isProgram,openContext,parseVersion,provideUv,requestedPython,runTool,versionFolders}from"./process-supervisor.shared.js";import{RUN_MARKER,sweepRun}from"./process-environment.shared.js";import{array,nullable,object,parse,string}from"./valibot.shared.js";import{Interrupted,SetupError,messageOf}from"./errors.shared.js";import{randomUUID}from"node:crypto";import{existsSync}from"node:fs";import{mkdtemp,rm}from"node:fs/promises";import{tmpdir}from"node:os";import{join}from"node:path";import{spawn}from"node:child_process";import{once}from"node:events";import{isAbsolute}from"node:path";var SCRIPT=`
trap '' HUP INT TERM
while IFS= read -r line; do [ "$line" = done ] && exit 0; done
marker=$1
folder=$2
starttime() {
  { IFS= read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  set -- \${stat##*) }
  shift 19
  echo "$1"
}
sessions=' '
for note in "$folder"/sessions/*; do
  [ -f "$note" ] || continue
  leader=\${note##*/}
  IFS= read -r noted < "$note"
  now=$(starttime "$leader") && [ "$now" != "$noted" ] && continue
  sessions="$sessions$leader "
done
members() {
  grep -lzFx -e "$marker" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
  for file in /proc/[0-9]*/stat; do
    { IFS= read -r stat < "$file"; } 2>/dev/null || continue
    set -- \${stat##*) }
    [ "$1" = Z ] && continue
    case $sessions in *" $4 "*) echo "$file" | cut -d/ -f3 ;; esac
  done
}
round=0
while [ $round -lt 40 ]; do
  left=$(members)
  [ -z "$left" ] && break
  if [ $round -eq 0 ]; then kill -TERM $left 2>/dev/null; elif [ $round -ge 10 ]; then kill -KILL $left 2>/dev/null; fi
  round=$((round + 1))
  sleep 0.1
done
rm -rf -- "$folder"
`;function startWatchdog(run,env,files=[]){if(!isAbsolute(run.tempDir))throw new Error(`the run's temporary folder is not absolute: ${run.tempDir}`);let child=spawn("/bin/sh",["-c",SCRIPT,"watchdog",`${RUN_MARKER}=${run.id}`,run.tempDir],{detached:!0,cwd:"/",env:{PATH:env.PATH??"/usr/bin:/bin"},stdio:["pipe","ignore","ignore",...files]});child.on("error",()=>{});let{stdin}=child;if(child.pid===void 0||stdin===null)throw new SetupError("cannot start /bin/sh, which cleans up when this process is killed");stdin.on("error",()=>{});let ended=once(child,"exit");return child.unref(),"unref"in stdin&&typeof stdin.unref=="function"&&stdin.unref(),{pid:child.pid,async[Symbol.asyncDispose](){child.ref(),stdin.end(`done
`),await ended}}}var SIGNALS=["SIGINT","SIGTERM","SIGHUP"],Session=class _Session{context;warnings;#env;#onSignal;#watchdog;constructor(context,warnings,env,onSignal){this.context=context,this.warnings=warnings,this.#env=env,this.#watchdog=startWatchdog(context,env),this.#onSignal=onSignal}static async open(env,{memoryLimitMiB}={}){let abort=new AbortController,onSignal=signal=>abort.abort(new Interrupted(signal));for(let signal of SIGNALS)process.on(signal,onSignal);try{let id=randomUUID(),parent=env.RUNNER_TEMP||tmpdir();await removeAbandoned(parent);let tempDir=await temporaryFolder(parent),warnings=new Set,warn=text=>{warnings.add(text)},context={id,tempDir,signal:abort.signal,warn,memoryLimitMiB};try{return noteOwner(context),new _Session(context,warnings,{...env},onSignal)}catch(error){throw await rm(tempDir,{recursive:!0,force:!0}),error}}catch(error){throw stopListening(onSignal),error}}async holdOpen(files){let earlier=this.#watchdog;this.#watchdog=startWatchdog(this.context,this.#env,files),await earlier[Symbol.asyncDispose]()}async endProcesses(){await sweepRun(this.context)}explain(error){let{tempDir}=this.context;return existsSync(join(tempDir,OWNER_FILE))||!(error instanceof Error)?error:new SetupError(`the run's temporary folder ${tempDir} was removed while it was in use (${error.message}); set TMPDIR to a folder that is not emptied during a run`)}async[Symbol.asyncDispose](){await this.endProcesses(),await this.#watchdog[Symbol.asyncDispose](),await rm(this.context.tempDir,{recursive:!0,force:!0}),stopListening(this.#onSignal)}};function stopListening(onSignal){for(let signal of SIGNALS)process.removeListener(signal,onSignal)}async function temporaryFolder(parent){try{return await mkdtemp(join(parent,FOLDER_PREFIX))}catch(error){throw new SetupError(`cannot make a temporary folder in ${parent}: ${messageOf(error)}; set TMPDIR to a folder that can be written`)}}import{readdir}from"node:fs/promises";import{join as join2}from"node:path";var ANSWER_TIMEOUT_SEC=20,QUESTIONS_AT_A_TIME=4,uvListSchema=array(object({key:string(),version:string(),path:nullable(string())}));async function findPythons(options,asked){let context=await openContext(options),uv=await provideUv(context),choices=new Map,found=await askAll(context,[...await onPath(context),...await inVersionFolders(context),...await knownToUv(context,uv)]);for(let python of found){let label=labelOf(python);choices.set(label,{label,request:python.executable})}for(let request of asked){let answer=await requestedPython(context,request,async()=>uv),label=answer.state==="found"?labelOf(answer.python):request;choices.set(label,{label,request:answer.state==="found"?answer.python.executable:request})}return[...choices.values()]}function labelOf({version,implementation}){let minor=/^\d+\.\d+/.exec(version)?.[0]??version;return`${implementation==="cpython"?"":implementation}${minor}${version.endsWith("t")?"t":""}`}async function onPath({env}){let path=await findOnPath("python3",env);return path===void 0?[]:[path]}async function inVersionFolders({env}){let paths=[];for(let{folder,below}of versionFolders(env)){let versions=(await readdir(folder).catch(()=>[])).filter(newEnough);for(let version of versions)for(let part of below===""?[""]:[below,`${below}-freethreaded`]){let path=join2(folder,version,part,"bin","python3");await isProgram(path)&&paths.push(path)}}return paths}async function knownToUv(context,uv){let output=await runTool(context,{step:"looking for Pythons",command:[uv.path,"python","list","--only-installed","--no-config","--output-format","json"],remedy:()=>"see the last lines of its output",timeoutSec:ANSWER_TIMEOUT_SEC}),list;try{list=parse(uvListSchema,JSON.parse(output))}catch(error){throw new SetupError(`uv python list gave an unexpected answer: ${messageOf(error)}`,output.slice(0,2e3))}return[...new Map(list.filter(({version})=>newEnough(version)).map(entry=>[entry.key,entry.path])).values()].filter(path=>path!==null)}function newEnough(version){let number=parseVersion(version);return number!==void 0&&isAtLeast(number,PYTHON_MINIMUM)}async function askAll(context,paths){let queue=[...[...new Set(paths)].entries()],answers=[],work=async()=>{for(let next=queue.shift();next!==void 0;next=queue.shift()){let[index,path]=next;try{let python=await askPython(context,path);newEnough(python.version)&&answers.push({index,python})}catch(error){context.run.signal.throwIfAborted(),context.progress.note(`${path} is not used: ${messageOf(error)}`)}}};return await Promise.all(Array.from({length:QUESTIONS_AT_A_TIME},work)),answers.sort((a,b)=>compare(a.python,b.python)||b.index-a.index),answers.map(({python})=>python)}function compare(a,b){let[one,other]=[a,b].map(({version})=>parseVersion(version)??version);return one===other?0:isAtLeast(one,other)?1:-1}export{findPythons,Session};
