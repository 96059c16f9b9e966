import { deletionOfRow, notDeleted } from './deletion.ts';
import type { DeletedEntity, ItemFields, StoredEntity } from './entity.ts';
import { timestampMs } from './ids.ts';
import { fromInlineText, isLongTextField } from './long-text.ts';
import { isArray } from './relations.ts';
import { fromValue, type Row } from './row.ts';
import type { Kind } from './schema.ts';
import { wordsField } from './words.ts';

/** Returns the entity of a row. It has a digest in the place of a long text. */
export function entityOfRow(kind: Kind, id: string, row: Row): ItemFields {
  const fields: Record<string, unknown> = { id, createdAt: new Date(timestampMs(id)).toISOString() };
  for (const [field, value] of Object.entries(row)) {
    if (field === wordsField || field in notDeleted) continue;
    fields[field] =
      value !== null && isLongTextField(field)
        ? fromInlineText(value)
        : fromValue(value, isArray(kind, field));
  }
  return fields as unknown as ItemFields;
}

/** Returns what the row of an entity, or of a deleted one, stores. */
export function storedOfRow(kind: Kind, id: string, version: number, row: Row): StoredEntity | DeletedEntity {
  const stored = { kind, version, entity: entityOfRow(kind, id, row) };
  const deletion = deletionOfRow(kind, id, row);
  return deletion ? { ...stored, deletion } : stored;
}
