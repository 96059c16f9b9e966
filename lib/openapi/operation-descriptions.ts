import { type Contract, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { defaultLimit, maxLimit } from '../../functions/http/parse-list-query.ts';
import { restorableDays } from '../../functions/store/model/deletion.ts';
import {
  cascadeKinds,
  dependentsOf,
  type Kind,
  type Relation,
  referencesOf,
} from '../../functions/store/model/relations.ts';
import { describeFilters } from './operator-descriptions.ts';

const plural = ({ child }: Relation): string => `${child}s`;

/** Returns names as a part of a sentence: "a", "a and b", "a, b and c". */
const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export function describeCascade(kind: Kind): string {
  const relations = dependentsOf(kind);
  const deleted = relations.filter(({ onDelete }) => onDelete === 'cascade');
  const kept = relations.filter(({ onDelete }) => onDelete === 'setNull');
  const parts = deleted.map((relation) => {
    const deeper = dependentsOf(relation.child).filter(({ onDelete }) => onDelete === 'cascade');
    return `Deletes its ${plural(relation)}${deeper.length > 0 ? ` and their ${joined(deeper.map(plural))}` : ''} as well.`;
  });
  const fields = [...new Set(kept.map(({ field }) => field))];
  const removals = fields.map((field) => {
    const children = joined(kept.filter((relation) => relation.field === field).map(plural));
    return field.endsWith('s')
      ? `Its ${children} lose the id in \`${field}\`.`
      : `Its ${children} keep existing with \`${field}\` null.`;
  });
  const job =
    relations.length > 0
      ? 'A deletion that needs more than 100 writes continues in the background after the response.'
      : '';
  return [...parts, ...removals, job].filter((part) => part !== '').join(' ');
}

const guard = 'Send the `ETag` that you read as `If-Match` to prevent a lost update.';

const retry = 'With an `Idempotency-Key`, a repeated request has no second effect.';

const references = ({ kind, expansions }: Resource): string =>
  Object.keys(expansions).length > 0
    ? ` References must name existing entities, otherwise the response is 400 and no ${kind} is written.`
    : '';

const special: Readonly<Record<string, string>> = {
  archiveOrganization:
    'Sets the status of the organization and of its projects to `archived`. Tasks, users and tags do not change. A repeated request archives the projects that were created since. What needs more than 100 writes continues in the background after the response.',
  cloneProject:
    'Creates a project with the fields of this one, and copies of its tasks, which keep their status, user and tags. `name` names the copy; without it, the copy has the same name. With `"include": []`, no task is copied. What needs more than 100 writes continues in the background after the response.',
  showStart:
    'Returns an HTML page with quick starts, links to the guides, and the totals of a service without tokens.',
  showReference:
    'Returns an HTML page with every operation, samples in five languages, and forms that send requests.',
  showProblems:
    'Returns an HTML page with the meaning, the solution and the JSON of each problem. The `type` of a problem is an address on this page.',
  showGuide: 'Returns a guide as an HTML page. For an unknown name, the response is 404.',
  readDocumentationFile:
    'Returns a style sheet, a script, the icon, the client as a JavaScript module (`client.mjs`), or the document for generators (`reference.json`). A name with a hash of the content can be cached for a year.',
  readOpenApiDocument:
    'Returns this document. It describes a deployment with tokens, also when the service that returns it needs none. Responses have an `ETag`.',
  readSignedInUser:
    '`subject` is who the token is for: its claim `sub`, or `client_id`. `user` is the user with this `subject`; it is null if the tenant has none, and without the scope `users:read`. A service without tokens returns all scopes, and null for `subject` and `user`.',
  checkHealth: 'Reads from the database. The response is 503 when the database does not respond.',
};

function describeList(resource: Resource, { nestedBy }: Contract): string {
  const paging = `Without parameters, the newest ${resource.plural} come first, ${defaultLimit} on a page; \`limit\` is at most ${maxLimit}. \`total\` counts everything that matches, and a page after the last one is empty. To read page after page while others write, send \`after\`: empty first, then the \`next\` of each response.`;
  const nested = nestedBy
    ? ' The list takes the same parameters as that of all entities. When the entity in the path does not exist, it is empty.'
    : '';
  return `${paging}${nested}\n\n${describeFilters(resource)}`;
}

const describeChanges = ({ plural, kind }: Resource): string =>
  `Keeps a copy of any list of ${plural} up to date. Without \`since\`, the pages have all ${plural} that match; from then on, what changed. Apply \`data\` and \`removed\`, store \`cursor\` with them, and send it as \`since\`: at once while \`hasMore\` is true, later otherwise. No change is left out. A change can come twice, but never an earlier version of a ${kind} than before. The parameters take all filters of the list.`;

function describeRestore({ kind }: Resource): string {
  const members = cascadeKinds(kind).map((one) => `${one}s`);
  const own = `Restores a ${kind} that was deleted in the last ${restorableDays} days: with its id, without references to entities that do not exist any more.`;
  const required = referencesOf(kind).filter(({ isRequired }) => isRequired);
  const parents = required.map(
    ({ field, parent }) => ` If the ${parent} that \`${field}\` names does not exist, the response is 409.`,
  );
  const rest =
    members.length > 0
      ? ` The ${joined(members)} that the same deletion has removed come back with it; what needs more than 100 writes continues in the background after the response.`
      : '';
  const kept = dependentsOf(kind).some(({ onDelete }) => onDelete === 'setNull')
    ? ' References that the deletion has removed from others do not come back.'
    : '';
  return `${own}${parents.join('')}${rest}${kept} If it is not deleted, nothing changes. \`If-Match\` takes the \`ETag\` that it had before the deletion. ${retry}`;
}
const describeHistory = ({ kind }: Resource): string =>
  `Who changed what of the ${kind}, the newest change first, also by batches and in the background. The changes are kept for 30 days by default: \`isComplete\` is false if earlier ones have expired. Of a description of more than 100 characters, the response has the beginning.`;

function describeEffect(contract: Contract): string {
  const { operation, resource, success, method, path } = contract;
  const own = special[operation];
  if (own || !resource) return own ?? '';
  const { kind } = resource;
  if (success === 'list') return describeList(resource, contract);
  if (success === 'changes') return describeChanges(resource);
  if (success === 'history') return describeHistory(resource);
  if (success === 'created')
    return `Fields that are left out get their defaults.${references(resource)} ${retry}`;
  if (success === 'batch')
    return `Takes up to 25 operations on ${resource.plural}, each id at most once. A \`create\` can have an \`id\` of its own. When one fails, none is applied, and the problem is that of the first one that fails. A deletion has the same effects as a single one. ${retry}`;
  if (success === 'deleted')
    return `${describeCascade(kind)} A deleted ${kind} can be restored for ${restorableDays} days. A repeated request is a 404. ${guard}`.trim();
  if (success === 'deletedList')
    return `Lists the ${resource.plural} that were deleted in the last ${restorableDays} days and can be restored, the last deleted first, ${defaultLimit} on a page; \`limit\` is at most ${maxLimit}. What a deletion has removed besides is listed too. The list can lag behind by a moment.`;
  if (path.endsWith('/restore')) return describeRestore(resource);
  if (method === 'PUT')
    return `Replaces all fields: those that are left out get their defaults. A request that changes nothing keeps the version. With \`If-None-Match: *\`, creates the ${kind} with the id in the path (201): the id can be made offline, and a repeated request is a 412 that creates nothing.${references(resource)} ${guard}`;
  if (method === 'PATCH')
    return `Changes the fields in the body. \`null\` resets a field that can be null. A request that changes nothing keeps the version.${references(resource)} ${guard}`;
  return `The response has an \`ETag\`, the version of the ${kind}${Object.keys(resource.expansions).length > 0 ? ', unless `expand` adds other entities' : ''}.`;
}

function expansionScopes({ expansions }: Resource): string {
  const all = Object.values(expansions).map(
    ({ name, target }) => `\`${target.plural}:read\` for \`${name}\``,
  );
  return all.length > 0 ? ` \`expand\` requires the read scope of what it expands: ${all.join(', ')}.` : '';
}

function describeScope(contract: Contract): string {
  const scope = scopeOf(contract);
  if (!needsToken(contract)) return 'Requires no token.';
  if (!scope) return 'Requires a token with any scopes, where other operations require tokens.';
  const { additionalScope: more } = contract;
  const additional = more ? ` Requires the scope \`${more.scope}\` as well when ${more.when}.` : '';
  const { resource, method, success } = contract;
  const takesExpand = method === 'GET' && !['changes', 'history', 'deletedList'].includes(success);
  const expansion = resource && takesExpand ? expansionScopes(resource) : '';
  return `Requires the scope \`${scope}\`.${additional}${expansion}`;
}

export const describeOperation = (contract: Contract): string =>
  [describeEffect(contract), describeScope(contract)].filter((part) => part !== '').join('\n\n');
