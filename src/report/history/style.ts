/** What the page of a history has beyond the style of a run's page. */
import { STYLE } from "../html/style.js";

const TRENDS = `
svg.spark{display:block;width:180px;height:32px;overflow:visible}.spark path{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round;vector-effect:none}
.spark path.suspect-worse,.spark path.suspect-better{stroke-width:4;stroke-dasharray:8 6;stroke-linecap:butt}.spark .lone{stroke-width:8}.spark circle{stroke:none;fill:var(--text)}
.rows td,.rows th{vertical-align:middle}.rows th[scope=row]{white-space:normal;min-width:9rem;max-width:22rem}.rows .since{white-space:normal;min-width:11rem;max-width:24rem}
.changes th[scope=row]{white-space:normal;min-width:8rem;max-width:18rem}.changes .range{white-space:normal;min-width:12rem}.range small{display:block;color:var(--muted);font-size:.85rem}
.rows{width:100%}.set-fold{margin:.25rem 0;content-visibility:auto;contain-intrinsic-size:auto 12rem}.none{color:var(--muted)}
.detail>td{padding:0 0 1rem;white-space:normal;overflow-wrap:anywhere}.detail .inner{position:sticky;left:0;max-width:calc(min(100vw,75rem) - 2rem);padding:0 .75rem}
.detail h4{margin:.75rem 0 .25rem}.trend circle{stroke:none}.trend circle.doubtful{fill:var(--ground);stroke-width:1.5}
${Array.from({ length: 8 }, (_, i) => `.trend .doubtful.s${i}{stroke:var(--${i === 0 ? "accent" : `s${i}`})}`).join("")}
.trend line{stroke-width:1.5}.trend .grid{stroke-width:1}.trend .level{stroke:var(--text);stroke-width:2.5}.trend .release{stroke:var(--muted);stroke-width:1}
.trend .break{stroke:var(--text);stroke-width:1;stroke-dasharray:2 3}.halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
.trend .strong{fill:var(--text);font-weight:600}
#pick,#view{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end;margin:1rem 0;padding:.75rem;background:var(--soft)}#pick[hidden],#view[hidden]{display:none}
#pick label,#view label{display:grid;font-size:.85rem;color:var(--muted)}#pick select{max-width:min(100%,20rem)}
@media(max-width:640px){svg.spark{width:112px}.trend .middle{display:none}}
@media print{#pick,#view{display:none!important}.set-fold{content-visibility:visible}}
`;

export const HISTORY_STYLE = STYLE + TRENDS.replace(/\n/g, "");
