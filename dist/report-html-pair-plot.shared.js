import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
import{rowLogs}from"./compare-pairs.shared.js";import{drawing,furtherRounds,gridLines,line,linearScale,mark,tickLabels,ticksOf}from"./report-html-style.shared.js";import{Markup,NOTHING,escapeMarkup,html,metricNamed}from"./report-comparison-metric-text.shared.js";import{plural}from"./messages-sentence.shared.js";import{decimals,rate}from"./report-text-format.shared.js";import{PAIRED_METRICS}from"./compare-metrics.shared.js";import{createHash}from"node:crypto";function pageText({title,style,script,head,body,data}){return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(style,script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${head?html`${head}\n`:""}<style>${new Markup(style)}</style>
</head>
<body>
${body}
${data?html`${data}\n`:""}${script===void 0?"":html`<script>${new Markup(script)}</script>\n`}</body>
</html>
`.text}function policy(style,script){return["default-src 'none'",`style-src ${sha256(style)}`,...script===void 0?[]:[`script-src ${sha256(script)}`],"base-uri 'none'","form-action 'none'"].join("; ")}function sha256(text){return`'sha256-${createHash("sha256").update(text).digest("base64")}'`}function unbroken(text){return new Markup(escapeMarkup(text).replaceAll(" %","&nbsp;%"))}var LINE=15,TOP=4,AXIS=22,TICKS=4,PADDING=.08;function pairFigures(row,name){let{recorded=[]}=row,metric=PAIRED_METRICS.find(one=>one.name===name);if(!metric)return furtherRounds(row,name);let factor=name==="cpuPerRequest"?1e6:1;return rowLogs(recorded,metric).map(({base,head})=>({base:Math.exp(base)*factor,head:Math.exp(head)*factor}))}function pairPlot(row,rowName,name){let metric=metricNamed(name),pairs=pairFigures(row,name);if(!metric||pairs.length===0)return NOTHING;let values=pairs.flatMap(({base,head})=>[base,head]),[low,high]=[Math.min(...values),Math.max(...values)],space=(high-low||high||1)*PADDING,scale=linearScale(low-space,high+space),ticks=ticksOf(scale,TICKS),height=TOP+pairs.length*LINE,counted=`In ${pairs.filter(({base,head})=>head>base).length} of ${plural(pairs.length,"pair")} head has the higher figure.`,caption=`${capital(metric.title)} of each pair, in ${metric.unit}; ${metric.better} is better.`;return html`<figure class="pairs"><figcaption>${caption} <span class="key">${keyMark("base")} base ${keyMark("head")} head</span></figcaption>${drawing("plot",height+AXIS,`${rowName}: ${caption} ${counted}`,[...gridLines(scale,ticks,height),...pairs.flatMap(({base,head},i)=>{let y=TOP+(i+.5)*LINE;return[line("join",[scale.at(base),y],[scale.at(head),y]),mark("base",scale.at(base),y),mark("head",scale.at(head),y)]}),...tickLabels(scale,ticks,height+16,tickText)])}</figure>`}function keyMark(side){return html`<svg class="glyph" viewBox="-8 -8 16 16" aria-hidden="true"><use href="#m-${side}"/></svg>`}function tickText(value){return value>=1e3?rate(value):decimals(value,3)}function capital(text){return text.charAt(0).toUpperCase()+text.slice(1)}export{pairFigures,pairPlot,tickText,capital,pageText,unbroken};
