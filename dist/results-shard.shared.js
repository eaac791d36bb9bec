import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
function shardName({index,of}){return`${index}/${of}`}function artifactName({index,of}){return`${index}-of-${of}`}export{shardName,artifactName};
