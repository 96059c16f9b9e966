/** A scan of the whole table. Writes continue meanwhile, so a difference must be confirmed by a second comparison. */

import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { StoredEntity } from '../../functions/store/model/entity.ts';
import { decodeAnyEntity, encodeEntity } from '../../functions/store/model/item-codec.ts';
import { entityKey } from '../../functions/store/model/keys.ts';
import { referencesOf } from '../../functions/store/model/relations.ts';
import type { Item, Key } from '../../functions/store/model/writes.ts';
import { ScannedSubjects } from './subjects.ts';
import { ScannedTexts } from './texts.ts';

export interface Reference {
  readonly child: Key;
  readonly member: string;
  readonly parent: Key;
}

interface ColumnReader {
  readonly entities: ReadonlySet<string>;
  readonly dangling: readonly Reference[];
  readonly malformed: readonly Key[];
  readonly texts: ScannedTexts;
  readonly subjects: ScannedSubjects;
}

export const tenantOf = ({ pk }: Key): string => pk.slice(0, pk.indexOf('#'));

export function referencesFrom(tenant: string, { kind, entity }: StoredEntity): Reference[] {
  const child = entityKey(tenant, kind, entity.id);
  return referencesOf(kind).flatMap(({ field: member, parent }) =>
    [entity[member] ?? []]
      .flat()
      .map((id) => ({ child, member, parent: entityKey(tenant, parent, String(id)) })),
  );
}

class Collection {
  readonly entities = new Set<string>();
  readonly malformed: Key[] = [];
  readonly texts = new ScannedTexts();
  readonly subjects = new ScannedSubjects();
  readonly #references: Reference[] = [];

  add(item: Item): void {
    this.texts.add(item);
    this.subjects.add(item);
    if (item.sk !== 'entity') return;
    const { pk, sk } = item;
    const stored = decodeAnyEntity(item);
    const tenant = tenantOf(item);
    if (!stored.deletion) {
      this.entities.add(pk);
      this.#references.push(...referencesFrom(tenant, stored));
    }
    if (!isDeepStrictEqual({ ...encodeEntity(tenant, stored, stored.stamp ?? 0) }, { ...item }))
      this.malformed.push({ pk, sk });
  }

  get dangling(): Reference[] {
    return this.#references.filter(({ parent }) => !this.entities.has(parent.pk));
  }
}

/** Scans the whole table. Each item is read consistently; the scan as a whole is not. */
export async function readSnapshot(
  client: DynamoDBDocumentClient,
  TableName: string,
  onItems: (count: number) => void,
): Promise<ColumnReader> {
  const collection = new Collection();
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items as Item[]) collection.add(item);
    onItems(Items.length);
  }
  return collection;
}
