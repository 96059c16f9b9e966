/** Makes requests of all shapes from random choices: lists with filters, orders, expansions and fields, writes with texts and references, batches. */
import { type Contract, maxOperations } from '../functions/contract/contract.ts';
import type { ListField } from '../functions/contract/list-fields.ts';
import type { Resource } from '../functions/contract/resource.ts';
import { referencesOf } from '../functions/engine/model/relations.ts';
import { routes } from '../functions/routes.ts';
import type { Kind } from '../functions/schema.ts';
import type { OperationRequest } from '../lib/local/operation-event.ts';
import type { Genes } from './genes.ts';

/** The ids of the entities of a tenant. */
export type Ids = Readonly<Record<Kind, string[]>>;

type EntityContract = Contract & { readonly resource: Resource };

export interface Target {
  readonly contract: EntityContract;
  readonly request: OperationRequest;
  /** The entities that it deletes. */
  readonly targets: readonly string[];
  /** For the report: what the request consists of. */
  readonly description: string;
}

const contracts = routes.flatMap(({ contract }) =>
  'resource' in contract ? [contract as EntityContract] : [],
);

/** The operations by what they do, so that each kind of operation is as likely as the others. */
const groups = [...new Set(contracts.map(({ success, method }) => `${success} ${method}`))].map((group) =>
  contracts.filter(({ success, method }) => `${success} ${method}` === group),
);

const texts: Readonly<Record<string, string>> = {
  none: '',
  'one character': 'a',
  '400 bytes': 'a'.repeat(400),
  '1 KB': 'a'.repeat(1_024),
  '10 KB': 'a'.repeat(10_000),
  '10 KB of control characters': '\t'.repeat(10_000),
  '20 KB': 'é'.repeat(10_000),
  '40 KB': '😀'.repeat(10_000),
};

/** Returns an id of an entity. One in 20 is unknown. */
const anyId = (genes: Genes, ids: readonly string[]): string =>
  genes.chance(0.05) ? '01890000-0000-7000-8000-7a2c4d8f0e36' : genes.pick(ids);

/** Consecutive ids from a random place: entities that were created together, of which the first ones have the longest texts. */
function idsFrom(genes: Genes, ids: readonly string[], count: number): string[] {
  const start = genes.chance(0.5) ? genes.below(Math.min(1_000, ids.length)) : genes.below(ids.length);
  return Array.from(
    { length: Math.min(count, ids.length) },
    (_, number) => ids[(start + number) % ids.length] ?? '',
  );
}

/** Returns the ids that a reference can have. */
const idsOf = (kind: Kind, name: string, ids: Ids): readonly string[] =>
  ids[referencesOf(kind).find(({ field }) => field === name)?.parent as Kind];

function someValue(genes: Genes, { name, type, values }: ListField, ids: Ids, kind: Kind): string {
  if (type === 'id') return anyId(genes, ids[kind]);
  if (type === 'reference' || type === 'list of references') return anyId(genes, idsOf(kind, name, ids));
  if (type === 'enumeration') return genes.pick(values);
  if (type === 'date') return `2026-0${1 + genes.below(9)}-01`;
  if (type === 'number') return String(genes.pick([0, 0.5, 2, 8, 100_000]));
  if (type === 'flag') return String(genes.chance(0.5));
  if (type === 'time') return new Date(Date.now() - genes.below(100_000)).toISOString();
  return genes.pick(['a', 'name', 'active', 'short', '😀', '😀'.repeat(50), 'name 1', 'é'.repeat(99), 'zzz']);
}

function filterOf(genes: Genes, field: ListField, ids: Ids, kind: Kind): [string, string] {
  const operator = genes.chance(0.2) ? undefined : genes.pick(field.operators);
  if (operator === undefined) return [field.name, someValue(genes, field, ids, kind)];
  const name = `${field.name}[${operator}]`;
  if (operator === 'isNull' || operator === 'isEmpty') return [name, String(genes.chance(0.5))];
  const isMultiple = ['in', 'notIn', 'all'].includes(operator);
  const count = isMultiple ? genes.pick([1, 2, 20, 100]) : 1;
  return [name, Array.from({ length: count }, () => someValue(genes, field, ids, kind)).join(',')];
}

const some = <Value>(genes: Genes, values: readonly Value[], share: number): Value[] =>
  values.filter(() => genes.chance(share));

function listQuery(genes: Genes, { kind, listFields, fieldNames, expansions }: Resource, ids: Ids) {
  const fields = Object.values(listFields);
  const limit = genes.pick([100, 100, 20, 1]);
  const expanded = some(genes, Object.keys(expansions), 0.7);
  const filters = Array.from({ length: genes.pick([0, 0, 1, 1, 2, 3, 10, 20]) }, () =>
    filterOf(genes, genes.pick(fields), ids, kind as Kind),
  );
  const sorts = genes.chance(0.5)
    ? []
    : Array.from(
        { length: 1 + genes.below(3) },
        () => genes.pick(fields.filter((field) => field.isSortable)).name,
      );
  const shown = genes.chance(0.5) ? [] : some(genes, fieldNames, 0.3);
  const counted = genes.chance(0.7)
    ? []
    : some(
        genes,
        fields.filter((field) => field.isCountable),
        0.7,
      );
  const query = new URLSearchParams({
    limit: String(limit),
    page: String(genes.pick([1, 1, 2, 5, 10, 50])),
    ...Object.fromEntries(filters),
    ...(sorts.length > 0 && {
      sortBy: [...new Set(sorts)].join(','),
      sortOrder: genes.pick(['asc', 'desc']),
    }),
    ...(expanded.length > 0 && { expand: expanded.join(',') }),
    ...(shown.length > 0 && { fields: shown.join(',') }),
    ...(counted.length > 0 && { countBy: counted.map(({ name }) => name).join(',') }),
    ...(genes.chance(0.2) && { etags: 'true' }),
  });
  return decodeURIComponent(query.toString());
}

/** Texts are shortened in descriptions. */
const shortened = (text: string): string =>
  text
    .replaceAll(/(.)\1{9,}/gsu, (run, character: string) => `${character}{${[...run].length}}`)
    .replaceAll(/((?:[\da-f]{8}-[\da-f-]{27},){3})[\da-f,-]+/g, '$1…')
    .slice(0, 400);

/** Returns the fields of a write: texts of some size, and some references. */
function bodyOf(
  genes: Genes,
  resource: Resource,
  ids: Ids,
  isPart: boolean,
): { body: object; text: string; tags: number } {
  const text = genes.pick(Object.keys(texts));
  const tags = genes.pick([0, 1, 10, 50]);
  const name = genes.pick(['x', '😀'.repeat(255)]);
  const all: Record<string, unknown> = {
    name,
    status: genes.pick(['active', 'done', 'a'.repeat(50)]),
    description: texts[text],
    ...Object.fromEntries(
      referencesOf(resource.kind as Kind).map(({ field, parent, isArray }) => {
        const known = ids[parent as Kind];
        if (isArray) return [field, idsFrom(genes, known, tags)];
        // Trees refuse many parents.
        return [field, parent === resource.kind && genes.chance(0.7) ? null : anyId(genes, known)];
      }),
    ),
    priority: genes.pick(['low', 'high']),
  };
  const known = Object.entries(all).filter(([field]) => field in resource.fields);
  const sent = isPart ? known.filter(() => genes.chance(0.6)) : known;
  return { body: Object.fromEntries(sent), text, tags };
}

interface Operation {
  readonly operation: string;
  readonly id?: string;
  readonly body?: object;
}

function batchOf(
  genes: Genes,
  resource: Resource,
  ids: Ids,
): { operations: Operation[]; description: string } {
  const count = genes.chance(0.7) ? maxOperations : 1 + genes.below(maxOperations);
  const kinds = genes.pick([['create'], ['update'], ['delete'], ['create', 'update', 'delete']]);
  const { body, text, tags } = bodyOf(genes, resource, ids, genes.chance(0.5));
  const targets = idsFrom(genes, ids[resource.kind as Kind], count);
  const operations = targets.map((id, number): Operation => {
    const operation = kinds[number % kinds.length] ?? '';
    // Each has tags of its own.
    const own = { ...body, ...('tagIds' in body && { tagIds: idsFrom(genes, ids.tag, tags) }) };
    if (operation === 'create') return { operation, body: { name: 'x', ...own } };
    return operation === 'update' ? { operation, id, body: own } : { operation, id };
  });
  const fields = kinds.some((kind) => kind !== 'delete')
    ? ` of ${Object.keys(body).join(', ')}, text: ${text}, tags: ${tags}`
    : '';
  return { operations, description: `${operations.length} × ${kinds.join(', ')}${fields}` };
}

/** Makes a request. The same choices give the same request, as long as the entities are the same. */
export function randomRequest(genes: Genes, ids: Ids): Target {
  genes.restart();
  const contract = genes.pick(genes.pick(groups));
  const { resource, path, success, method, operation } = contract;
  const parent = /^\/v1\/(\w+)s\/\{id\}/.exec(path)?.[1] as Kind | undefined;
  const known = parent ? ids[parent] : [];
  // The first ones have the longest texts, and the most children.
  const id = parent && (genes.chance(0.5) ? genes.pick(known.slice(0, 30)) : anyId(genes, known));
  const headers: Record<string, string> =
    method === 'POST' && genes.chance(0.5) ? { 'idempotency-key': String(genes.next()) } : {};
  const withKey = 'idempotency-key' in headers ? ', with Idempotency-Key' : '';
  const made = (request: OperationRequest, text: string, targets: readonly string[] = []): Target => ({
    contract,
    request: { id, headers, ...request },
    targets,
    description: `${operation}: ${shortened(text)}${withKey}`,
  });
  if (success === 'list') {
    const query = listQuery(genes, resource, ids);
    return made({ query: new URLSearchParams(query).toString() }, query);
  }
  if (success === 'batch') {
    const { operations, description } = batchOf(genes, resource, ids);
    const deleted = operations.filter((one) => one.operation === 'delete').map((one) => one.id ?? '');
    return made({ body: { operations } }, description, deleted);
  }
  if (success === 'deleted') return made({}, 'one entity', [id ?? '']);
  if (method === 'GET') {
    const expand = some(genes, Object.keys(resource.expansions), 0.8).join(',');
    return made(expand ? { query: { expand } } : {}, `expand=${expand}`);
  }
  if (!contract.body || contract.body.optional) return made({}, 'without a body');
  const { body, text, tags } = bodyOf(genes, resource, ids, method === 'PATCH');
  return made({ body }, `${Object.keys(body).join(', ')}, text: ${text}, tags: ${tags}`);
}
