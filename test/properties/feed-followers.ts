import { setTimeout as delay } from 'node:timers/promises';
import type { TestResponse } from '../faults/faulty-service.ts';

/** Callers of change feeds with random filters, which poll at random moments while others write. */

interface Entity {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Changes {
  readonly data: readonly Entity[];
  readonly etags: readonly string[];
  readonly removed: readonly string[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

type Send = (path: string) => Promise<TestResponse>;

const versionOf = (etag = ''): number => Number(/-(\d+)"$/.exec(etag)?.[1] ?? 0);

/** Keeps a copy of one list. */
export class FeedFollower {
  readonly #send: Send;
  readonly #path: string;
  readonly #filters: Readonly<Record<string, string>>;
  readonly #copy = new Map<string, Entity>();
  readonly #versions = new Map<string, number>();
  #since: string | undefined;
  /** The ids that came since the feed began again. */
  #found: Set<string> | undefined;
  expired = 0;

  constructor(send: Send, path: string, filters: Readonly<Record<string, string>>) {
    this.#send = send;
    this.#path = path;
    this.#filters = filters;
  }

  /** Reads a page and applies it. Returns whether more follow; a failed request changes nothing. */
  async poll(limit: number): Promise<boolean> {
    const parameters = {
      ...this.#filters,
      etags: 'true',
      limit: String(limit),
      ...(this.#since !== undefined && { since: this.#since }),
    };
    const { status, body } = await this.#send(`${this.#path}/changes?${new URLSearchParams(parameters)}`);
    if (status >= 500) return true;
    if (status === 410) {
      this.expired += 1;
      this.#since = undefined;
      this.#found = new Set();
      return true;
    }
    if (status !== 200) throw new Error(`The feed ${this.#path} responded ${status}.`);
    this.#apply(body as Changes);
    return (body as Changes).hasMore;
  }

  #apply({ data, etags, removed, cursor, hasMore }: Changes): void {
    for (const [position, entity] of data.entries()) {
      const version = versionOf(etags[position]);
      const known = this.#versions.get(entity.id) ?? 0;
      if (version < known) throw new Error(`${entity.id} went back from version ${known} to ${version}.`);
      this.#versions.set(entity.id, version);
      this.#copy.set(entity.id, entity);
      this.#found?.add(entity.id);
    }
    for (const id of removed) this.#copy.delete(id);
    this.#since = cursor;
    if (hasMore || !this.#found) return;
    for (const id of this.#copy.keys()) if (!this.#found.has(id)) this.#copy.delete(id);
    this.#found = undefined;
  }

  /** Reads what is left and compares the copy with the list. */
  async check(): Promise<void> {
    while (await this.poll(100));
    const listed: Entity[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const query = new URLSearchParams({ ...this.#filters, sortBy: 'id', limit: '100', after });
      const { status, body } = await this.#send(`${this.#path}?${query}`);
      if (status >= 500) continue;
      const page = body as { readonly data: readonly Entity[]; readonly next: string | null };
      listed.push(...page.data);
      after = page.next;
    }
    const byId = (one: Entity, other: Entity): number => (one.id < other.id ? 1 : -1);
    expect([...this.#copy.values()].sort(byId)).toEqual(listed);
  }
}

/** Returns followers of lists with random filters. */
export function randomFollowers(send: Send, random: () => number): FeedFollower[] {
  const any = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const filters = (): Record<string, string> =>
    any<Record<string, string>>([
      {},
      { status: any(['active', 'planned', 'done']) },
      { 'status[ne]': 'active' },
      { 'priority[gte]': 'medium' },
      { 'projectId[isNull]': 'true' },
      { 'dueDate[isNull]': 'false', status: 'active' },
      { 'description[startsWith]': 'x' },
    ]);
  return [
    new FeedFollower(send, '/v1/tasks', {}),
    new FeedFollower(send, '/v1/tasks', filters()),
    new FeedFollower(send, '/v1/projects', { status: any(['active', 'archived']) }),
  ];
}

/** Polls at random moments until the signal is aborted. */
export async function followUntil(
  signal: AbortSignal,
  followers: readonly FeedFollower[],
  random: () => number,
): Promise<void> {
  while (!signal.aborted) {
    await delay(random() * 60);
    const follower = followers[Math.floor(random() * followers.length)];
    await follower?.poll(1 + Math.floor(random() * 30));
  }
}
