import type { ItemFields } from './entity.ts';
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
    if (field === wordsField) continue;
    fields[field] =
      value !== null && isLongTextField(field)
        ? fromInlineText(value)
        : fromValue(value, isArray(kind, field));
  }
  return fields as unknown as ItemFields;
}
