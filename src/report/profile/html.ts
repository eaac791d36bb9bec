/** Where the time went, on the page: each sampled row's table and flame graph. */
import type { ProfileTree } from "../../compare/profile-tree.js";
import type { ProfiledFunction, RowProfile, SampledProfile } from "../../results/profile.js";
import { fold, html, type Markup, NOTHING } from "../html/markup.js";
import { capital } from "../html/pair-plot.js";
import { profileFiles, type RowStacks } from "./files.js";
import { flameGraph } from "./flame.js";
import { differenceText, functionName, NOTHING_FOUND, placeText, rowText, samplingText, timeText } from "./text.js";

export const FLAME_STYLE = `
.flame{display:block;min-width:44rem;background:var(--ground)}.flame text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);stroke:none}.flame rect{stroke:var(--ground);stroke-width:1;fill:var(--band)}
.flame .more1{fill:color-mix(in srgb,var(--worse) 18%,var(--ground))}.flame .more2{fill:color-mix(in srgb,var(--worse) 30%,var(--ground))}.flame .more3{fill:color-mix(in srgb,var(--worse) 45%,var(--ground))}
.flame .less1{fill:color-mix(in srgb,var(--better) 18%,var(--ground))}.flame .less2{fill:color-mix(in srgb,var(--better) 30%,var(--ground))}.flame .less3{fill:color-mix(in srgb,var(--better) 45%,var(--ground))}
`;

interface ProfilesView {
  readonly profiles: readonly RowProfile[];
  /** By the name of head's file; a row whose stacks are not beside the results has none. */
  readonly stacks: ReadonlyMap<string, RowStacks>;
}

export function profilesView({ profiles, stacks }: ProfilesView): Markup {
  if (profiles.length === 0) return NOTHING;
  const failed = profiles.flatMap((profile) => (profile.state === "failed" ? [profile] : []));
  const sampled = profiles.flatMap((profile) => (profile.state === "sampled" ? [profile] : []));
  return html`<section aria-labelledby="profiles">
<h2 id="profiles">Where the time went</h2>
${sampled.map((profile) => rowView(profile, stacks.get(profileFiles(profile).head)))}
${failed.length === 0 ? NOTHING : html`<ul class="notes">${failed.map((profile) => html`<li>No profile of ${rowText(profile)}: ${profile.reason}</li>`)}</ul>`}
</section>`;
}

function rowView(profile: SampledProfile, stacks: RowStacks | undefined): Markup {
  const row = rowText(profile);
  return html`<article><h3>${row}</h3>
${profile.functions.length === 0 ? html`<p>${capital(NOTHING_FOUND)}.</p>` : NOTHING}
${functionTable(profile.functions, row)}
<p class="muted">${samplingText(profile)}</p>
${stacks ? stacksView(stacks, profile) : NOTHING}
</article>
`;
}

function stacksView(stacks: RowStacks, profile: SampledProfile): Markup {
  return stacks.state === "read"
    ? flameFold(stacks.tree, profile)
    : html`<p>There is no flame graph, because the stacks cannot be read: ${stacks.reason}.</p>`;
}

function functionTable(functions: readonly ProfiledFunction[], row: string): Markup {
  if (functions.length === 0) return NOTHING;
  const lines = functions.map((one) => {
    const place = one.name === "" ? `${one.file} (library without symbols)` : placeText(one);
    return html`<tr><th scope="row"><code>${functionName(one)}</code></th><td><code>${place}</code></td><td class="number">${timeText(one.baseUs)}</td><td class="number">${timeText(one.headUs)}</td><td class="number">${differenceText(one)}</td></tr>`;
  });
  const head = html`<tr><th scope="col">Function</th><th scope="col">Place</th><th scope="col" class="number">Base</th><th scope="col" class="number">Head</th><th scope="col" class="number">Difference</th></tr>`;
  return html`<div class="scroll" role="region" aria-label="Functions of ${row}" tabindex="0"><table><thead>${head}</thead><tbody>${lines}</tbody></table></div>`;
}

function flameFold(tree: ProfileTree, profile: SampledProfile): Markup {
  const row = rowText(profile);
  const { speedscope } = profileFiles(profile);
  const common = tree.common.map(functionName);
  const above =
    common.length === 0
      ? NOTHING
      : html`<p class="muted">Calls that all samples have in common are not drawn: <code>${common.join(" → ")}</code>.</p>`;
  const title = `Flame graph of ${row}, base and head in one: the table above lists its differences`;
  return fold(
    "Flame graph of both sides",
    html`<p>Calls go down. The width is the mean time of base and head. ▲ and orange: more time in head; ▼ and blue: less time in head, both beyond the sampling error. Grey: no difference beyond it. Point at a call for its figures.</p>
<div class="scroll" role="region" aria-label="Flame graph of ${row}" tabindex="0">${flameGraph(tree, title)}</div>
${above}
<p class="muted">The stacks are next to this page; speedscope (www.speedscope.app) opens <code>${speedscope}</code>.</p>`,
    "open",
  );
}
