/** What only some callers may change of what they see. What they may delete needs lists, and is in `deletions/delete-entity.ts`. */
import { isDeepStrictEqual } from 'node:util';
import { decidesWhoViewersAre, isOpen, membersIn, membersRuleOf } from '../model/access.ts';
import type { Change } from '../model/changes.ts';
import { ContradictingField, NeedsFullSight, NotAMember } from '../model/errors.ts';
import { type MembersRule, settingsInUse } from '../model/schema.ts';
import { uniqueFieldOf, uniqueValueOf } from '../model/unique-value.ts';
import type { Session } from '../table/session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Members alone change who sees an entity. If it has none, those may who make themselves one. */
function findRefusalOfMembers(
  rule: MembersRule,
  user: string | undefined,
  before: Fields | undefined,
  after: Fields,
) {
  const isMember = (fields: Fields): boolean => user !== undefined && membersIn(rule, fields).includes(user);
  const { members } = rule;
  const reserved = new NeedsFullSight(`"${members}" has nobody yet.`);
  if (!before) {
    if (isOpen(rule, after)) return undefined;
    if (settingsInUse().reservesClosing()) return reserved;
    if (isMember(after)) return undefined;
    return new ContradictingField(members, `"${members}" must have you: otherwise you would not see it.`);
  }
  const had = membersIn(rule, before);
  const isSame =
    isOpen(rule, before) === isOpen(rule, after) && isDeepStrictEqual(had, membersIn(rule, after));
  if (isSame) return undefined;
  if (had.length === 0 && settingsInUse().reservesClosing()) return reserved;
  if (isMember(had.length > 0 ? before : after)) return undefined;
  const [visibility] = Object.keys(rule.when);
  return new NotAMember(
    had.length > 0
      ? `Only members change "${members}" and "${visibility}".`
      : `Without members, only who becomes one changes "${members}" and "${visibility}".`,
  );
}

/**
 * Returns why the caller may not make a change; `undefined` when the caller may.
 * @returns NeedsFullSight for a change of who a viewer is, but for the creation of the caller as one; NotAMember; ContradictingField.
 */
export async function findRefusal(session: Session, change: Change) {
  const { sight } = session;
  if (!sight) return undefined;
  const { before, after } = change;
  const kind = (after ?? before)?.kind ?? '';
  const [former, wanted] = [uniqueValueOf(before), uniqueValueOf(after)];
  const isOwn = before === undefined && wanted === sight.uniqueValue;
  if (decidesWhoViewersAre(kind) && former !== wanted && !isOwn)
    return new NeedsFullSight(`"${uniqueFieldOf(kind)}" says who somebody is.`);
  const rule = membersRuleOf(kind);
  if (!rule || !after || after.deletion || before?.deletion) return undefined;
  return findRefusalOfMembers(rule, await sight.user(kind), before?.entity, after.entity);
}

/** @throws the errors that `findRefusal` returns. */
export async function requirePermission(session: Session, change: Change): Promise<void> {
  const error = await findRefusal(session, change);
  if (error) throw error;
}
