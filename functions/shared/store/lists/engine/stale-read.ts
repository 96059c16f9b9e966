/** Reads of a log that compaction replaces meanwhile. */

/** The state that was read has been replaced while it was read: the read starts again. */
export class StaleRead extends Error {
  constructor(what: string) {
    super(`A list was read while it changed: ${what}.`);
    this.name = 'StaleRead';
  }
}

/** Times that a read is made, at most. */
const maxAttempts = 4;

/**
 * Reads again while the log changes.
 * @throws StaleRead when it changes so often that no attempt succeeds.
 */
export async function readUntilCurrent<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StaleRead) || attempt === maxAttempts) throw error;
    }
  }
}
