/** The reference through which a new entity is seen. If the caller does not name it, it is that of its parent: nothing is seen by more callers by omission. */
import { guardOf } from '../model/access.ts';
import type { Fields } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { treeOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readStored } from '../table/stored-entities.ts';

interface Written {
  readonly isCreated: boolean;
  readonly id?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the fields of the entities that a request creates, in their order, with this reference. The state after the request decides. */
export async function inheritGuards(
  session: Session,
  kind: Kind,
  written: readonly Written[],
): Promise<Fields[]> {
  const created = written.filter(({ isCreated }) => isCreated);
  const guard = guardOf(kind)?.field;
  if (guard === undefined) return created.map(({ fields }) => fields as Fields);
  const parentField = treeOf(kind)?.field ?? '';
  const byId = new Map(written.map((one) => [one.id, one]));
  const parentOf = ({ fields }: Written): string | undefined => {
    const parent = fields[guard] === undefined ? fields[parentField] : undefined;
    return typeof parent === 'string' && isId(parent) ? parent : undefined;
  };
  const unread = created.flatMap((one) => parentOf(one) ?? []).filter((id) => !byId.get(id)?.isCreated);
  const existing = new Map(
    (await readStored(session, kind, [...new Set(unread)])).map(({ entity }) => [entity.id, entity]),
  );
  const guardOfEntity = (id: string | undefined, seen: readonly string[] = []): unknown => {
    const one = byId.get(id);
    if (id === undefined || seen.includes(id)) return null;
    if (one?.fields[guard] !== undefined) return one.fields[guard];
    if (one?.isCreated) return guardOfEntity(parentOf(one), [...seen, id]);
    return existing.get(id)?.[guard] ?? null;
  };
  return created.map(
    (one) => ({ ...one.fields, [guard]: one.fields[guard] ?? guardOfEntity(parentOf(one)) }) as Fields,
  );
}
