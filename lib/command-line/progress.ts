import { SingleBar } from 'cli-progress';

export interface Progress {
  begin(what: string, amount: number): void;
  /** Reports progress within the phase. Default: 1. */
  step(amount?: number): void;
  /** Ends the output, also after a failure. */
  end(): void;
}

const minLineIntervalMs = 2_000;

/** Returns how many of something were done in a second. */
const rateOf = (done: number, milliseconds: number): number =>
  Math.round((1_000 * done) / Math.max(1, milliseconds));

/** Returns progress in a terminal: a bar for each phase. */
function progressBar(stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage} % | {value} of {total} | {what} | {rate} a second | {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    gracefulExit: true,
  });
  let began = 0;
  let done = 0;
  const begin = (what: string, amount: number): void => {
    bar.stop();
    bar.start(amount, 0, { what, rate: 0 });
    began = performance.now();
    done = 0;
  };
  return {
    begin,
    step: (amount = 1) => {
      done += amount;
      bar.increment(amount, { rate: rateOf(done, performance.now() - began) });
    },
    end: () => bar.stop(),
  };
}

interface Phase {
  readonly what: string;
  readonly amount: number;
  readonly done: number;
  readonly began: number;
}

function lineOf({ what, amount, done, began }: Phase, now: number): string {
  const rate = rateOf(done, now - began);
  const left = rate > 0 ? `, ${Math.ceil((amount - done) / rate)} s left` : '';
  return `${what}: ${done} of ${amount}, ${rate} a second${left}`;
}

/** Returns progress as lines for logs and files: one at the end of each phase, and one every few seconds. */
function progressLines(write: (line: string) => void, now = Date.now): Progress {
  let current = { what: '', amount: 0, done: 0, began: 0 };
  let lastLine = now();
  return {
    begin: (what, amount) => {
      current = { what, amount, done: 0, began: now() };
      lastLine = current.began;
    },
    step: (amount = 1) => {
      current.done += amount;
      const isDone = current.done === current.amount;
      if (!isDone && now() - lastLine < minLineIntervalMs) return;
      lastLine = now();
      write(isDone ? `${current.what}: ${current.amount}` : lineOf(current, lastLine));
    },
    end: () => {},
  };
}

/** Returns progress for a stream: bars in a terminal, otherwise lines. */
export const progressOn = (stream: NodeJS.WriteStream): Progress =>
  stream.isTTY ? progressBar(stream) : progressLines((line) => stream.write(`${line}\n`));
