/**
 * Audits a whole table while it is used: compares every counter with the entities that it counts, looks up every
 * reference, and compares the keys of every entity with its fields, and its long text with its digest. Repairs what is wrong when the options ask for it.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { continueJob } from '../../functions/shared/store/cascades/continue-job.ts';
import { beginSweep } from '../../functions/shared/store/cascades/sweep.ts';
import { Database } from '../../functions/shared/store/dynamodb/database.ts';
import { Deadline } from '../../functions/shared/store/dynamodb/deadline.ts';
import { countedStatus, listingsOf } from '../../functions/shared/store/lists/counted-index/adjustments.ts';
import {
  end,
  levels,
  timeOf,
  toCounters,
} from '../../functions/shared/store/lists/counted-index/counters.ts';
import { correctCounter, readItems } from '../../functions/shared/store/lists/counted-index/fold.ts';
import { partQuery } from '../../functions/shared/store/lists/counted-index/page.ts';
import { decodeEntity } from '../../functions/shared/store/model/item-codec.ts';
import { decodeJob, jobsQuery } from '../../functions/shared/store/model/job.ts';
import { entityKey } from '../../functions/shared/store/model/keys.ts';
import { type Kind, referencesOf } from '../../functions/shared/store/model/relations.ts';
import type { IndexFamily } from '../../functions/shared/store/model/table.ts';
import type { Item, Key } from '../../functions/shared/store/model/writes.ts';
import { compareLogs, type LogDifference, rebuildLogs } from './logs.ts';
import type { Drift, Report } from './report.ts';
import {
  type Difference,
  differences,
  type ListingSnapshot,
  type Reference,
  readSnapshot,
  referencesFrom,
  tenantOf,
} from './snapshot.ts';
import { compareTexts, repairText, type TextDifference } from './texts.ts';

export interface AuditOptions {
  /** Whether to repair what is wrong. */
  readonly repair?: boolean;
  /** Receives the number of items in each page of the scan. */
  readonly onItems?: ((count: number) => void) | undefined;
  /**
   * Milliseconds between two comparisons of a counter that seems wrong. It is wrong when both have the same result. The
   * pause must be longer than the lag of a global secondary index, or new entities count as missing.
   */
  readonly pause: number;
  /** Milliseconds after which a record of a change log is settled. Tests that write nothing meanwhile need not wait. */
  readonly marginMs?: number;
}

/** Comparisons of one group before it is reported as unsettled. */
const maxComparisons = 8;

/** Deadline of one call, retries included. */
const maxCallMs = 60_000;

/** Returns the kind, which is the second part of a key. */
const kindOf = (key: string): Kind => key.split('#')[1] as Kind;

/** Returns the index families that can contain a listing. */
function familiesOf(partition: string): IndexFamily[] {
  const [, , field] = partition.split('#');
  if (field === undefined) return ['all'];
  return referencesOf(kindOf(partition)).flatMap((relation) =>
    relation.field === field && relation.index ? [relation.index] : [],
  );
}

const driftOf = (partition: string, { level, counter, expected }: Difference): Drift => ({
  where: `${level} ${counter.start} of ${partition}`,
  expected,
  counted: counter.numbers,
});

class TableAudit {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #options: AuditOptions;

  constructor(client: DynamoDBDocumentClient, tableName: string, options: AuditOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#options = options;
  }

  get #database(): Database {
    return new Database(this.#client, this.#tableName, new Deadline(maxCallMs));
  }

  async run(): Promise<Report> {
    const {
      entities,
      listings,
      dangling,
      malformed,
      texts: scanned,
    } = await readSnapshot(this.#client, this.#tableName, this.#options.onItems ?? (() => {}));
    const drifts: Drift[] = [];
    const unsettled: string[] = [];
    let repaired = 0;
    for (const listing of listings.values()) {
      for (const group of new Set(differences(listing.counted, listing.items).map((one) => one.group))) {
        const found = await this.#confirm(listing, group);
        if (!found) unsettled.push(listing.partition);
        drifts.push(...(found ?? []).map((difference) => driftOf(listing.partition, difference)));
        repaired += await this.#correct(listing.partition, found ?? []);
      }
    }
    const orphans = await this.#orphans(dangling);
    repaired += await this.#sweep(orphans);
    const texts = await compareTexts(this.#database, scanned.suspects, this.#options.pause);
    repaired += await this.#repairTexts(texts);
    const logs = await compareLogs(this.#client, this.#tableName, this.#options.pause);
    repaired += await this.#rebuild(logs);
    return {
      entities: entities.size,
      listings: listings.size,
      drifts,
      orphans: orphans.map(({ child, member, parent }) => ({
        entity: child.pk,
        field: member,
        refersTo: parent.pk,
      })),
      malformed: malformed.map(({ pk }) => pk),
      unsettled,
      texts,
      logs,
      repaired,
    };
  }

  /**
   * Compares a group with its entities, which are read consistently.
   * @returns undefined when the counters changed meanwhile.
   */
  async #compare(partition: string, group: string): Promise<Difference[] | undefined> {
    const database = this.#database;
    const groups = toCounters(await readItems(database, partition, 'group', group, end));
    const to = groups.find(({ start }) => start > group)?.start ?? end;
    const readGroup = async (): Promise<Item[]> => {
      const blocks = await readItems(database, partition, 'block', group, to);
      const own = await readItems(database, partition, 'group', group, group);
      return [...blocks.filter(({ sk }) => sk < levels.block + to), ...own];
    };
    const items = await readGroup();
    const tenant = tenantOf({ pk: partition, sk: '' });
    const keys: Key[] = [];
    for (const family of familiesOf(partition)) {
      const query = partQuery({ family, partition }, { from: group, to }, 'up');
      for await (const page of database.pages(query)) {
        keys.push(...page.map(({ id }) => entityKey(tenant, kindOf(partition), String(id))));
      }
    }
    const counted = (await database.getMany(keys))
      .map(decodeEntity)
      .filter((stored) => listingsOf(tenant, stored).some((listing) => listing.partition === partition))
      .map(({ entity }) => ({ time: timeOf(entity.id), status: countedStatus(entity.status) }));
    const isSettled = isDeepStrictEqual(items, await readGroup());
    return isSettled ? differences(counted, items) : undefined;
  }

  /**
   * Compares a group until two comparisons have the same result.
   * @returns undefined when the group changed during every comparison.
   */
  async #confirm({ partition }: ListingSnapshot, group: string): Promise<Difference[] | undefined> {
    let before: Drift[] | undefined;
    for (let comparison = 1; comparison <= maxComparisons; comparison += 1) {
      const found = await this.#compare(partition, group);
      if (found?.length === 0) return [];
      const seen = found?.map((difference) => driftOf(partition, difference));
      if (seen && isDeepStrictEqual(seen, before)) return found;
      before = seen;
      await delay(this.#options.pause);
    }
    return undefined;
  }

  async #correct(partition: string, found: readonly Difference[]): Promise<number> {
    if (!this.#options.repair) return 0;
    let corrected = 0;
    for (const difference of found) {
      const { level, counter, expected } = difference;
      if (await correctCounter(this.#database, partition, level, counter, expected)) corrected += 1;
    }
    return corrected;
  }

  /** Returns the references that still have no target and that no job is about to clear. */
  async #orphans(dangling: readonly Reference[]): Promise<Reference[]> {
    if (dangling.length === 0) return [];
    const database = this.#database;
    const swept = new Set<string>();
    for await (const items of database.pages(jobsQuery)) {
      for (const { tenant, work } of items.map(decodeJob)) {
        if (work.type === 'sweep') swept.add(entityKey(tenant, work.kind, work.id).pk);
      }
    }
    const left = dangling.filter(({ parent }) => !swept.has(parent.pk));
    const children = await database.getMany(uniqueKeys(left.map(({ child }) => child)));
    const parents = await database.getMany(uniqueKeys(left.map(({ parent }) => parent)));
    const existing = new Set(parents.map(({ pk }) => pk));
    return children
      .flatMap((item) => referencesFrom(tenantOf(item), decodeEntity(item)))
      .filter(({ parent }) => left.some((one) => one.parent.pk === parent.pk) && !existing.has(parent.pk));
  }

  async #repairTexts(texts: readonly TextDifference[]): Promise<number> {
    if (!this.#options.repair) return 0;
    for (const difference of texts) await repairText(this.#database, difference);
    return texts.length;
  }

  /** Writes the columns of logs again. */
  async #rebuild(logs: readonly LogDifference[]): Promise<number> {
    if (!this.#options.repair || logs.length === 0) return 0;
    const { marginMs } = this.#options;
    const only = new Set(logs.map(({ log }) => log));
    const options = { only, ...(marginMs !== undefined && { marginMs }) };
    return (await rebuildLogs(this.#client, this.#tableName, options)).logs;
  }

  /** Runs the deletion job of the missing parents. */
  async #sweep(orphans: readonly Reference[]): Promise<number> {
    if (!this.#options.repair) return 0;
    for (const parent of uniqueKeys(orphans.map((orphan) => orphan.parent))) {
      const [tenant = '', kind = '', id = ''] = parent.pk.split('#');
      const job = randomUUID();
      await this.#database.transact([beginSweep(tenant, kind as Kind, id, job)]);
      await continueJob(this.#database, { tenant, id: job }, { owner: `audit ${randomUUID()}` });
    }
    return orphans.length;
  }
}

const uniqueKeys = (keys: readonly Key[]): Key[] => [...new Map(keys.map((key) => [key.pk, key])).values()];

/** Audits a table. The table may be used meanwhile. */
export const auditTable = (
  client: DynamoDBDocumentClient,
  tableName: string,
  options: AuditOptions,
): Promise<Report> => new TableAudit(client, tableName, options).run();
