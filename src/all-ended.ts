/** `Promise.all`, but nothing runs on when it throws: all have ended before the first error is reported. */
export async function allEnded<const T extends readonly unknown[] | []>(
  running: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(running);
  return await Promise.all(running);
}
