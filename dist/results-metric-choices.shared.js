import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
var METRIC_CHOICES=["throughput","cpu","latency","instructions","memory"];export{METRIC_CHOICES};
