import { SingleBar } from 'cli-progress';

export interface Progress {
  begin(what: string, amount: number): void;
  /** Reports progress within the phase. Default: 1. */
  step(amount?: number): void;
  /** Ends the output, also after a failure. */
  end(): void;
}

const minLineIntervalMs = 2_000;

/** Returns a progress bar for a terminal. @param total amount of all phases. */
export function progressBar(total: number, stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage} % | {value} of {total} | {what}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    gracefulExit: true,
  });
  bar.start(total, 0, { what: '' });
  return {
    begin: (what) => bar.update({ what }),
    step: (amount = 1) => bar.increment(amount),
    end: () => bar.stop(),
  };
}

/** Returns progress as lines for logs and files: one at the end of each phase, and one every few seconds. */
export function progressLines(write: (line: string) => void, now = Date.now): Progress {
  let current = { what: '', amount: 0, done: 0 };
  let lastLine = now();
  return {
    begin: (what, amount) => {
      current = { what, amount, done: 0 };
      lastLine = now();
    },
    step: (amount = 1) => {
      current.done += amount;
      const isDone = current.done === current.amount;
      if (!isDone && now() - lastLine < minLineIntervalMs) return;
      lastLine = now();
      write(
        isDone
          ? `${current.what}: ${current.amount}`
          : `${current.what}: ${current.done} of ${current.amount}`,
      );
    },
    end: () => {},
  };
}
