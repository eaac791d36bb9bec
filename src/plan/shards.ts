/** Rows -> shards of about equal expected time: what each runner of a workflow's matrix measures. */
import { InputError } from "../errors.js";
import { groupBy } from "../group-by.js";
import { SHARDS_MAX, type ShardIndex } from "../results/shard.js";
import { expectedRowSec } from "./profile.js";
import type { PlannedRow, Profile } from "./types.js";

/**
 * The longest shard may take this many times as long as with rows spread freely, so that rows of one environment stay
 * together. A judgement: each shard installs the environments that it needs, in seconds from wheels and minutes from
 * sources, and rows of one table should come from one machine.
 */
const TOGETHER_SLACK = 1.05;
/** Sizes to which an environment's rows are cut, as shares of a fair shard; the last resort is single rows. */
const BLOCK_SHARES = [1, 1 / 2, 1 / 4, 1 / 8, 0];

export interface Shard extends ShardIndex {
  /** Ids, in the order of the plan. */
  readonly rows: readonly string[];
  /** Of measuring; set-up comes on top. */
  readonly expectedSec: number;
}

/** @param text of `--shards` @throws InputError for what is no number of jobs of a matrix */
export function parseShards(text: string, option = "--shards"): number {
  const shards = Number(text);
  if (/^\d+$/.test(text) && shards >= 1 && shards <= SHARDS_MAX) return shards;
  throw new InputError(`invalid ${option} "${text}": give a whole number from 1 to ${SHARDS_MAX}, GitHub's most jobs`);
}

/** @param text of `--shard`, such as `2/4` @throws InputError for anything else */
export function parseShard(text: string, option = "--shard"): ShardIndex {
  const [, index = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of && of <= SHARDS_MAX) return { index, of };
  throw new InputError(
    `invalid ${option} "${text}": write its number and how many there are, up to ${SHARDS_MAX}: 2/4`,
  );
}

interface Item {
  readonly id: string;
  readonly order: number;
  readonly environment: string;
  readonly sec: number;
}

/** Rows of one environment that go into one shard. */
interface Block {
  readonly environment: string;
  readonly items: readonly Item[];
  readonly sec: number;
}

interface Bin {
  readonly items: Item[];
  readonly environments: Set<string>;
  sec: number;
}

/**
 * Longest processing time first (Graham 1969), over blocks of rows that share an environment: the largest blocks with
 * which the longest shard stays within 5 % of what single rows would give. The same rows give the same shards; they are
 * numbered by their first row.
 * @param rows of a plan, in its order
 * @param shards wanted, 1 or more; there are never more than rows
 */
export function shardRows(rows: readonly PlannedRow[], profile: Profile, shards: number): readonly Shard[] {
  const items = rows.map((row, order) => ({
    id: row.id,
    order,
    environment: environmentOf(row),
    sec: expectedRowSec(profile, row),
  }));
  const of = Math.min(shards, items.length);
  const bins = of === 0 ? [] : balanced(items, of);
  const inOrder = bins.map(({ items, sec }) => ({ items: [...items].sort((a, b) => a.order - b.order), sec }));
  return inOrder
    .sort((a, b) => (a.items[0]?.order ?? 0) - (b.items[0]?.order ?? 0))
    .map(({ items, sec }, i) => ({ index: i + 1, of, rows: items.map(({ id }) => id), expectedSec: sec }));
}

/** Equal for rows that one installation serves. */
export function environmentOf({ environment: { distribution, python, requires } }: PlannedRow): string {
  return JSON.stringify([distribution, python, [...new Set(requires)].sort()]);
}

function balanced(items: readonly Item[], of: number): readonly Bin[] {
  const spread = packed(blocksOf(items, 0), of, 0);
  const allowedSec = longestSec(spread) * TOGETHER_SLACK;
  const fairSec = items.reduce((sum, { sec }) => sum + sec, 0) / of;
  for (const share of BLOCK_SHARES) {
    const bins = packed(blocksOf(items, share * fairSec), of, allowedSec);
    if (longestSec(bins) <= allowedSec && bins.every((bin) => bin.items.length > 0)) return bins;
  }
  return spread;
}

function longestSec(bins: readonly Bin[]): number {
  return Math.max(...bins.map(({ sec }) => sec));
}

/** Each environment's rows in pieces of about equal time and at most about `limitSec`, neighbours together; 0: single rows. */
function blocksOf(items: readonly Item[], limitSec: number): Block[] {
  return [...groupBy(items, ({ environment }) => environment).values()].flatMap((group) => {
    const groupSec = group.reduce((sum, { sec }) => sum + sec, 0);
    const pieces = limitSec > 0 ? Math.ceil(groupSec / limitSec) : Number.POSITIVE_INFINITY;
    return pieces >= group.length ? group.map((item) => blockOf([item])) : cut(group, groupSec / pieces).map(blockOf);
  });
}

/** A row belongs to the piece that contains its middle. */
function cut(group: readonly Item[], pieceSec: number): Item[][] {
  let passedSec = 0;
  const pieces = groupBy(group, ({ sec }) => {
    const middleSec = passedSec + sec / 2;
    passedSec += sec;
    return Math.floor(middleSec / pieceSec);
  });
  return [...pieces.values()];
}

function blockOf(items: readonly Item[]): Block {
  return { environment: items[0]?.environment ?? "", items, sec: items.reduce((sum, { sec }) => sum + sec, 0) };
}

/** A block joins a shard that has its environment already where that stays within the limit, else the emptiest one. */
function packed(blocks: readonly Block[], of: number, allowedSec: number): readonly Bin[] {
  const bins: Bin[] = Array.from({ length: of }, () => ({ items: [], environments: new Set(), sec: 0 }));
  const longestFirst = blocks.map((block, order) => ({ block, order }));
  longestFirst.sort((a, b) => b.block.sec - a.block.sec || a.order - b.order);
  for (const { block } of longestFirst) {
    const fits = (bin: Bin) => bin.environments.has(block.environment) && bin.sec + block.sec <= allowedSec;
    const bin = emptiest(bins.filter(fits)) ?? emptiest(bins);
    bin?.items.push(...block.items);
    bin?.environments.add(block.environment);
    if (bin) bin.sec += block.sec;
  }
  return bins;
}

function emptiest(bins: readonly Bin[]): Bin | undefined {
  return bins.reduce<Bin | undefined>(
    (best, bin) => (best === undefined || bin.sec < best.sec ? bin : best),
    undefined,
  );
}
