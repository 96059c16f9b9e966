/**
 * Calls a function for each element, some at the same time. After the first failure, it begins no further calls.
 * @throws the first error of a call.
 */
export async function forEach<Element>(
  elements: Iterable<Element> | AsyncIterable<Element>,
  concurrency: number,
  run: (element: Element) => Promise<void>,
): Promise<void> {
  // All workers take from one generator. The loop of a worker that fails ends it for the others.
  const rest = (async function* () {
    yield* elements;
  })();
  const work = async (): Promise<void> => {
    for await (const element of rest) await run(element);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
