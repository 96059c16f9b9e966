/** Virtual time: processes of a simulation run one at a time, in the order of their times. */

interface Waiting {
  readonly time: number;
  readonly order: number;
  readonly resume: () => void;
}

export class VirtualTime {
  /** Milliseconds since 1970. */
  now = 1_700_000_000_000;
  #waiting: Waiting[] = [];
  #order = 0;
  #running = 0;
  #error: unknown;

  /** Waits. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.push({ time: this.now + milliseconds, order: this.#order, resume });
      this.#order += 1;
    });
  }

  /** Starts a process. */
  start(process: () => Promise<void>): void {
    this.#running += 1;
    void process()
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => {
        this.#running -= 1;
      });
  }

  /** Runs until all processes have ended. @throws the first error of a process. */
  async run(): Promise<void> {
    for (;;) {
      // Lets the processes run that were resumed, until each waits again or has ended.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#error !== undefined) throw this.#error;
      if (this.#waiting.length === 0) {
        if (this.#running === 0) return;
        continue;
      }
      this.#resumeNext();
    }
  }

  #resumeNext(): void {
    let next = 0;
    for (const [position, { time, order }] of this.#waiting.entries()) {
      const first = this.#waiting[next] as Waiting;
      if (time < first.time || (time === first.time && order < first.order)) next = position;
    }
    const [waiting] = this.#waiting.splice(next, 1) as [Waiting];
    this.now = Math.max(this.now, waiting.time);
    waiting.resume();
  }
}
