/** The machine of a process in a simulation: its clocks are wrong, jump, and stand still. DynamoDB's clock is right. */
import { CorrectedClock, type Reading, type TimeSource } from '#functions/store/dynamodb/clock.ts';
import { lateAfterMs } from '#functions/store/model/log-timing.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Errors of a wall clock, in milliseconds: what administrators, time zones and empty batteries make of it. */
const magnitudes = [0, 120, 900, 3 * second, 20 * second, 5 * minute, hour, 40 * day] as const;

/** Milliseconds between two jumps of a clock, on average. */
const meanJumpMs = 40 * second;

/** Milliseconds of a round trip of a probe, at most. Some are longer, and prove too little. */
const maxProbeMs = 120;
const maxSlowProbeMs = 1_500;

export class Machine {
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #hasWrongClock: boolean;
  readonly #clock: CorrectedClock;
  #errorMs = 0;
  /** Milliseconds for which it was suspended. Its monotonic clock does not count them. */
  #suspendedMs = 0;
  #jumpsAt: number;

  constructor(time: VirtualTime, random: Random, hasWrongClock: boolean) {
    this.#time = time;
    this.#random = random;
    this.#hasWrongClock = hasWrongClock;
    this.#jumpsAt = time.now;
    const source: TimeSource = {
      wall: () => Math.floor(this.#time.now + this.#error()),
      monotonic: () => this.#time.now - this.#suspendedMs,
    };
    this.#clock = new CorrectedClock(source);
  }

  /** Returns the corrected time, as `Database.time` does. */
  async now(): Promise<number> {
    for (;;) {
      const now = this.#clock.now();
      if (now !== undefined) return now;
      await this.call(this.#random.below(this.#random.chance(0.1) ? maxSlowProbeMs : maxProbeMs));
    }
  }

  /** Returns the stamp up to which all records are visible, as `Database.settledTime` does. */
  settled(): number {
    return (this.#clock.earliest() as number) - lateAfterMs;
  }

  /** Makes a call to DynamoDB that takes some time. */
  async call(milliseconds: number): Promise<void> {
    const sent = this.#clock.read();
    const untilExecuted = this.#random.next() * milliseconds;
    await this.#time.wait(untilExecuted);
    const date = Math.floor(this.#time.now / second) * second;
    await this.#time.wait(milliseconds - untilExecuted);
    this.#observe(sent, date);
  }

  /** Stops for a while, as a laptop that is closed or a function that is frozen. */
  async suspend(): Promise<void> {
    const milliseconds = this.#random.pick([50, 3 * second, 10 * second, 5 * minute]);
    await this.#time.wait(milliseconds);
    if (this.#hasWrongClock) this.#suspendedMs += milliseconds;
  }

  #observe(sent: Reading, date: number): void {
    this.#clock.observe(sent, date);
  }

  #error(): number {
    if (!this.#hasWrongClock) return 0;
    while (this.#jumpsAt <= this.#time.now) {
      this.#jumpsAt += 1 + 2 * this.#random.below(meanJumpMs);
      const magnitude = this.#random.pick(magnitudes) * (0.5 + this.#random.next());
      this.#errorMs = this.#random.chance(0.5) ? magnitude : -magnitude;
    }
    return this.#errorMs;
  }
}
