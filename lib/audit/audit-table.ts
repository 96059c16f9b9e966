/**
 * Audits a whole table while it is used: compares the rows and the totals of the list engine with the entities, looks up every reference, finds cycles, and
 * compares the keys of every entity with its fields, its long text with its digest, its subject with the item that makes it unique, the sequencer of each
 * change log with its positions, the counter of numbers with the numbers of entities, and the registry with the logs. Repairs what is wrong when the options
 * ask for it.
 */

import { randomUUID } from 'node:crypto';
import { type RestoreWork, restoreType } from '../../functions/engine/deletions/restore.ts';
import { beginSweep, type SweepWork, sweepType } from '../../functions/engine/deletions/sweep.ts';
import { readJobs } from '../../functions/engine/due-work/read-jobs.ts';
import { findCycles } from '../../functions/engine/entities/cycles.ts';
import { isDeletedItem } from '../../functions/engine/model/deletion.ts';
import { newId } from '../../functions/engine/model/ids.ts';
import { decodeAnyEntity, decodeEntity } from '../../functions/engine/model/item-codec.ts';
import { entityKey } from '../../functions/engine/model/keys.ts';
import type { Item, Key } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { maxRequestMs } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { continueJob } from '../../functions/jobs/continue-job.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';
import { openTable, type ScannedTable, scanTable } from '../hosting/scan-table.ts';
import { compareLogs, type LogDifference, subtractRows } from './compare-logs.ts';
import { rebuildLogs } from './rebuild-logs.ts';
import type { Report } from './report.ts';
import { compareLogItems, raiseLogItems } from './sequencers.ts';
import { Inventory, type Reference, referencesFrom, Suspects } from './snapshot.ts';
import { compareSubjects, repairSubject } from './subjects.ts';
import { compareTexts, repairText } from './texts.ts';
import { compareTrees, repairCycle, tenantOf } from './trees.ts';
import { findUnnumbered, numberEntities } from './unnumbered.ts';

interface AuditOptions {
  readonly repair?: boolean;
  /** Milliseconds between two comparisons of a log. It is wrong when both find the same: writes in progress have ended by then. */
  readonly pauseMs: number;
  /** Milliseconds since 1970; by default, the time of this machine. */
  readonly nowMs?: number;
}

interface Findings extends Omit<Report, 'entities' | 'compared' | 'orphans' | 'malformed' | 'repaired'> {
  readonly orphans: readonly Reference[];
}

class TableAudit {
  readonly #table: ScannedTable;
  readonly #options: AuditOptions;

  constructor(table: ScannedTable, options: AuditOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Each read has its own time. */
  readonly #open = (): Database => openTable(this.#table);

  async run(): Promise<Report> {
    const { pauseMs } = this.#options;
    const table = this.#table;
    const inventory = new Inventory(this.#options.nowMs ?? now());
    await scanTable(table, (items) => {
      for (const item of items) inventory.add(item);
    });
    const open = this.#open;
    const logItems = await compareLogItems(open, inventory.logs);
    await subtractRows(table, inventory);
    const suspects = new Suspects(inventory);
    await scanTable(table, (items) => {
      for (const item of items) suspects.add(item);
    });
    const found: Findings = {
      orphans: await this.#orphans(suspects.dangling),
      cycles: await compareTrees(open, findCycles(suspects.parentOf)),
      texts: await compareTexts(open, suspects.texts, pauseMs),
      subjects: await compareSubjects(open, suspects.subjects, pauseMs),
      ...logItems,
      unnumbered: findUnnumbered(inventory.logs),
      logs: await compareLogs({ table, inventory, pauseMs }),
    };
    const { entities, malformed } = inventory;
    return {
      ...found,
      entities,
      compared: inventory.logs.size,
      orphans: found.orphans.map(({ child, member, parent }) => ({
        entity: child.pk,
        field: member,
        refersTo: parent.pk,
      })),
      malformed,
      repaired: this.#options.repair ? await this.#repair(found) : 0,
    };
  }

  /**
   * Repairs what was found. The sequencers come first, because the other repairs write changes. Then the logs, because a sweep lists the entities that it changes. And a log can have the record of a change that
   * its entity lacks: the next change of this entity makes the same version again, and compaction must not take the first one for it. So the entities of a tenant
   * whose log cannot be rebuilt stay as they are.
   */
  async #repair({ sequencers, counters, unlisted, logs, ...found }: Findings): Promise<number> {
    await raiseLogItems(this.#open, { sequencers, counters, unlisted });
    const blocked = await this.#rebuild(logs);
    const blockedTenants = new Set([...blocked].map((pk) => tenantOf({ pk })));
    const isOpen = (pk: string): boolean => !blockedTenants.has(tenantOf({ pk }));
    const orphans = found.orphans.filter(({ child }) => isOpen(child.pk));
    const cycles = found.cycles.filter(([pk = '']) => isOpen(pk));
    const texts = found.texts.filter(({ entity }) => isOpen(entity));
    const subjects = found.subjects.filter(({ item }) => isOpen(item));
    const unnumbered = found.unnumbered.filter(({ log }) => isOpen(log));
    await this.#sweep(orphans);
    for (const cycle of cycles) await repairCycle(this.#open(), cycle);
    for (const difference of texts) await repairText(this.#open(), difference);
    for (const difference of subjects) await repairSubject(this.#open(), difference);
    for (const { log } of unnumbered) await numberEntities(this.#open, log);
    const own = [sequencers, counters, unlisted, logs];
    const differences = [...own, orphans, cycles, texts, subjects, unnumbered];
    return differences.reduce((sum, { length }) => sum + length, -blocked.length);
  }

  /** Returns the references that still have no target, and that no job is about to clear, or to give their target back. */
  async #orphans(dangling: readonly Reference[]): Promise<Reference[]> {
    if (dangling.length === 0) return [];
    const database = this.#open();
    const swept = new Set<string>();
    const restored = new Set<string>();
    for (const { tenant, work } of await readJobs(database)) {
      const { kind = '', ids = [] } = work.type === sweepType ? (work as SweepWork) : {};
      for (const id of ids) swept.add(entityKey(tenant, kind, id).pk);
      if (work.type === restoreType) restored.add(keyOfRestore(tenant, work as RestoreWork));
    }
    /** Whether a job of the deletion that has removed an entity, or of its restore, is not complete. */
    const hasJob = (item: Item): boolean => {
      const root = decodeAnyEntity(item).deletion?.root;
      const key = root && entityKey(tenantOf(item), root.kind, root.id).pk;
      return key !== undefined && (swept.has(key) || restored.has(key));
    };
    const left = dangling.filter(({ parent }) => !swept.has(parent.pk));
    const children = await database.getMany(uniqueKeys(left.map(({ child }) => child)));
    const parents = await database.getMany(uniqueKeys(left.map(({ parent }) => parent)), true, {
      withDeleted: true,
    });
    const existing = new Set(
      parents.filter((item) => !isDeletedItem(item) || hasJob(item)).map(({ pk }) => pk),
    );
    return children
      .flatMap((item) => referencesFrom(tenantOf(item), decodeEntity(item)))
      .filter(({ parent }) => left.some((one) => one.parent.pk === parent.pk) && !existing.has(parent.pk));
  }

  /** Returns the logs that could not be rebuilt. */
  async #rebuild(logs: readonly LogDifference[]): Promise<string[]> {
    if (logs.length === 0) return [];
    const { client, tableName, segments } = this.#table;
    const only = new Set(logs.map(({ log }) => log));
    return [...(await rebuildLogs(client, tableName, { only, segments })).blocked.keys()];
  }

  async #sweep(orphans: readonly Reference[]): Promise<void> {
    for (const parent of uniqueKeys(orphans.map((orphan) => orphan.parent))) {
      const [tenant = '', kind = '', id = ''] = parent.pk.split('#');
      const job = { tenant, id: newId(now()).id };
      await this.#open().transact([beginSweep({ tenant }, kind, [id], job)]);
      // As long as a step of a job in the cloud: later passes of restores wait for no longer one.
      const database = openTable(this.#table, maxRequestMs);
      await continueJob(database, job, { owner: `audit ${randomUUID()}` });
    }
  }
}

/** Returns the key of the root of the deletion of which a job restores something. */
const keyOfRestore = (tenant: string, { kind, id, root = { kind, id } }: RestoreWork): string =>
  entityKey(tenant, root.kind, root.id).pk;

const uniqueKeys = (keys: readonly Key[]): Key[] => [...new Map(keys.map((key) => [key.pk, key])).values()];

export const auditTable = (
  client: DynamoDb,
  tableName: string,
  { segments, onItems, ...options }: AuditOptions & Pick<ScannedTable, 'segments' | 'onItems'>,
): Promise<Report> => new TableAudit({ client, tableName, segments, onItems }, options).run();
