import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{changesOf}from"./history-change-words.shared.js";import"./history-record.shared.js";import"./release-version.shared.js";import"./compare-comparable.shared.js";import{NOTHING,figure,html,rowNamer,signedPercent2 as signedPercent,verdictWord}from"./report-comparison-metric-text.shared.js";import"./report-text-escape.shared.js";import"./results-from-pairs.shared.js";import"./report-text-format.shared.js";import"./compare-looks.shared.js";import"./compare-metrics.shared.js";import"./errors.shared.js";import"./esbuild-runtime.2.js";import{createHash}from"node:crypto";var ENTRIES=200;function feedOf(history,repository){let changes=changesOf(history,repository).slice(0,ENTRIES),nameOf=rowNamer(history.rows),newest=Math.max(0,...history.runs.map(({startedAt})=>Date.parse(startedAt))),about=repository?.url.replace(/^https?:\/\//,"")??"Python web servers";return`<?xml version="1.0" encoding="utf-8"?>
${html`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${stableId(["feed",repository?.url??""])}</id>
<title>Benchmarks of ${about}: changes of level</title>
<updated>${new Date(newest).toISOString()}</updated>
<author><name>server-bench</name></author>
<link rel="alternate" type="text/html" href="index.html"/>
${changes.map(change=>entry(history,change,nameOf(change.row)))}</feed>
`.text.replace(/[\uFFFE\uFFFF]/g,"\uFFFD")}`}function entry(history,words,name){let{row,change,metric,range,address,cautions}=words,run=history.runs[change.run],at=new Date(run?.startedAt??0).toISOString(),size=`${metric} ${signedPercent(change.change)}`,levels=`${figure(change.metric,change.oldLevel)} before, ${figure(change.metric,change.newLevel)} after`,text=[`${name}: ${verdictWord(change.verdict)}. ${levels}, ${range}.`,...cautions,"The runs are of different days: measure both sides in pairs before you believe it."].join(" ");return html`<entry>
<id>${stableId([row.id,String(row.connections),change.metric,run?.id??""])}</id>
<title>${name}: ${size}</title>
<updated>${at}</updated>
<published>${at}</published>
<link rel="alternate" href="${address??"index.html"}"/>
${address===void 0?NOTHING:html`<link rel="related" href="index.html"/>`}
<summary>${text}</summary>
</entry>
`}function stableId(parts){let digest=createHash("sha256").update(JSON.stringify(["server-bench",...parts])).digest("hex");return`urn:uuid:${[digest.slice(0,8),digest.slice(8,12),`8${digest.slice(13,16)}`,`8${digest.slice(17,20)}`,digest.slice(20,32)].join("-")}`}export{feedOf};
