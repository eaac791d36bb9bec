import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
var METRIC_CHOICES=["throughput","cpu","latency","instructions","memory"];function shardName({index,of}){return`${index}/${of}`}function artifactName({index,of}){return`${index}-of-${of}`}export{METRIC_CHOICES,shardName,artifactName};
