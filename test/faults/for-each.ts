/** Calls `work` for each value, with at most `atOnce` calls at a time. */
export async function forEach<Value>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const left = [...values];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let value = left.pop(); value !== undefined; value = left.pop()) await work(value);
    }),
  );
}
