/** The page's style sheet. Text has a contrast of 4.5:1 and more in both themes; verdicts have the colours of Okabe and Ito. */

/** For light and dark: the same hues, lighter on a dark ground. */
const LIGHT =
  "--ground:#fff;--text:#1b1f24;--muted:#57606a;--line:#d0d7de;--soft:#f3f5f7;--band:#e3e7eb;--accent:#0060a8;--worse:#d55e00;--worse-text:#a84a00;--better:#0072b2;--better-text:#00609a;--neutral:#6e7781;--bar:#5b7f9d;--hatch:#b8c7d3;--s1:#d55e00;--s2:#009e73;--s3:#a05c87;--s4:#b07d00;--s5:#3a8fbf;--s6:#1b1f24;--s7:#7a6a00";
const DARK =
  "--ground:#0f1419;--text:#e6e9ec;--muted:#a2abb4;--line:#38414a;--soft:#1a2129;--band:#28313a;--accent:#6db8f2;--worse:#f08a3c;--worse-text:#f5a25f;--better:#56b4e9;--better-text:#74c2ee;--neutral:#a2abb4;--bar:#7a9db8;--hatch:#46586a;--s1:#f08a3c;--s2:#2fc79a;--s3:#d897bd;--s4:#e6ad2e;--s5:#8fd0f5;--s6:#e6e9ec;--s7:#d4c648";

/** Colours by name, for a drawing that is a file: it cannot see the theme of the page around it. */
export const THEMES: Readonly<Record<"light" | "dark", ReadonlyMap<string, string>>> = {
  light: coloursOf(LIGHT),
  dark: coloursOf(DARK),
};

function coloursOf(declarations: string): ReadonlyMap<string, string> {
  return new Map(
    declarations.split(";").map((one) => [one.slice(2, one.indexOf(":")), one.slice(one.indexOf(":") + 1)] as const),
  );
}

const TEXT = `
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0 auto;padding:1rem 1rem 3rem;max-width:75rem;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:.25rem 0 .75rem}h2{font-size:1.3rem;margin:2.5rem 0 .5rem}h3{font-size:1.05rem;margin:1.25rem 0 .35rem}h4{font-size:1rem;margin:1.25rem 0 .35rem}
p{margin:.4rem 0;max-width:48rem}a{color:var(--accent)}.muted,figcaption{color:var(--muted);font-size:.9rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85rem}
pre{overflow-x:auto;background:var(--soft);padding:.6rem .75rem;margin:.4rem 0;overflow-wrap:normal}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.facts{display:flex;flex-wrap:wrap;gap:.1rem 1.25rem;list-style:none;margin:0;padding:0;color:var(--muted);font-size:.9rem}
.warning{border-left:4px solid var(--worse);background:var(--soft);padding:.5rem .75rem}
summary{cursor:pointer;padding:.35rem 0}summary h3{display:inline;margin:0}
.notes{padding-left:1.2rem;font-size:.9rem;max-width:60rem}
`;

const PLOTS = `
.definitions,.grid-definition{position:absolute;width:0}
svg.plot{display:block;width:100%;min-width:0;overflow:visible}.glyph{width:1em;height:1em;vertical-align:-.1em;overflow:visible}
.grid{stroke:var(--line);stroke-width:1}.zero{stroke:var(--text);stroke-width:1}.band{fill:var(--band)}
.tick,.end-word{font-size:12px;fill:var(--muted);text-anchor:middle}.start{text-anchor:start}.end{text-anchor:end}
use,path,circle{stroke-width:2}.worse{fill:var(--worse);stroke:var(--worse);color:var(--worse-text)}.better{fill:var(--better);stroke:var(--better);color:var(--better-text)}
.open{fill:var(--ground)}.unchanged{fill:var(--neutral);stroke:var(--neutral)}.inconclusive{fill:var(--ground);stroke:var(--neutral)}
b.unchanged,b.inconclusive{color:var(--muted)}.suspect-worse{stroke:var(--worse);color:var(--worse-text)}.suspect-better{stroke:var(--better);color:var(--better-text)}
.interval{stroke-width:2}.beyond{fill:var(--text)}.base{fill:var(--ground);stroke:var(--text)}.head{fill:var(--accent);stroke:var(--accent)}.join{stroke:var(--muted);stroke-width:1.5}
.bar{fill:var(--bar)}.bar.bound{fill:var(--ground);stroke:var(--bar);stroke-width:2}.bar.disturbed{fill:url(#hatch);stroke:var(--bar);stroke-width:1}
.hatch-ground{fill:var(--ground)}.hatch-line{fill:var(--bar)}.more{fill:var(--bar)}.whisker{stroke:var(--text);stroke-width:2}.base-tick{stroke:var(--text);stroke-width:3}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:.3rem 0;padding:0;font-size:.9rem}
.forest ol,.bars ol{list-style:none;margin:0;padding:0}
.forest-row,.bar-row{display:grid;grid-template-columns:minmax(8rem,15rem) minmax(10rem,1fr) minmax(8rem,21.5rem);gap:0 1rem;align-items:center;min-height:28px;font-size:.9rem}
.bar-row{grid-template-columns:minmax(8rem,15rem) minmax(10rem,1fr) minmax(6rem,12rem)}
@media(min-width:1000px){.forest-row{grid-template-columns:minmax(8rem,19rem) minmax(10rem,1fr) minmax(8rem,24.5rem)}}
.forest-row .plot{min-height:100%}.forest-row .name,.bar-row .name{line-height:1.25;padding:1px 0}.forest-row .figures,.bar-row .figures{line-height:1.25}
.forest-row:target,.card:target,tr:target{outline:2px solid var(--accent);outline-offset:2px}
figure{margin:1rem 0}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 2rem}.pairs{min-width:0}.key{white-space:nowrap}
.lines{max-width:48rem}.lines line{stroke-width:2}.lines .grid{stroke-width:1}
${["accent", "s1", "s2", "s3", "s4", "s5", "s6", "s7"].map((name, i) => `.s${i}{stroke:var(--${name});fill:var(--${name})}`).join("")}
.s2 line,.s6 line{stroke-dasharray:6 4}.s3 line,.s7 line{stroke-dasharray:2 4}.s5 line{stroke-dasharray:10 4 2 4}
`;

const PARTS = `
.card{border:1px solid var(--line);border-left:5px solid var(--neutral);padding:.25rem 1rem .75rem;margin:1rem 0;fill:initial;stroke:none;color:inherit}
.card.worse,.card.suspect-worse{border-left-color:var(--worse)}.card.better,.card.suspect-better{border-left-color:var(--better)}.card h3{margin:.6rem 0 0}
.card .verdict{font-size:.9rem;font-weight:600;white-space:nowrap}
.scroll{overflow-x:auto;margin:.5rem 0;overflow-wrap:normal}table{border-collapse:collapse;font-size:.9rem}th,td{padding:.3rem .75rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap;vertical-align:top}
thead th{border-bottom:2px solid var(--line)}tbody th{font-weight:400}tbody th[scope=row]{white-space:normal;overflow-wrap:break-word;min-width:8rem;max-width:18rem}[aria-label=Releases] thead th{white-space:normal;vertical-align:bottom}[aria-label=Releases] td:last-child{white-space:normal;min-width:10rem}
td.number,th.number{text-align:right}tr.best>*{font-weight:700}tr.missing>*{color:var(--muted)}
th:has(>button){padding:0}th>button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:.3rem .75rem;cursor:pointer;width:100%;text-align:inherit}
th>button::after{content:" ↕";color:var(--muted)}th[aria-sort=ascending]>button::after{content:" ↑";color:var(--text)}th[aria-sort=descending]>button::after{content:" ↓";color:var(--text)}
dl{margin:.5rem 0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:.25rem 2rem;font-size:.9rem}dl div{display:flex;gap:.75rem}dt{color:var(--muted);flex:0 0 9rem}dd{margin:0}
#controls{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end;margin:1rem 0;padding:.75rem;background:var(--soft)}#controls[hidden]{display:none}#controls p{margin:0;align-self:center}
#controls label{display:grid;font-size:.85rem;color:var(--muted)}input,select,button{font:inherit;min-height:2.25rem;max-width:100%}
input,select,#controls button,#download,.copy{color:var(--text);background:var(--ground);border:1px solid var(--neutral);border-radius:3px;padding:.2rem .6rem}
#download[hidden]{display:none}.filtered{display:none!important}
@media(max-width:640px){h1{font-size:1.3rem}tbody th[scope=row]{max-width:10rem}.forest-row,.bar-row{display:flex;flex-wrap:wrap;justify-content:space-between;padding:.35rem 0 0}.forest-row .plot,.bar-row .plot{order:1;flex:0 0 100%}.axis span{display:none}dl div{display:block}}
@media print{body{max-width:none;padding:0;font-size:10pt}#controls,#download,.copy{display:none!important}details::details-content{content-visibility:visible;block-size:auto;height:auto}.card,figure,tr,.forest-row{break-inside:avoid}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}th,td{white-space:normal}th>button::after{content:""!important}}
`;

/** The print style keeps colours light, whatever the screen's theme. */
export const STYLE = [
  `:root{${LIGHT}}@media screen and (prefers-color-scheme:dark){:root{${DARK}}}`,
  TEXT,
  PLOTS,
  PARTS,
]
  .join("")
  .replace(/\n/g, "");
