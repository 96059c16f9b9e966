/**
 * Virtual time: it stands still while something runs, and moves to the next moment for which something waits. So nothing waits for real time, and
 * a run repeats from its seed.
 */
import type { TimeAndChance } from '#functions/runtime/time-and-chance.ts';

interface Waiting {
  readonly time: number;
  readonly order: number;
  readonly call: () => void;
  isCancelled?: boolean;
}

/** What waits, the earliest first: a binary heap. */
class Queue {
  readonly #heap: Waiting[] = [];

  get first(): Waiting | undefined {
    return this.#heap[0];
  }

  add(waiting: Waiting): void {
    const heap = this.#heap;
    let place = heap.push(waiting) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(waiting, heap[parent] as Waiting)) break;
      heap[place] = heap[parent] as Waiting;
      place = parent;
    }
    heap[place] = waiting;
  }

  take(): Waiting | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      const other = heap[child + 1];
      if (other && isBefore(other, heap[child] as Waiting)) child += 1;
      if (!isBefore(heap[child] as Waiting, last)) break;
      heap[place] = heap[child] as Waiting;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

const isBefore = (one: Waiting, other: Waiting): boolean =>
  one.time < other.time || (one.time === other.time && one.order < other.order);

/** Random numbers from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class VirtualTime implements TimeAndChance {
  readonly random: () => number;
  #now: number;
  /** What moves the time. */
  readonly #delays = new Queue();
  /** What is called when the time has moved past it. */
  readonly #timers = new Queue();
  #order = 0;
  #isMoving = false;
  #isOver = false;

  /** @param startMs milliseconds since 1970. */
  constructor(seed: number, startMs: number) {
    this.random = seededRandom(seed);
    this.#now = startMs;
  }

  now(): number {
    return Math.floor(this.#now);
  }

  monotonic(): number {
    return this.#now;
  }

  randomBytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => Math.floor(256 * this.random())));
  }

  delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const abort = (): void => reject(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      const call = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      this.#delays.add(this.#waiting(milliseconds, call));
      this.#move();
    });
  }

  startTimer(milliseconds: number, call: () => void): () => void {
    const timer = this.#waiting(milliseconds, call);
    this.#timers.add(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  #waiting(milliseconds: number, call: () => void): Waiting {
    this.#order += 1;
    return { time: this.#now + Math.max(0, milliseconds), order: this.#order, call };
  }

  /** Ends time: what waits waits for ever. */
  end(): void {
    this.#isOver = true;
  }

  /** Moves the time when nothing can run before. */
  #move(): void {
    if (this.#isMoving || this.#isOver) return;
    this.#isMoving = true;
    // Promises that are settled run before.
    setImmediate(() => {
      this.#isMoving = false;
      const next = this.#delays.first;
      if (!next) return;
      // Most calls end long before the timer of their deadline.
      while (this.#timers.first?.isCancelled) this.#timers.take();
      const timer = this.#timers.first;
      const queue = timer && isBefore(timer, next) ? this.#timers : this.#delays;
      const { time, call } = queue.take() as Waiting;
      this.#now = Math.max(this.#now, time);
      call();
      this.#move();
    });
  }
}
