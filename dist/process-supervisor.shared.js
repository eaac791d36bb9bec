import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{endProcesses,environHas,installerEnvironment,listProcesses,withDescendants}from"./process-environment.shared.js";import{minLength,object,optional,parse,pipe,regex,strictObject,string}from"./valibot.shared.js";import{homeFolder}from"./surroundings.shared.js";import{duration}from"./messages-duration.shared.js";import{SetupError,codeOf,messageOf}from"./errors.shared.js";import{randomBytes}from"node:crypto";import{mkdir,readdir,rename,rm,stat,writeFile}from"node:fs/promises";import{basename,dirname,join,resolve}from"node:path";function cacheRoot(env){if(env.SERVER_BENCH_CACHE)return resolve(env.SERVER_BENCH_CACHE);if(env.RUNNER_TOOL_CACHE)return resolve(env.RUNNER_TOOL_CACHE,"server-bench");if(env.XDG_CACHE_HOME)return resolve(env.XDG_CACHE_HOME,"server-bench");let home=homeFolder(env);if(home!==void 0)return join(home,".cache","server-bench");throw new SetupError(`there is no folder for the cache: user ${process.getuid?.()} has no home, and HOME is not set; set SERVER_BENCH_CACHE to a folder that can be written`)}async function openCache(env){let root=cacheRoot(env);try{await makeFolders(root);let probe=temporarySibling(join(root,"probe"));await writeFile(probe,""),await rm(probe,{force:!0})}catch(error){throw new SetupError(`cannot write the cache ${root}: ${messageOf(error)}; set SERVER_BENCH_CACHE to a folder that can be written`)}return root}async function makeFolders(path){await isFolder(path)||(dirname(path)!==path&&await makeFolders(dirname(path)),await mkdir(path).catch(async error=>{if(!await isFolder(path))throw error}))}async function isFolder(path){return(await stat(path).catch(()=>{}))?.isDirectory()??!1}function temporarySibling(path){return`${path}.tmp-${process.pid}-${randomBytes(4).toString("hex")}`}async function writeFileAtomic(path,content){let temporary=temporarySibling(path);try{await writeFile(temporary,content),await rename(temporary,path)}catch(error){throw await rm(temporary,{force:!0}),error}}async function publishFolder(temporary,path){await removeFolder(path),await rename(temporary,path)}async function removeFolder(path){let doomed=temporarySibling(path);try{await rename(path,doomed)}catch(error){if(codeOf(error)==="ENOENT")return;throw error}await discard(doomed)}async function removeLeftovers(path){let prefix=`${basename(path)}.tmp-`,names=await readdir(dirname(path)).catch(()=>[]);for(let name of names)name.startsWith(prefix)&&await discard(join(dirname(path),name))}async function discard(path){await rm(path,{recursive:!0,force:!0}).catch(()=>{})}import{mkdir as mkdir2,writeFile as writeFile2}from"node:fs/promises";import{join as join3}from"node:path";import{constants}from"node:fs";import{access,stat as stat2}from"node:fs/promises";import{dirname as dirname2,join as join2}from"node:path";async function withUvCache(env,cache){if(env.UV_CACHE_DIR)return env;let home=homeFolder(env),folder=env.XDG_CACHE_HOME||home&&join2(home,".cache");return folder&&await canMake(join2(folder,"uv"))?env:{...env,UV_CACHE_DIR:join2(cache,"uv-cache")}}async function canMake(folder){let found=await stat2(folder).catch(()=>{});return found===void 0&&dirname2(folder)!==folder?await canMake(dirname2(folder)):found?.isDirectory()?await access(folder,constants.W_OK|constants.X_OK).then(()=>!0,()=>!1):!1}async function openContext(options){let cache=await openCache(options.env);return await endSearchForSettings(options.run.tempDir),{...options,cache,env:await withUvCache(options.env,cache)}}async function endSearchForSettings(tempDir){await mkdir2(tempDir,{recursive:!0}),await writeFile2(join3(tempDir,"uv.toml"),"")}function secondsSince(startedMs){return(performance.now()-startedMs)/1e3}import{constants as constants2}from"node:fs";import{access as access2,stat as stat3}from"node:fs/promises";import{delimiter,isAbsolute,join as join4}from"node:path";async function findOnPath(program,env){for(let folder of(env.PATH??"").split(delimiter)){if(!isAbsolute(folder))continue;let path=join4(folder,program);if(await isProgram(path))return path}}async function isProgram(path){try{return await access2(path,constants2.X_OK),(await stat3(path)).isFile()}catch{return!1}}import{spawn}from"node:child_process";import{randomUUID}from"node:crypto";import{once}from"node:events";import{createWriteStream}from"node:fs";import{mkdir as mkdir3}from"node:fs/promises";import{join as join5}from"node:path";import{finished}from"node:stream/promises";import{setTimeout as delay}from"node:timers/promises";import{stripVTControlCharacters}from"node:util";var SUBREAPER=`
import os, signal, sys, time

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def stat_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        text = file.read()
    return text[text.rindex(b")") + 2 :].split()


def descendants():
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = stat_of(name)
        except (OSError, ValueError):
            continue
        if fields[0] not in (b"Z", b"X"):
            children.setdefault(int(fields[1]), []).append(int(name))
    found = list(children.get(os.getpid(), []))
    for pid in found:
        found.extend(children.get(pid, []))
    return found
`,FIX_ADDRESSES=`
# From linux/personality.h.
ADDR_NO_RANDOMIZE = 0x0040000
PERSONALITY_QUERY = 0xFFFFFFFF


def limits_reserved_memory():
    """A thread reserves as much as the limit of the stack. Where that is limited, threads could not be started."""
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        return True
    try:
        with open("/proc/sys/vm/overcommit_memory") as file:
            return file.read().strip() == "2"
    except OSError:
        return False


def fix_addresses(stack_bytes):
    """
    Whether what this process executes from now on has the same addresses each time. Without randomisation the limit of the stack
    decides where libraries are (mmap_base in arch/x86/mm/mmap.c and mm/util.c of Linux).
    """
    import ctypes, resource

    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    personality = ctypes.CDLL(None, use_errno=True).personality
    given = personality(ctypes.c_ulong(PERSONALITY_QUERY))
    # Container runtimes refuse it, and a service may have a lower hard limit.
    if given == -1 or (hard != resource.RLIM_INFINITY and hard < stack_bytes) or limits_reserved_memory():
        return False
    if personality(ctypes.c_ulong(given | ADDR_NO_RANDOMIZE)) == -1:
        return False
    resource.setrlimit(resource.RLIMIT_STACK, (stack_bytes, hard))
    return True
`,SUPERVISOR=`
${SUBREAPER}
${FIX_ADDRESSES}
import json, select

CONTROL = 3
TERM_SECONDS = 0.5
KILL_SECONDS = 5
MOVE_PASSES = 10
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


def say(*words):
    try:
        os.write(CONTROL, (" ".join(map(str, words)) + "\\n").encode())
    except OSError:
        pass


def read_order():
    order = b""
    while not order.endswith(b"\\n"):
        piece = os.read(CONTROL, 65536)
        if not piece:
            sys.exit(0)
        order += piece
    return json.loads(order)


def close_files():
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            pass


def start(order):
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        for number in IGNORED + PYTHONS_OWN:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        close_files()
        os.setsid()
        os.chdir(order["cwd"])
        os.execvpe(order["command"][0], order["command"], order["env"])
    except OSError as error:
        os.write(2, f"cannot start {order['command'][0]}: {error.strerror}\\n".encode())
    finally:
        os._exit(127)


def reap(server):
    """Whether processes are left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if pid != server:
            continue
        if os.WIFSIGNALED(status):
            say("signal", os.WTERMSIG(status))
        else:
            say("exit", os.WEXITSTATUS(status))


def end_all(server):
    begun = time.monotonic()
    number = signal.SIGTERM
    while reap(server) and time.monotonic() < begun + KILL_SECONDS:
        for pid in descendants() if number else []:
            try:
                os.kill(pid, number)
            except OSError:
                pass
        number = signal.SIGKILL if time.monotonic() > begun + TERM_SECONDS else None
        time.sleep(0.02)


def cpus_of_threads():
    """Parents come before their children: what they start from then on inherits their CPUs."""
    for pid in [os.getpid(), *descendants()]:
        try:
            threads = list(map(int, os.listdir(f"/proc/{pid}/task")))
        except OSError:
            continue
        for thread in threads:
            try:
                yield thread, os.sched_getaffinity(thread)
            except ProcessLookupError:
                pass


def move(cpus):
    given = os.sched_getaffinity(0)
    # The other side's server keeps the CPUs that it has chosen itself, so this one must keep them too.
    if any(own not in (given, cpus) for _, own in cpus_of_threads()):
        return say("unmoved", "it has chosen its CPUs itself")
    # A thread may start another one between two looks at it.
    for _ in range(MOVE_PASSES):
        moved = True
        for thread, own in cpus_of_threads():
            if own == cpus:
                continue
            moved = False
            try:
                os.sched_setaffinity(thread, cpus)
            except ProcessLookupError:
                pass
        if moved:
            return say("moved")
    say("unmoved", "its threads do not stay where they are moved to")


def obey(words):
    for line in words.decode().splitlines():
        order, _, cpus = line.partition(" ")
        if order == "move":
            try:
                move(set(map(int, cpus.split(","))))
            # Some Pythons do not know CPUs: the server must live on.
            except Exception as error:
                say("unmoved", error)


def supervise(server, wakeup):
    poll = select.poll()
    poll.register(CONTROL, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    while reap(server):
        for file, _ in poll.poll():
            if file == wakeup:
                os.read(wakeup, 4096)
            else:
                try:
                    words = os.read(CONTROL, 4096)
                except OSError:
                    words = b""
                if not words:
                    return end_all(server)
                obey(words)


def main():
    os.set_inheritable(CONTROL, False)
    order = read_order()
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    wakeup, notify = os.pipe()
    os.set_blocking(notify, False)
    signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        become_subreaper()
        stack_bytes = order.get("stackBytes")
        fixed = stack_bytes is not None and fix_addresses(stack_bytes)
        server = start(order)
        say("started", server, stat_of(server)[19].decode(), "fixed" if fixed else "drawn")
    except (ImportError, OSError) as error:
        return say("failed", error)
    supervise(server, wakeup)


main()
`;var KEEPER=`${SUBREAPER}
TERM_SECONDS = 0.5
KILL_SECONDS = 5
PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ)


def end_all():
    begun = time.monotonic()
    while time.monotonic() < begun + KILL_SECONDS:
        number = signal.SIGKILL if time.monotonic() > begun + TERM_SECONDS else signal.SIGTERM
        for pid in descendants():
            try:
                os.kill(pid, number)
            except OSError:
                pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            ended[pid] = status
        time.sleep(0.01)


def end_at_term(*_):
    end_all()
    os._exit(143)


def end_like(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


ended = {}
tool = sys.argv[1:]
for number in PYTHONS_OWN:
    signal.signal(number, signal.SIG_DFL)
try:
    become_subreaper()
except (ImportError, AttributeError, OSError):
    os.execv(tool[0], tool)
own = os.fork()
if own == 0:
    os.execv(tool[0], tool)
# Ctrl-C reaches the tool too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, end_at_term)
while own not in ended:
    pid, status = os.waitpid(-1, 0)
    ended[pid] = status
end_all()
end_like(ended[own])
`;function kept(python,[program,...args]){return[python,"-I","-S","-c",KEEPER,program,...args]}function startLimit(ms,onEnd){let timer,start2=()=>{let due=performance.now()+ms;timer=setTimeout(()=>performance.now()-due>1e3?start2():onEnd(),ms)};return start2(),()=>clearTimeout(timer)}async function limitOver(ms,signal){signal.aborted||await new Promise(resolve3=>{let end=startLimit(ms,resolve3);signal.addEventListener("abort",()=>{end(),resolve3()})})}var RunningTime=class{#longestMs;#readAt=performance.now();#ms=0;constructor(longestMs){this.#longestMs=longestMs}read(){let now=performance.now();return this.#ms+=Math.min(now-this.#readAt,this.#longestMs),this.#readAt=now,this.#ms}};var TOOL_MARKER="SERVER_BENCH_TOOL";async function endTool(marker){await endProcesses(()=>{let all=listProcesses(),marked=all.filter(({pid})=>environHas(pid,`${TOOL_MARKER}=${marker}`));return withDescendants(all,marked)})}var LIMIT_SEC=3600,LAST_LINES=25,LONGEST_LINE=500,LONGEST_WORD=200,STDOUT_MAX_BYTES=4*1024*1024,LOG_MAX_BYTES=64*1024*1024,LINE_MAX_CHARACTERS=64*1024,OUTPUT_GRACE_MS=1e4,ABORT_GRACE_MS=50,NO_QUESTIONS={GIT_TERMINAL_PROMPT:"0"},ToolError=class extends SetupError{exitCode;constructor(message,log,exitCode){super(message,log),this.exitCode=exitCode}},LimitError=class extends Error{remedy;constructor(message,remedy){super(message),this.remedy=remedy}};async function runTool(context,tool){let{signal,tempDir}=context.run;signal.throwIfAborted(),await mkdir3(tempDir,{recursive:!0});let logFile=tool.logFile??join5(tempDir,`${tool.step.replace(/[^\w.-]+/g,"-")}.log`),output=collectOutput(logFile,tool.onLine),ended=new AbortController,marker=randomUUID(),exitCode;try{let limits=[rejectOnAbort(signal,ended.signal),rejectAfter(tool,ended.signal)],code=await Promise.race([start(context,tool,output,marker),...limits]);if(exitCode=code??void 0,code===null||!(tool.exitCodes??[0]).includes(code))throw new Error(code===null?"was killed by a signal":`ended with exit code ${code}`);return output.stdout()}catch(error){error instanceof LimitError&&await endTool(marker),await delay(ABORT_GRACE_MS),signal.throwIfAborted();let log=output.lastLines(),remedy=error instanceof LimitError&&error.remedy||tool.remedy(log),message=`${tool.step}: ${quoteCommand(tool.command)} ${messageOf(error)}; ${remedy}`;throw new ToolError(redact(message),log,exitCode)}finally{ended.abort(),await output.close()}}async function start(context,tool,output,marker){let[program,...args]=tool.command,path=program.includes("/")?program:await findOnPath(program,context.env);if(path===void 0)throw new Error("is not on PATH");if(!await isProgram(path))throw new Error("is not there, or is not a program");let argv=[path,...args],[first,...others]=tool.keeper===void 0?argv:kept(tool.keeper,argv),child=spawn(first,others,{cwd:tool.cwd??context.run.tempDir,env:installerEnvironment(context.env,context.run.id,{...NO_QUESTIONS,...tool.env,[TOOL_MARKER]:marker}),stdio:["ignore","pipe","pipe"]});if(child.pid===void 0)throw(await once(child,"error"))[0];return child.stdout.on("data",output.onStdout),child.stderr.on("data",output.onStderr),await endOf(child)}async function endOf(child){let closed=once(child,"close").catch(()=>{}),[code]=await once(child,"exit"),over=new AbortController;return await Promise.race([closed,delay(OUTPUT_GRACE_MS,void 0,{signal:over.signal}).catch(()=>{})]),over.abort(),code}function collectOutput(path,onLine){let file=createWriteStream(path,{flags:"a"});file.on("error",()=>{});let last=[],chunks=[],bytes=0,logged=0,log=data=>{logged<LOG_MAX_BYTES&&file.write(data),logged+=data.length},keep=raw=>{let line=redact(stripVTControlCharacters(raw).trimEnd());line.trim()!==""&&(onLine?.(line),!isProgressBar(line)&&(last.push(line.length>LONGEST_LINE?`${line.slice(0,LONGEST_LINE)} ...`:line),last.length>LAST_LINES&&last.shift()))},[outLines,errLines]=[lineSplitter(keep),lineSplitter(keep)];return{onStdout:data=>{log(data),bytes+=data.length,bytes<=STDOUT_MAX_BYTES&&chunks.push(data),outLines.push(data)},onStderr:data=>{log(data),errLines.push(data)},stdout:()=>Buffer.concat(chunks).toString("utf8"),lastLines:()=>(outLines.flush(),errLines.flush(),last.join(`
`)),close:async()=>{file.end(),await finished(file).catch(()=>{})}}}function lineSplitter(onLine){let decoder=new TextDecoder,rest="";return{push:data=>{let lines=(rest+decoder.decode(data,{stream:!0})).split(/[\r\n]/);rest=lines.pop()??"";for(let line of lines)onLine(line);rest.length<=LINE_MAX_CHARACTERS||(onLine(rest),rest="")},flush:()=>{rest!==""&&onLine(rest),rest=""}}}function isProgressBar(line){return/\[=*>? *\]\s+\d+\/\d+/.test(line)}function redact(text){return text.replace(/\/\/[^/\s@]+@/g,"//***@")}function quoteCommand(command){return`\`${command.map(word=>{let line=(word.length>LONGEST_WORD?`${word.slice(0,LONGEST_WORD)}...`:word).replace(/\s+/g," ");return/^[\w@%+=:,./~-]+$/.test(line)?line:`'${line.replaceAll("'","'\\''")}'`}).join(" ")}\``}function rejectOnAbort(signal,ended){return new Promise((_,reject)=>{let abort=()=>reject(signal.reason);signal.addEventListener("abort",abort,{once:!0}),ended.addEventListener("abort",()=>signal.removeEventListener("abort",abort),{once:!0})})}function rejectAfter({timeoutSec,limitSec=LIMIT_SEC},ended){let error=timeoutSec===void 0?new LimitError(`did not end within ${limitText(limitSec)} and was ended`,"the last lines of its output show what it was doing: run it by hand to see what it waits for"):new LimitError(`gave no answer within ${timeoutSec} s`);return new Promise((_,reject)=>{let endLimit=startLimit((timeoutSec??limitSec)*1e3,()=>reject(error));ended.addEventListener("abort",endLimit,{once:!0})})}function limitText(seconds){return seconds<1?`${seconds} s`:duration(seconds)}function parseVersion(text){return/\b\d+\.\d+(?:\.\d+)*/.exec(text)?.[0]}function isAtLeast(version,minimum){let[have,need]=[version,minimum].map(text=>text.split(".").map(Number));for(let[index,least]of(need??[]).entries()){let part=have?.[index]??0;if(part!==least)return part>least}return!0}import{mkdir as mkdir6,writeFile as writeFile4}from"node:fs/promises";import{basename as basename2,dirname as dirname4,join as join9}from"node:path";import{spawn as spawn2}from"node:child_process";import{once as once2}from"node:events";import{mkdir as mkdir4,readFile,writeFile as writeFile3}from"node:fs/promises";import{dirname as dirname3,join as join6}from"node:path";import{setTimeout as delay2}from"node:timers/promises";var LONGEST_WAIT_MS=(LIMIT_SEC+900)*1e3,HOLDER_POLL_MS=20,HOLDER_POLLS=25,TAKEN=1;function lockPath(cache,name){return join6(cache,"locks",`${name}.lock`)}async function withLock(path,options,work){options.signal.throwIfAborted(),await mkdir4(dirname3(path),{recursive:!0});let keeper=await takeAtOnce(path,options)??await waitFor(path,options);try{return await writeFile3(path,`${process.pid}
`),await work()}finally{await writeFile3(path,"").catch(()=>{}),await release(keeper)}}function describeHolder({pid},what){return`waiting for ${pid===void 0?"another process":`process ${pid}`}, which ${what}`}async function takeAtOnce(path,{signal}){return take(path,["-n"],signal)}async function waitFor(path,{signal,onWait}){let holder=await holderOf(path);onWait?.(holder);let limit=AbortSignal.timeout(LONGEST_WAIT_MS),keeper=await take(path,[],AbortSignal.any([signal,limit])).catch(error=>{if(signal.throwIfAborted(),!limit.aborted)throw error;let who=holder.pid===void 0?"the process":`process ${holder.pid}`;throw new SetupError(`waited ${LONGEST_WAIT_MS/6e4} minutes for ${who} that holds ${path}; end it`)});if(keeper===void 0)throw new SetupError(`flock gave up waiting for ${path}`);return keeper}async function holderOf(path){for(let poll=0;poll<HOLDER_POLLS;poll++){let pid=Number.parseInt(await readFile(path,"utf8").catch(()=>""),10);if(pid>0)return{pid};await delay2(HOLDER_POLL_MS)}return{pid:void 0}}async function take(path,options,signal){let keeper=spawn2("flock",["-x",...options,path,"cat"],{stdio:["pipe","pipe","ignore"],env:{PATH:process.env.PATH},detached:!0});if(keeper.pid===void 0)throw cannotLock(path,messageOf((await once2(keeper,"error"))[0]));keeper.stdin.on("error",()=>{}),keeper.stdin.write(`held
`);let abort=()=>{keeper.kill()};signal.addEventListener("abort",abort,{once:!0}),signal.aborted&&abort();try{return await new Promise((resolve3,reject)=>{keeper.once("error",error=>reject(cannotLock(path,error.message))),keeper.once("exit",code=>{signal.aborted?reject(signal.reason):code===TAKEN?resolve3(void 0):reject(cannotLock(path,`flock ended with exit code ${code}`))}),keeper.stdout.once("data",()=>resolve3(keeper))})}finally{signal.removeEventListener("abort",abort)}}async function release(keeper){keeper.exitCode!==null||keeper.signalCode!==null||await new Promise(resolve3=>{keeper.once("exit",()=>resolve3()),keeper.stdin.end()})}function cannotLock(path,reason){return new SetupError(`cannot lock ${path}: ${reason}; flock is needed on PATH (apt-get install util-linux), on a file system that has locks`)}import{createHash}from"node:crypto";import{createReadStream}from"node:fs";import{chmod,mkdir as mkdir5,readFile as readFile2,rename as rename2}from"node:fs/promises";import{join as join7}from"node:path";import{pipeline}from"node:stream/promises";var MANIFEST="manifest.json",RELEASE="https://",manifestSchema=strictObject({name:string(),version:string(),sha256:pipe(string(),regex(/^[0-9a-f]{64}$/)),origin:string()});async function cachedBinary(context,{folder,name,digests}){let path=join7(folder,name);if(!await isProgram(path))return;let refusal;try{let manifest=parse(manifestSchema,JSON.parse(await readFile2(join7(folder,MANIFEST),"utf8"))),found=await sha256OfFile(path),pinned=digests.includes(found);if(found!==manifest.sha256)refusal=`its SHA-256 is ${found}, and ${manifest.sha256} was recorded when it was installed`;else if(!pinned&&manifest.origin.startsWith(RELEASE))refusal=`its SHA-256 is ${found}, which is not that of ${manifest.origin}`;else return{tool:{path,version:manifest.version},pinned}}catch(error){refusal=`its ${MANIFEST} cannot be used: ${messageOf(error)}`}await refuseCached(context,path,folder,refusal)}async function refuseCached(context,path,folder,refusal){await removeFolder(folder),context.progress.note(`${path} was refused and removed: ${refusal}; installing it again`)}async function publishBinary(source,folder,binary){let temporary=temporarySibling(folder);try{await mkdir5(temporary,{recursive:!0});let path=join7(temporary,binary.name);await rename2(source,path),await chmod(path,493);let{name,version,origin}=binary,manifest={name,version,sha256:await sha256OfFile(path),origin};return await binary.check(path),await writeFileAtomic(join7(temporary,MANIFEST),`${JSON.stringify(manifest,void 0,2)}
`),await publishFolder(temporary,folder),{path:join7(folder,binary.name),version}}catch(error){throw await discard(temporary),error}}async function sha256OfFile(path){let hash=createHash("sha256");return await pipeline(createReadStream(path),hash),hash.digest("hex")}import{readdir as readdir2,stat as stat4}from"node:fs/promises";import{join as join8}from"node:path";var MIB=1024*1024;function mebibytes(bytes){return`${(bytes/MIB).toFixed(1)} MiB`}async function folderBytes(folder){let files=(await readdir2(folder,{recursive:!0,withFileTypes:!0})).filter(entry=>entry.isFile());return(await Promise.all(files.map(async file=>(await stat4(join8(file.parentPath,file.name))).size))).reduce((sum,size)=>sum+size,0)}var VERSION_TIMEOUT_SEC=10;async function printedVersion(context,name,path){let version=parseVersion(await versionOutput(context,name,path));if(version===void 0)throw new SetupError(`${path} --version prints no version`);return version}async function versionOutput(context,name,path){return await runTool(context,{step:`asking ${name} for its version`,command:[path,"--version"],remedy:()=>"it does not run on this machine",timeoutSec:VERSION_TIMEOUT_SEC})}var UV_MINIMUM="0.11.12",UV_VERSION="0.13.8",UV_WHEELS=["e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984","29451c60f5e8b07403e0a175d5229efc36b0289b34143ff4aaa499a5dd52553a","5337c30bb893b4f9ce0ceb921ba2da0d13f649da644f40ad3bef84083bef0203","0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d","b7124ca1956ec2e476a1003ea5715a15f0266afaec37f4dc9c6972ba8183e6d1","62b6943c7fd64fac6854f780bea6e0359e5a5bc3241f83ee357bb38276afac49"],UV_PROGRAMS=["4a7607589912d9c20e86b860b032f7c7f2913c9a3e76f46aef136885387452b8","a880db7f5f6745b5ec80aa6ccafdce06ddab1434013b55c62bb2fded1e2f9cb5","71a9af4238e9e139a3c185e0a010edd293e9ced3fc158bb544725b3d28d58b29","5aa4427bd923cfdca2d56a3577f60d8fa7825aa3b496fef975dfd6f03db57d28","afdbf4b93ab474668f8ad99da2fb7fb6562c020a4bbd860e9b1909181498b1b6","f98066c132dc37b83a8861f9b538d732b5aad41d3b3a69e47abf27cdaef842a9"],STEP=`uv ${UV_VERSION}`,ELSEWHERE="or put uv on PATH (https://docs.astral.sh/uv/getting-started/installation/)";async function uvOnPath(context){let path=await findOnPath("uv",context.env);if(path!==void 0)try{let version=await printedVersion(context,"uv",path);if(isAtLeast(version,UV_MINIMUM))return{path,version};context.progress.note(`${path} is uv ${version}, older than ${UV_MINIMUM}; using ${UV_VERSION} from the cache instead`)}catch(error){context.run.signal.throwIfAborted(),context.progress.note(`${path} is not used: ${messageOf(error)}`)}}async function provideUv(context,digests=UV_PROGRAMS){let installed=await uvOnPath(context);if(installed!==void 0)return installed;let folder=join9(context.cache,"uv",`${UV_VERSION}-${process.platform}-${process.arch}`),onWait=holder=>context.progress.note(describeHolder(holder,`installs uv into ${folder}`));return withLock(lockPath(context.cache,`uv-${basename2(folder)}`),{signal:context.run.signal,onWait},async()=>{let cached=await cachedBinary(context,{folder,name:"uv",digests});return cached?.pinned?cached.tool:(cached!==void 0&&await refuseCached(context,cached.tool.path,folder,`it is not the program of uv ${UV_VERSION}'s wheels`),installUv(context,folder))})}async function installUv(context,folder){let python=await findOnPath("python3",context.env);if(python===void 0)throw new SetupError(`uv makes the Python environments, and neither uv nor python3 is on PATH: apt-get install python3 python3-pip, ${ELSEWHERE}`);let started=performance.now();context.progress.started(STEP),await mkdir6(dirname4(folder),{recursive:!0}),await removeLeftovers(folder);let staging=temporarySibling(folder);try{await pipInstall(context,python,staging);let tool=await publishBinary(join9(staging,"bin","uv"),folder,{name:"uv",version:UV_VERSION,origin:`pip install uv==${UV_VERSION}`,check:async path=>{await printedVersion(context,"uv",path)}}),detail=mebibytes(await folderBytes(folder));return context.progress.finished(STEP,{seconds:secondsSince(started),detail,reused:!1}),tool}catch(error){throw context.run.signal.throwIfAborted(),context.progress.failed(STEP,messageOf(error)),error}finally{await discard(staging)}}async function pipInstall(context,python,target){await mkdir6(context.run.tempDir,{recursive:!0});let requirements=join9(context.run.tempDir,"uv-requirements.txt"),hashes=UV_WHEELS.map(sha256=>` --hash=sha256:${sha256}`).join("");await writeFile4(requirements,`uv==${UV_VERSION}${hashes}
`),await runTool(context,{step:`installing ${STEP}`,command:[python,"-m","pip","install","--no-input","--disable-pip-version-check","--no-deps","--only-binary",":all:","--require-hashes","--target",target,"--requirement",requirements],env:{PIP_USER:"0",PIP_REQUIRE_VIRTUALENV:"0",PIP_ROOT_USER_ACTION:"ignore"},remedy:pipRemedy})}function pipRemedy(log){return/No module named pip/.test(log)?`pip is missing: apt-get install python3-pip, ${ELSEWHERE}`:/DO NOT MATCH THE HASHES/.test(log)?`the index serves another uv ${UV_VERSION}: check the index, ${ELSEWHERE}`:/No matching distribution|Could not find a version|Connection|Temporary failure/i.test(log)?`check the network and the index that pip is configured for (PIP_INDEX_URL), ${ELSEWHERE}`:`see the last lines of its output, ${ELSEWHERE}`}import{readdir as readdir3}from"node:fs/promises";import{isAbsolute as isAbsolute2,join as join10,resolve as resolve2}from"node:path";var PYTHON_MINIMUM="3.10",ANSWER_TIMEOUT_SEC=20,pythonSchema=object({executable:pipe(string(),minLength(1)),version:string(),implementation:optional(string(),"cpython")}),QUESTION=["import json, platform, sys, sysconfig",'free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""','executable = getattr(sys, "_base_executable", None) or sys.executable',"name = sys.implementation.name",'print(json.dumps({"executable": executable, "version": platform.python_version() + free, "implementation": name}))'].join("; ");async function defaultPython(context){let path=await findOnPath("python3",context.env);if(path===void 0)return pythonOfUv(context);let python=await askPython(context,path);if(isAtLeast(python.version,PYTHON_MINIMUM))return python;throw new SetupError(`python3 on PATH (${python.executable}) is ${python.version}, and the servers need ${PYTHON_MINIMUM} or newer: put a newer python3 first on PATH, or choose an installed one (--python, in the action the input python)`)}async function pythonOfUv(context){let uv=await uvOnPath(context),found=uv&&await findWithUv(context,uv,`>=${PYTHON_MINIMUM}`).catch(()=>{});if(context.run.signal.throwIfAborted(),found!==void 0)return askPython(context,found);throw new SetupError(`no Python: there is no python3 on PATH; apt-get install python3 python3-pip (${PYTHON_MINIMUM} or newer), or \`uv python install\` with uv on PATH`)}async function requestedPython(context,request,uv){try{if(request.includes("/"))return{state:"found",python:await askPython(context,resolve2(request))};let installed=await findInstalled(context,request);if(installed!==void 0)return{state:"found",python:await askPython(context,installed)};let tool=await toolOrFailure(context,uv);return"state"in tool?{...tool,reason:`Python ${request} is looked for with uv, which could not be installed: ${tool.reason}`}:{state:"found",python:await askPython(context,await findWithUv(context,tool,request))}}catch(error){context.run.signal.throwIfAborted();let cause=error instanceof SetupError&&error.log.split(`
`).find(line=>line.trim()!=="")||messageOf(error);return{state:"skipped",reason:`Python ${request} is not there (${cause.trim()}); ${pythonRemedy(request)}`}}}function pythonRemedy(request){return request.includes("/")?"give the path of a Python":isTooOld(request)?`servers need Python ${PYTHON_MINIMUM} or newer`:`\`uv python install ${request}\` installs it`}function isTooOld(request){if(!/^\d+(\.\d+)*t?$/.test(request))return!1;let parts=request.replace("t","").split(".");return!isAtLeast(parts.join("."),PYTHON_MINIMUM.split(".").slice(0,parts.length).join("."))}async function toolOrFailure({run},uv){try{return await uv()}catch(error){return run.signal.throwIfAborted(),{state:"failed",reason:messageOf(error),log:error instanceof SetupError?error.log:""}}}function versionFolders(env){let home=homeFolder(env),pyenv=env.PYENV_ROOT||home&&join10(home,".pyenv");return[...env.RUNNER_TOOL_CACHE?[{folder:join10(env.RUNNER_TOOL_CACHE,"Python"),below:process.arch}]:[],...pyenv?[{folder:join10(pyenv,"versions"),below:""}]:[]]}async function findInstalled({env},request){if(/^\d+\.\d+(\.\d+)?$/.test(request))for(let{folder,below}of versionFolders(env)){let versions=(await readdir3(folder).catch(()=>[])).filter(name=>/^[\d.]+$/.test(name)&&`${name}.`.startsWith(`${request}.`));versions.sort((a,b)=>isAtLeast(a,b)?-1:1);for(let version of versions){let path=join10(folder,version,below,"bin","python3");if(await isProgram(path))return path}}}async function findWithUv(context,uv,request){let path=(await runTool(context,{step:`looking for Python ${request}`,command:[uv.path,"python","find","--system","--no-project","--no-config","--",request],remedy:log=>log.split(`
`)[0]??"",timeoutSec:ANSWER_TIMEOUT_SEC})).trim();if(!isAbsolute2(path))throw new SetupError(`uv python find ${request} answered ${JSON.stringify(path)}, not a path`);return path}async function askPython(context,path){let step=`asking ${path} for its version`,output=await runTool(context,{step,command:[path,"-I","-S","-c",QUESTION],remedy:()=>`a Python ${PYTHON_MINIMUM} or newer is needed there`,timeoutSec:ANSWER_TIMEOUT_SEC});try{return parse(pythonSchema,JSON.parse(output))}catch(error){throw new SetupError(`${step}: unexpected answer ${JSON.stringify(output.slice(0,200))}: ${messageOf(error)}`)}}export{cacheRoot,temporarySibling,writeFileAtomic,removeFolder,removeLeftovers,discard,openContext,secondsSince,findOnPath,isProgram,FIX_ADDRESSES,SUPERVISOR,startLimit,limitOver,RunningTime,ToolError,runTool,redact,lockPath,withLock,describeHolder,cachedBinary,refuseCached,publishBinary,mebibytes,folderBytes,parseVersion,isAtLeast,printedVersion,versionOutput,provideUv,PYTHON_MINIMUM,defaultPython,requestedPython,versionFolders,askPython};
