/** Writes into a collection at a fixed rate, or as fast as several writers can. */
import { setTimeout as delay } from 'node:timers/promises';
import { ConditionFailed } from '../functions/engine/model/errors.ts';
import type { TaskCollection } from './task-collection.ts';

/** Makes a mixed write. @returns milliseconds that it took; `undefined` if another write has changed the same task meanwhile. */
async function writeOne(collection: TaskCollection, number: number): Promise<number | undefined> {
  const started = performance.now();
  try {
    await collection.writeAny(number);
    return performance.now() - started;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return undefined;
  }
}

const successful = (durations: readonly (number | undefined)[]): number[] =>
  durations.filter((one) => one !== undefined);

/** Begins writes at a rate until a time, however long they take. @returns milliseconds of each write. */
export async function writeAtRate(
  collection: TaskCollection,
  rate: number,
  endMs: number,
): Promise<number[]> {
  const pending: Promise<number | undefined>[] = [];
  const began = performance.now();
  for (let number = 0; Date.now() < endMs; number += 1) {
    await delay(Math.max(0, began + (number * 1_000) / rate - performance.now()));
    pending.push(writeOne(collection, number));
  }
  return successful(await Promise.all(pending));
}

/** Writes until a time, by several writers of which each makes one write after the other. @returns milliseconds of each write. */
export async function writeByWriters(
  collection: TaskCollection,
  writers: number,
  endMs: number,
): Promise<number[]> {
  const writeUntilEnd = async (writer: number): Promise<(number | undefined)[]> => {
    const durations: (number | undefined)[] = [];
    // Each writer begins with another kind of write.
    for (let number = writer * 3; Date.now() < endMs; number += 1) {
      durations.push(await writeOne(collection, number));
    }
    return durations;
  };
  return successful((await Promise.all(Array.from({ length: writers }, (_, n) => writeUntilEnd(n)))).flat());
}
