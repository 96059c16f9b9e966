import { type Contract, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { allProjectsScope } from '../../functions/contract/scopes.ts';
import { decidesWhoViewersAre } from '../../functions/engine/model/access.ts';
import { restorableDays } from '../../functions/engine/model/deletion.ts';
import { cascadeKinds, dependentsOf, referencesOf } from '../../functions/engine/model/relations.ts';
import type { Kind, Relation } from '../../functions/engine/model/schema.ts';
import { defaultLimit } from '../../functions/http/parse-list-query.ts';
import { describeFilters } from './operator-descriptions.ts';

const plural = ({ child, parent }: Relation): string => `${child === parent ? 'sub-' : ''}${child}s`;

/** Returns names as a part of a sentence: "a", "a and b", "a, b and c". */
const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

function describeCascade(kind: Kind): string {
  const relations = dependentsOf(kind);
  const deleted = relations.filter(({ onDelete }) => onDelete === 'cascade');
  const kept = relations.filter(({ onDelete }) => onDelete === 'setNull');
  const parts = deleted.map((relation) => {
    const deeper = dependentsOf(relation.child).filter(
      ({ child, onDelete }) => onDelete === 'cascade' && child !== kind,
    );
    return `Also deletes its ${plural(relation)}${deeper.length > 0 ? ` and their ${joined(deeper.map(plural))}` : ''}.`;
  });
  const fields = [...new Set(kept.map(({ field }) => field))];
  const removals = fields.map((field) => {
    const children = joined(kept.filter((relation) => relation.field === field).map(plural));
    return field.endsWith('s')
      ? `Removes its id from \`${field}\` of ${children}.`
      : `Sets \`${field}\` of its ${children} to null.`;
  });
  const job =
    relations.length > 0
      ? 'Deletions of more than 100 writes continue in the background after the response.'
      : '';
  return [...parts, ...removals, job].filter((part) => part !== '').join(' ');
}

const guard =
  'Send the `ETag` that you read as `If-Match` to prevent a lost update, and an `Idempotency-Key` to retry safely.';

const retry = 'Send an `Idempotency-Key` to retry safely.';

const references = ({ kind, expansions }: Resource): string =>
  Object.keys(expansions).length > 0
    ? ` References must name existing entities. Otherwise the response is 400, and no ${kind} is written.`
    : '';

const special: Readonly<Record<string, string>> = {
  archiveOrganization:
    'Sets the status of the organization and its projects to `archived`. Tasks, users and tags do not change. A repeated request also archives projects that were created since. Beyond 100 writes, the operation continues in the background after the response.',
  cloneProject:
    'Copies a project and its tasks. The copied tasks keep their status, user and tags. `name` is the name of the copy; by default, the copy has the same name. With `"include": []`, tasks are not copied. Beyond 100 writes, the operation continues in the background after the response.',
  readSignedInUser:
    '`subject` is the `sub` claim of the token, or its `client_id`. `user` is the user with this `subject`. It is null if no such user exists, or if the token lacks the scope `users:read`. A service without tokens returns all scopes, and null for `subject` and `user`.',
  readLive:
    'Returns an address of AWS AppSync Events, or of the local service that speaks its protocol, and a channel for each collection that the token allows to read. A message `{ "position": 1234 }` says that a collection has changed up to this position. Ask its change feed then: its pages say up to which `position` they are complete. Messages can be lost, repeated and late.',
  checkHealth: 'Reads from the database. If the database does not respond, the response is 503.',
};

function seenBy({ kind, access }: Resource): string {
  if (!access) return '';
  if ('through' in access)
    return `A ${kind} is seen by those who see what its \`${access.through}\` names. To others it does not exist.`;
  const [[field, value] = []] = Object.entries(access.when);
  return `A ${kind} with \`${field}\` \`${value}\` is seen by its members, and by tokens with the scope \`${allProjectsScope}\`. To others it does not exist.`;
}

/** Returns what an operation shows to somebody who may not see all, and what it leaves to others. */
function describeSight(resource: Resource, { method, success, path }: Contract): string {
  const { kind, access, keptFields, unique } = resource;
  const kept = joined(keptFields.map((field) => `\`${field}\``));
  const isThrough = access !== undefined && 'through' in access;
  const isCreation = success === 'created' && !path.includes('{');
  return [
    seenBy(resource),
    ...(method === 'PUT' && keptFields.length > 0
      ? [`Without ${kept} in the body, an existing ${kind} keeps ${keptFields.length > 1 ? 'them' : 'it'}.`]
      : []),
    ...(isCreation && access && 'through' in access
      ? [`Without \`${access.through}\` in the body, the ${kind} gets that of its parent.`]
      : []),
    ...(method !== 'GET' && decidesWhoViewersAre(kind)
      ? [
          `Setting, changing or freeing \`${unique}\` requires the scope \`${allProjectsScope}\`, except to create the user of your own token.`,
        ]
      : []),
    ...(success === 'changes' && isThrough
      ? [
          'When what you see changes for another reason, the response is 410: begin again after `Retry-After`.',
        ]
      : []),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function describeList(resource: Resource, { nestedBy }: Contract): string {
  const paging = `By default, returns the newest ${resource.plural} first, ${defaultLimit} per page. \`total\` is the number of matches on all pages. Pages after the last one are empty. To read all pages without gaps while others write, send an empty \`after\` first, then the \`next\` of each response.`;
  const nested = nestedBy
    ? ' Takes the same parameters as the list of all entities. If the entity in the path does not exist, the list is empty.'
    : '';
  return `${paging}${nested}\n\n${describeFilters(resource)}`;
}

const describeChanges = ({ plural, kind }: Resource): string =>
  `Keeps a copy of any list of ${plural} up to date. Without \`since\`, returns all matching ${plural}, page by page, and then every change. Apply \`data\` and \`removed\` to the copy, store \`cursor\` with it, and send it as \`since\` in the next request: immediately while \`hasMore\` is true, otherwise later. No change is missing. A change can arrive twice, but a ${kind} never goes back to an earlier version. Takes all filters of the list.`;

function describeRestore({ kind }: Resource): string {
  const members = cascadeKinds(kind).map((one) => `${one}s`);
  const own = `Restores a ${kind} that was deleted in the last ${restorableDays} days, with its id. References to entities that no longer exist are removed.`;
  const required = referencesOf(kind).filter(({ isRequired }) => isRequired);
  const parents = required.map(
    ({ field, parent }) => ` If the ${parent} that \`${field}\` names does not exist, the response is 409.`,
  );
  const rest =
    members.length > 0
      ? ` Also restores the ${joined(members)} that were deleted with it. Beyond 100 writes, the operation continues in the background after the response.`
      : '';
  const kept = dependentsOf(kind).some(({ onDelete }) => onDelete === 'setNull')
    ? ' References to it that the deletion removed are not restored.'
    : '';
  return `${own}${parents.join('')}${rest}${kept} If the ${kind} is not deleted, nothing changes. \`If-Match\` takes the \`ETag\` from before the deletion. ${retry}`;
}

const historyText =
  'Lists who changed what, the newest change first, including changes by batches and background jobs. The service keeps changes for 30 days by default; `isComplete` is false if earlier ones have expired. Descriptions are cut to 100 characters.';

function describeEffect(contract: Contract): string {
  const { operation, resource, success, method, path } = contract;
  const own = special[operation];
  if (own || !resource) return own ?? '';
  const { kind } = resource;
  if (success === 'list') return describeList(resource, contract);
  if (success === 'changes') return describeChanges(resource);
  if (success === 'history') return historyText;
  if (success === 'created')
    return `Fields that you omit get their default values.${references(resource)} ${retry}`;
  if (success === 'batch')
    return `Applies up to 25 operations on ${resource.plural}, or none if one fails. The response then describes the first failure. Each id can occur once. A \`create\` can set its \`id\`. Deletions cascade as single ones do. ${retry}`;
  if (success === 'deleted')
    return `${describeCascade(kind)} You can restore the ${kind} for ${restorableDays} days. A repeated request returns 404. ${guard}`.trim();
  if (success === 'deletedList')
    return `Lists the ${resource.plural} that were deleted in the last ${restorableDays} days and can be restored, the latest deletion first, ${defaultLimit} per page. By default, lists what was deleted itself, and \`restores\` is the number of entities that come back with it. With \`deletedWith=<id>\`, lists what the deletion of that entity has removed.\n\n${describeFilters(resource)}`;
  if (path.endsWith('/restore')) return describeRestore(resource);
  if (method === 'PUT')
    return `Replaces all fields. Fields that you omit get their default values. A request that changes nothing keeps the version. With \`If-None-Match: *\`, creates the ${kind} with the id in the path (201). The id can be generated offline, and a repeated request returns 412 and creates nothing.${references(resource)} ${guard}`;
  if (method === 'PATCH')
    return `Changes only the fields in the body. \`null\` clears a nullable field. A request that changes nothing keeps the version.${references(resource)} ${guard}`;
  return `The \`ETag\` of the response is the version of the ${kind}${Object.keys(resource.expansions).length > 0 ? '. With `expand`, there is none' : ''}.`;
}

function expansionScopes({ expansions }: Resource): string {
  const all = Object.values(expansions).map(
    ({ name, target }) => `\`${target.plural}:read\` for \`${name}\``,
  );
  return all.length > 0
    ? ` \`expand\` also requires the read scope of the entities that it embeds: ${all.join(', ')}.`
    : '';
}

function describeScope(contract: Contract): string {
  const scope = scopeOf(contract);
  if (!needsToken(contract)) return 'Requires no token.';
  if (!scope) return 'Requires a token, but no particular scope, if the deployment requires tokens.';
  const { additionalScope: more } = contract;
  const additional = more ? ` Also requires the scope \`${more.scope}\` when ${more.when}.` : '';
  const { resource, method, success } = contract;
  const takesExpand = method === 'GET' && !['changes', 'history'].includes(success);
  const expansion = resource && takesExpand ? expansionScopes(resource) : '';
  return `Requires the scope \`${scope}\`.${additional}${expansion}`;
}

export const describeOperation = (contract: Contract): string =>
  [
    describeEffect(contract),
    contract.resource ? describeSight(contract.resource, contract) : '',
    describeScope(contract),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
