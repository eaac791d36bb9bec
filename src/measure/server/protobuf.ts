/** Messages of Protocol Buffers from field numbers and values (https://protobuf.dev/programming-guides/encoding). */

const VARINT = 0;
const LENGTH_DELIMITED = 2;

export type MessageValue = string | number | boolean;

/** A whole number as base-128 digits, the lowest first; negative ones as 64 bits of two's complement. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const digit = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest === 0n ? digit : digit | 128);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}

/**
 * The message's bytes, fields by ascending number, as every library writes them. A string is a `string`, a whole number
 * an `int32`, `int64`, `uint32`, `uint64` or an enum, true and false a `bool`. A field with its default value is not
 * sent in proto3: leave it out.
 */
export function encodeMessage(fields: Readonly<Record<string, MessageValue>>): Buffer {
  const numbered = Object.entries(fields).map(([number, value]) => [Number(number), value] as const);
  return Buffer.concat(numbered.sort(([a], [b]) => a - b).flatMap(([number, value]) => encodeField(number, value)));
}

function encodeField(number: number, value: MessageValue): Buffer[] {
  if (typeof value !== "string") return [varint(number * 8 + VARINT), varint(Number(value))];
  const text = Buffer.from(value);
  return [varint(number * 8 + LENGTH_DELIMITED), varint(text.length), text];
}
