export type Progress = ReturnType<typeof progressOn>;

const minLineIntervalMs = 2_000;

/** Returns progress as lines of a stream: one at the end of each phase, and one every few seconds. */
export function progressOn(stream: NodeJS.WriteStream) {
  let current = { what: '', amount: 0, done: 0, began: 0 };
  let lastLine = 0;
  return {
    begin: (what: string, amount: number): void => {
      lastLine = performance.now();
      current = { what, amount, done: 0, began: lastLine };
    },
    /** Reports progress within the phase. */
    step: (steps = 1): void => {
      current.done += steps;
      const { what, amount, done, began } = current;
      const now = performance.now();
      if (done !== amount && now - lastLine < minLineIntervalMs) return;
      lastLine = now;
      const rate = Math.round((1_000 * done) / Math.max(1, now - began));
      const left = rate > 0 ? `, ${Math.ceil((amount - done) / rate)} s left` : '';
      stream.write(`${what}: ${done === amount ? done : `${done} of ${amount}, ${rate} a second${left}`}\n`);
    },
  };
}
