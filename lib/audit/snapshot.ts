/**
 * What two scans of the table find. The first one makes checksums of what is stored in two places, and a set of the entities that others refer to.
 * The second one collects what these do not explain: differences, which must be confirmed, because writes continue meanwhile.
 */

import { isDeepStrictEqual } from 'node:util';
import { toValues } from '../../functions/engine/columns/compact/row-block.ts';
import { decodeManifest, isManifest } from '../../functions/engine/columns/format/manifest.ts';
import { numberOf } from '../../functions/engine/entities/numbers.ts';
import {
  logPartition,
  parseLogPartition,
  positionOf,
  recordPrefix,
} from '../../functions/engine/model/change-log.ts';
import { isExpired, storedRow } from '../../functions/engine/model/deletion.ts';
import type { AnyEntity, StoredEntity } from '../../functions/engine/model/entity.ts';
import { UnknownFormat } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity, encodeEntity } from '../../functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey } from '../../functions/engine/model/keys.ts';
import { referencesOf } from '../../functions/engine/model/relations.ts';
import type { Row } from '../../functions/engine/model/row.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import { isCut, splitWords, withoutWords, wordsField } from '../../functions/engine/model/words.ts';
import type { Item, Key } from '../../functions/engine/model/writes.ts';
import { schema } from '../../functions/schema.ts';
import { Checksums, KeyFilter, StoredCopies, type StoredCopy } from './checksums.ts';
import { copyOfSubject } from './subjects.ts';
import { copyOfText } from './texts.ts';
import { parentKeyOf, tenantOf } from './trees.ts';

export interface Reference {
  readonly child: Key;
  readonly member: string;
  readonly parent: Key;
}

/** Findings of each kind, and rows of each log, that are kept. More would need memory by the number of errors, which can be that of all entities. */
export const maxFindings = 10_000;

export function referencesFrom(tenant: string, { kind, entity }: StoredEntity): Reference[] {
  const child = entityKey(tenant, kind, entity.id);
  return referencesOf(kind).flatMap(({ field: member, parent }) =>
    [entity[member] ?? []]
      .flat()
      .map((id) => ({ child, member, parent: entityKey(tenant, parent, String(id)) })),
  );
}

/** Returns a row as audits compare it. Of a text that it shows in part, it does not tell the words. */
export const comparedRow = (row: Row): Row =>
  isCut(row) ? withoutWords(row) : { ...row, [wordsField]: splitWords(row[wordsField]).sort().join(' ') };

/** Returns the row that the log of an entity must have, as audits compare it; none of a deleted one that has expired or was erased. */
export function rowOfEntity(stored: AnyEntity, nowMs: number): Row | undefined {
  const row = stored.deletion && isExpired(stored.deletion, nowMs) ? undefined : storedRow(stored);
  return row && comparedRow(toValues(row));
}

/** Returns the copy of a row in a log. The columns and the entity give the fields in different orders. */
export function copyOfRow(
  log: string,
  id: string,
  { version, row }: { version: number; row: Row },
  sign: 1 | -1,
): StoredCopy {
  const fields = Object.entries(row)
    .map(([field, value]) => (value === null ? field : `${field}=${value}`))
    .sort();
  return { key: `${log}#${id}`, value: JSON.stringify([version, ...fields]), sign };
}

export interface AuditedLog {
  readonly tenant: string;
  readonly kind: Kind;
  /** The greatest position that a record, the columns or an entity have. */
  position: number;
  /** The greatest number of an entity, also of a deleted one; 0 without any. */
  number: number;
  /** Entities that lack a number, although their kind has numbers. */
  unnumbered: number;
  /** Whether the columns could not be subtracted, so the log must be compared whatever the checksum is. */
  isUncertain: boolean;
  /** The ids of entities with a checksum that differs, of a log that differs. */
  readonly suspects: Set<string>;
}

const parents = new Set<string>(schema.relations.map(({ parent }) => parent));

/** Returns the position up to which the columns of a log have its changes; 0 for those of another release. */
function watermarkOf(manifest: Item): number {
  try {
    return decodeManifest(manifest).watermark;
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error;
    return 0;
  }
}

/** Returns the position that a log has according to its manifest, or to a record; `undefined` for another item. */
function positionOfLog(item: Item): number | undefined {
  if (isManifest(item)) return watermarkOf(item);
  return item.sk.startsWith(recordPrefix) ? positionOf(item.sk) : undefined;
}

/** The result of the first scan. */
export class Inventory {
  /** By partition. A log can have rows although no entity is left, in its columns or in its records. */
  readonly logs = new Map<string, AuditedLog>();
  readonly checksums = new Checksums();
  /** Of the rows of each log, by partition: the entities add them, and the columns subtract them. */
  readonly #logs = new Checksums();
  /** The entities that others can refer to. */
  readonly referable = new KeyFilter();
  /** The entities that are above others in a tree. */
  readonly inner = new KeyFilter();
  readonly malformed: string[] = [];
  /** When the audit began, in milliseconds since 1970: which deletions have expired. */
  readonly nowMs: number;
  entities = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  add(item: Item): void {
    for (const copy of [copyOfText(item), copyOfSubject(item)]) if (copy) this.checksums.change(copy);
    const position = positionOfLog(item);
    const log = position === undefined ? undefined : parseLogPartition(item.pk);
    if (log) this.#reach(log.tenant, log.kind, position);
    if (item.sk === entitySortKey) this.#addEntity(item);
  }

  /** Changes the checksums of a row. */
  change(partition: string, copy: StoredCopy): void {
    this.#logs.change({ ...copy, key: partition, value: `${copy.key} ${copy.value}` });
    this.checksums.change(copy);
  }

  /** Returns whether the rows of a log differ from its entities. */
  mayDiffer(partition: string): boolean {
    return this.logs.get(partition)?.isUncertain || this.#logs.differs(partition);
  }

  #addEntity(item: Item): void {
    const { pk } = item;
    const stored = decodeAnyEntity(item);
    const tenant = tenantOf(item);
    const isMalformed = !isDeepStrictEqual(
      { ...encodeEntity(tenant, stored, stored.logPosition ?? 0) },
      { ...item },
    );
    if (isMalformed && this.malformed.length < maxFindings) this.malformed.push(pk);
    const { kind, entity, version, deletion } = stored;
    const log = this.#reach(tenant, kind, stored.logPosition);
    const row = rowOfEntity(stored, this.nowMs);
    const partition = logPartition(tenant, kind);
    if (row) this.change(partition, copyOfRow(partition, entity.id, { version, row }, 1));
    const number = schema.numbered.includes(kind) ? numberOf(entity) : undefined;
    log.number = Math.max(log.number, number ?? 0);
    if (deletion) return;
    if (number === 0) log.unnumbered += 1;
    this.entities += 1;
    if (parents.has(kind)) this.referable.add(pk);
    const parent = parentKeyOf(tenant, stored as StoredEntity);
    if (parent) this.inner.add(parent);
  }

  /** Notes that a log has reached a position, and returns it. */
  #reach(tenant: string, kind: Kind, position = 0): AuditedLog {
    const partition = logPartition(tenant, kind);
    const log = this.logs.get(partition) ?? {
      tenant,
      kind,
      position,
      number: 0,
      unnumbered: 0,
      isUncertain: false,
      suspects: new Set(),
    };
    log.position = Math.max(log.position, position);
    this.logs.set(partition, log);
    return log;
  }
}

/** The result of the second scan. */
export class Suspects {
  readonly dangling: Reference[] = [];
  readonly texts = new StoredCopies();
  readonly subjects = new StoredCopies();
  /** The parents of entities that are between others in a tree: a cycle has no others. */
  readonly parentOf = new Map<string, string>();
  readonly #inventory: Inventory;
  #kept = 0;

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
  }

  add(item: Item): void {
    const { checksums, logs, referable, inner } = this.#inventory;
    const keep = (copies: StoredCopies, copy: StoredCopy | undefined): boolean => {
      if (!copy || this.#kept >= maxFindings || !checksums.differs(copy.key)) return false;
      copies.add(copy);
      return true;
    };
    const kept = [keep(this.texts, copyOfText(item)), keep(this.subjects, copyOfSubject(item))];
    this.#kept += Number(kept.includes(true));
    if (item.sk !== entitySortKey) return;
    const stored = decodeAnyEntity(item);
    const tenant = tenantOf(item);
    const partition = logPartition(tenant, stored.kind);
    const log = logs.get(partition);
    if (
      log &&
      this.#inventory.mayDiffer(partition) &&
      log.suspects.size < maxFindings &&
      checksums.differs(`${partition}#${stored.entity.id}`)
    )
      log.suspects.add(stored.entity.id);
    if (stored.deletion) return;
    const existing = stored as StoredEntity;
    const parent = parentKeyOf(tenant, existing);
    if (parent && inner.has(item.pk)) this.parentOf.set(item.pk, parent);
    if (this.dangling.length >= maxFindings) return;
    const references = referencesFrom(tenant, existing);
    this.dangling.push(...references.filter(({ parent: { pk } }) => !referable.has(pk)));
  }
}
