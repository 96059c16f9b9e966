import { now } from '../../runtime/time-and-chance.ts';
import { buildCreate } from '../model/changes.ts';
import type { Fields } from '../model/entity.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { commit } from '../write/commit.ts';
import { inheritGuards } from './inherited-guards.ts';
import { numbersBeside, withNumber } from './numbers.ts';
import { requireUsableId } from './own-ids.ts';
import { requireValid } from './requirements.ts';

/**
 * Creates an entity.
 * @param id that the caller has made; a new one by default.
 * @throws the errors of `requireValid`; VersionMismatch when an entity has the id of the caller; IdTaken, UnusableId.
 */
export function createEntity(session: Session, kind: Kind, fields: Fields, id?: string) {
  // A request with an id is a PUT, which can be refused without a write.
  const kinds = id === undefined ? [kind] : [];
  const withNumbers = numbersBeside(session, kind, 1);
  return commit(
    session,
    async () => {
      const [own, [number]] = await withNumbers(async () => {
        if (id !== undefined) await requireUsableId(session, kind, id);
        const [whole = fields] = await inheritGuards(session, kind, [{ isCreated: true, fields }]);
        const created = buildCreate(kind, whole, now(), id);
        await requireValid(session, created);
        return created;
      });
      const change = withNumber(own, number);
      return { changes: [change], result: change.after };
    },
    kinds,
  );
}
