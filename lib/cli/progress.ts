import { SingleBar } from 'cli-progress';

/** How far it is, for people. */
export interface Progress {
  /** From now on, this is done. */
  begin(what: string, amount: number): void;
  /** Some more is done; one, unless it is said. */
  step(amount?: number): void;
  /** Nothing more comes, whether all is done or not. */
  end(): void;
}

/** Milliseconds between two lines about the same. */
const linePeriod = 2_000;

/** A bar on a terminal, over all that is to be done. */
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

/** Lines, for logs and files: one when something is done, and now and then one on the way. */
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
      if (!isDone && now() - lastLine < linePeriod) return;
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
