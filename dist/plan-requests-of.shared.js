import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);
function requestsOf({request,mix}){return mix??[{request,weight:1}]}export{requestsOf};
