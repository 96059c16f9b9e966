/** Who sees entities: the rules of the schema. A rule is a filter that the engine adds wherever a viewer reads or changes. */
import { referencesOf } from './relations.ts';
import { type AccessRule, type Kind, type MembersRule, type Relation, schemaInUse } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the rule of a kind; `undefined` when all of a tenant see its entities. */
export const ruleOf = (kind: Kind): AccessRule | undefined => schemaInUse().access[kind];

/** Returns the rule of a kind whose entities some users see; `undefined` for another kind. */
export function membersRuleOf(kind: Kind): MembersRule | undefined {
  const rule = ruleOf(kind);
  return rule && 'members' in rule ? rule : undefined;
}

/** Returns the reference through which entities of a kind are seen; `undefined` when there is none. */
export function guardOf(kind: Kind): Relation | undefined {
  const rule = ruleOf(kind);
  return rule && 'through' in rule
    ? referencesOf(kind).find(({ field }) => field === rule.through)
    : undefined;
}

/** Returns the kinds through which entities of a kind are seen: first that to which they refer. */
export function guardKinds(kind: Kind): Kind[] {
  const guard = guardOf(kind);
  return guard ? [guard.parent, ...guardKinds(guard.parent)] : [];
}

/** Returns whether a reference decides who sees its entity: without it, all would. */
export const isGuard = ({ child, field }: Relation): boolean => guardOf(child)?.field === field;

/** Returns the kind of the users who decide who sees entities of a kind; `undefined` when all see them. */
export function viewerKindOf(kind: Kind): Kind | undefined {
  const last = guardKinds(kind).at(-1) ?? kind;
  return referencesOf(last).find(({ field }) => field === membersRuleOf(last)?.members)?.parent;
}

/** Returns whether entities of a kind are those whom rules name as members: their unique values say who is who. */
export const decidesWhoViewersAre = (kind: Kind): boolean =>
  Object.keys(schemaInUse().access).some((one) => viewerKindOf(one) === kind);

/** Returns whether all of a tenant see an entity, or a row, with these fields. */
export const isOpen = ({ when }: MembersRule, fields: Fields): boolean =>
  Object.entries(when).some(([field, value]) => fields[field] !== value);

/** Returns the ids of those who see an entity, or a row. */
export function membersIn({ members }: MembersRule, fields: Fields): readonly string[] {
  const value = fields[members] ?? [];
  return typeof value === 'string' ? value.split(',') : (value as readonly string[]);
}

/** Returns whether a user sees an entity, or a row, with these fields. @param user `undefined` for a caller who is no user. */
export const isSeenBy = (rule: MembersRule, fields: Fields, user: string | undefined): boolean =>
  isOpen(rule, fields) || (user !== undefined && membersIn(rule, fields).includes(user));
