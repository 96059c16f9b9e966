/**
 * The positions in change logs that one unit of work has taken. One without a record is a hole: readers cannot go past it until somebody fills it.
 * So a unit of work fills those that it does not use. A process that ends before leaves them to compaction.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { fillerWrite, logPartition, previousPositions, recordKey } from '../model/change-log.ts';
import type { Change } from '../model/changes.ts';
import { SequencerBehind } from '../model/errors.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { takePosition } from './sequencer.ts';

/** Positions of a unit of work that had records, at most. Each was filled by others five seconds after it was taken, or the sequencer is behind its log. */
const maxLost = 3;

export class Positions {
  readonly #session: Session;
  readonly #held = new Map<Kind, Promise<number>>();
  readonly #filling: Promise<unknown>[] = [];
  #lost = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  request(kinds: readonly Kind[]): void {
    // Who waits for it gets the error.
    for (const kind of kinds) this.#take(kind).catch(() => undefined);
  }

  #take(kind: Kind): Promise<number> {
    const held = this.#held.get(kind);
    if (held !== undefined) return held;
    const { tenant, database } = this.#session;
    const taken = takePosition(database, { tenant, kind });
    taken.catch(() => this.#held.delete(kind));
    this.#held.set(kind, taken);
    return taken;
  }

  /**
   * Returns a position for each kind of some changes, greater than those of the previous changes of their entities.
   * @throws SequencerBehind when the log hands out smaller ones.
   */
  async forChanges(changes: readonly Change[]): Promise<ReadonlyMap<Kind, number>> {
    const found = [...previousPositions(changes)].map(async ([kind, previous]) => {
      for (;;) {
        // One that was taken before the entities were read can be smaller.
        const isTakenNow = !this.#held.has(kind);
        const position = await this.#take(kind);
        if (position > previous) return [kind, position] as const;
        this.#fill(kind, position);
        if (isTakenNow) throw new SequencerBehind(logPartition(this.#session.tenant, kind));
      }
    });
    return new Map(await Promise.all(found));
  }

  /** Notes that the positions of some kinds have records. */
  drop(kinds: Iterable<Kind>): void {
    for (const kind of kinds) this.#held.delete(kind);
  }

  /**
   * Notes that the position of a kind has a record already. A filler is possible: the writer was slow.
   * @throws SequencerBehind when that is so again and again.
   */
  lose(kind: Kind): void {
    this.#held.delete(kind);
    this.#lost += 1;
    if (this.#lost >= maxLost) throw new SequencerBehind(logPartition(this.#session.tenant, kind));
  }

  /** Fills the positions that are left. An error must not end a request that has its result: compaction fills what is still a hole. */
  async fillLeft(): Promise<void> {
    const held = [...this.#held].map(async ([kind, taken]) => this.#fill(kind, await taken));
    await Promise.allSettled(held);
    await Promise.allSettled(this.#filling);
  }

  #fill(kind: Kind, position: number): void {
    const { tenant, database } = this.#session;
    this.#held.delete(kind);
    const { put, condition } = fillerWrite(recordKey({ tenant, kind }, position), now());
    const filled = database.putItem(put, condition);
    filled.catch(() => undefined);
    this.#filling.push(filled);
  }
}
