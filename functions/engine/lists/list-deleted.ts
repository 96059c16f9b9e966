/** Lists of deleted entities that can be restored. They come from an index, which can lag behind the writes of the last moment. */
import { now } from '../../runtime/time-and-chance.ts';
import { type DeletedPlace, deletedQuery, expiredAt, placeOf } from '../model/deletion.ts';
import type { DeletedEntity, WholeDeletedEntity } from '../model/entity.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readDeletedTexts } from '../table/whole-entities.ts';

export interface DeletedQuery {
  readonly limit: number;
  /** The page begins behind this place; absent for the first page. */
  readonly after?: DeletedPlace | undefined;
}

export interface DeletedPage {
  /** The last deleted first. */
  readonly deleted: readonly WholeDeletedEntity[];
  /** The place behind the page; absent if no entity follows. */
  readonly end?: DeletedPlace | undefined;
}

/** @throws StoreUnavailable when the time of the request does not suffice; ReadBudgetExceeded. */
export async function listDeleted(
  session: Session,
  kind: Kind,
  { limit, after }: DeletedQuery,
): Promise<DeletedPage> {
  const { tenant, database } = session;
  // All of them have expired. DynamoDB refuses a range that ends before its beginning.
  if (after && after.deletedAt <= expiredAt(now())) return { deleted: [] };
  const query = deletedQuery(tenant, kind, now(), after);
  return database.readRequested(async () => {
    // One more tells whether there is another page. The query begins with the entity of the place itself.
    const page = { ...query, Limit: limit + 2 };
    const { items } = await database.query(page, undefined, { withDeleted: true });
    const found = (items.map(decodeAnyEntity) as DeletedEntity[]).filter(
      ({ entity }) => entity.id !== after?.id,
    );
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { deleted: await readDeletedTexts(session, shown), end: last && placeOf(last) };
  });
}
