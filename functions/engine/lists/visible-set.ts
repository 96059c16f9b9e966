/** The rules of viewers as filters of rows. */
import { hash } from 'node:crypto';
import { listRows } from '../columns/read/list-rows.ts';
import { type ListSource, type LogState, openSource, readState } from '../columns/read/read-state.ts';
import type { RowFilter } from '../columns/read/row-filter.ts';
import { allRows } from '../columns/read/row-query.ts';
import type { Progress } from '../log/progress.ts';
import { guardOf, membersRuleOf, ruleOf } from '../model/access.ts';
import type { Kind, MembersRule, Relation } from '../model/schema.ts';
import { type Session, withoutSight } from '../table/session.ts';
import type { Sight } from '../table/sight.ts';

/** The caller of a list, if it leaves out what the caller does not see. */
export interface Viewer {
  readonly number: number;
  /** How far the logs are known of the entities through which the list is seen: first those to which its own refer. */
  readonly guards: readonly Progress[];
}

interface Rule {
  readonly filter?: RowFilter | undefined;
  readonly guards: readonly Progress[];
}

interface VisibleSet {
  readonly ids: readonly string[];
  /** The same ids have the same name. */
  readonly name: string;
  readonly state: string;
}

/** Bytes of an id in memory, about. */
const idBytes = 100;

function membersFilter({ members, when }: MembersRule, user: string | undefined): RowFilter {
  const ofMember: RowFilter = {
    field: members,
    condition: { by: 'anyId', ids: user === undefined ? [] : [user] },
  };
  return Object.entries(when).reduce<RowFilter>(
    (or, [field, value]) => ({
      ...{ field, condition: { by: 'texts', texts: [value] }, isNegated: true, acceptsNull: true },
      or,
    }),
    ofMember,
  );
}

/** Accepts rows of entities whose reference names one of a set, or nothing. */
const throughFilter = ({ field }: Relation, { ids, name }: Pick<VisibleSet, 'ids' | 'name'>): RowFilter => ({
  ...{ field, condition: { by: 'texts', texts: ids }, acceptsNull: true, name },
});

async function readIds(source: ListSource, state: LogState, filter: RowFilter | undefined) {
  const query = { ...allRows, filters: filter ? [filter] : [], limit: Number.MAX_SAFE_INTEGER };
  // A deleted entity is seen by those who saw it: so is what is deleted with it, until the job of the deletion has come to it.
  const existing = await listRows(source, state, query);
  const deleted = await listRows(source, state, { ...query, isOfDeleted: true });
  return [...existing.rows, ...deleted.rows].map(({ id }) => id).sort();
}

async function readSet(session: Session, sight: Sight, kind: Kind) {
  const source = openSource(session, kind);
  const { memory } = source;
  const rule = membersRuleOf(kind);
  const [user, state] = await Promise.all([rule && sight.user(kind), readState(source)]);
  const { progress, isComplete } = state;
  const { filter, guards } = await readRule(session, sight, kind);
  // What depends on a viewer is remembered under the viewer.
  const name = `visible-to ${user ?? filter?.name ?? ''}`;
  const version = `${progress.position}/${progress.holes.join()}/${filter?.name ?? ''}`;
  const ofAll = [progress, ...guards];
  const known = memory.get(name) as VisibleSet | undefined;
  if (isComplete && known?.state === version) return { set: known, guards: ofAll };
  const ids = await readIds(source, state, filter);
  const set: VisibleSet = { ids, name: hash('sha256', ids.join(), 'base64url'), state: version };
  if (isComplete) memory.set(name, set, idBytes * ids.length);
  return { set, guards: ofAll };
}

/**
 * Returns the rule of a kind as a filter. It is read after the log that it filters: a list would leave out for ever what was created with an entity through which it
 * is seen, between the two.
 */
async function readRule(session: Session, sight: Sight, kind: Kind): Promise<Rule> {
  const rule = membersRuleOf(kind);
  if (rule) return { filter: membersFilter(rule, await sight.user(kind)), guards: [] };
  const guard = guardOf(kind);
  if (!guard) return { guards: [] };
  const { set, guards } = await readSet(session, sight, guard.parent);
  return { filter: throughFilter(guard, set), guards };
}

/** Returns filters that need the same columns as the rule of the caller, which is read later. */
export function columnsOfRule({ sight }: Session, kind: Kind): readonly RowFilter[] {
  if (!sight) return [];
  const [rule, guard] = [membersRuleOf(kind), guardOf(kind)];
  if (rule) return [membersFilter(rule, undefined)];
  return guard ? [throughFilter(guard, { ids: [], name: '' })] : [];
}

/** Returns the filter that a list of a kind has for the caller, and the viewer; nothing for a caller who sees all of the kind. */
export async function readVisibleRows(
  session: Session,
  kind: Kind,
): Promise<{ readonly filter?: RowFilter | undefined; readonly viewer?: Viewer }> {
  const { sight } = session;
  if (!sight || !ruleOf(kind)) return {};
  const { filter, guards } = await readRule(withoutSight(session), sight, kind);
  return { filter, viewer: { number: await sight.number(kind), guards } };
}
