import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Connection } from '../connection.ts';
import { segmentOf } from '../encoding.ts';
import { ConnectionError, ProblemError } from '../problems.ts';
import { queryString } from '../query.ts';
import { withVersion } from '../versions.ts';
import { hintFor } from './hints.ts';
import type { Tool } from './tool.ts';
import { shortFields } from './tools.ts';

type Arguments = Readonly<Record<string, unknown>>;

const textResult = (value: object | string): CallToolResult => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  ...(typeof value === 'object' && { structuredContent: value as Record<string, unknown> }),
});

/** Separates the arguments that the path names from the others. @throws TypeError for one that is no segment of a path. */
function fillPath(template: string, args: Arguments): { path: string; rest: Arguments } {
  const rest = { ...args };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    if (name === 'id') return segmentOf(value as string);
    if (typeof value !== 'string' || !/^[a-z]+$/.test(value)) throw new TypeError(`"${name}" is missing.`);
    return value;
  });
  return { path, rest };
}

interface List {
  readonly data: readonly { readonly id?: string; readonly number?: number }[];
  readonly etags?: readonly string[];
}

/** @throws TypeError for an argument that the tool does not have, which the service could ignore, and for one that is missing. */
function requireArguments({ name, inputSchema }: Tool, args: Arguments): void {
  const { properties = {}, required = [] } = inputSchema;
  const unknown = Object.keys(args).find((argument) => !Object.hasOwn(properties, argument));
  if (unknown !== undefined)
    throw new TypeError(
      `"${unknown}" is not an argument of ${name}, which takes ${Object.keys(properties).join(', ')}.`,
    );
  const missing = required.find((argument) => args[argument] === undefined);
  if (missing !== undefined) throw new TypeError(`"${missing}" is missing.`);
  const { filters = null } = args;
  if (typeof filters !== 'object') throw new TypeError('"filters" must be an object.');
}

const isList = (body: unknown): body is List => Array.isArray((body as Partial<List> | undefined)?.data);

interface BatchResult {
  readonly status: number;
  readonly etag?: string;
  readonly body?: { readonly id: string; readonly number?: number };
}

/** Leaves out the fields of an entity that are null: they are most of the text of twenty tasks. */
const withoutNulls = (entity: object): object =>
  Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null));

/** Returns the entities of a list or of a response with their versions, with which a later call asks that nobody has changed them; of a batch no more than that. */
function withVersions(body: unknown, tag: string | null, keepsNulls = true): unknown {
  if (isList(body)) {
    const { data, etags, ...page } = body;
    const shown = (entity: object): object => (keepsNulls ? entity : withoutNulls(entity));
    return { data: data.map((entity, position) => withVersion(shown(entity), etags?.[position])), ...page };
  }
  const { results } = body as { results?: readonly BatchResult[] };
  if (results)
    return {
      results: results.map(({ status, etag, body: entity }) => ({
        status,
        ...(entity && withVersion({ id: entity.id, number: entity.number }, etag)),
      })),
    };
  return typeof body === 'object' && body !== null ? withVersion(body, tag) : body;
}

/** What deleted entities have besides. */
const deletionFields = ['deletedAt', 'deletedBy', 'deletedWith', 'restores'];

/** Divides the text of a filter with several values at its commas. As one text, its commas would be encoded, and belong to one value. */
const withValues = ([name, value]: [string, unknown]): [string, unknown] =>
  typeof value === 'string' && /\[(?:in|notIn|all)\]$/.test(name)
    ? [name, value.split(/(?<!\\),/)]
    : [name, value];

/** `#42` in the place of an id, in JSON: the number of an entity. No id has digits alone. */
const numberedPattern = /"(id|parentId)":"?#?0*(\d{1,15})"?(?=[,}])/g;

/** A filter of the number, whose values can have the `#` too. */
const numberFilter = /"number(?:\[\w+\])?":"[#\d, ]+"/g;

/**
 * Replaces numbers by ids, in the arguments that name entities of a collection with numbers.
 * @throws TypeError for a number that no entity has.
 */
async function withIds(
  connection: Connection,
  template: string,
  args: Arguments,
  signal: AbortSignal,
): Promise<Arguments> {
  const collection = String(args['collection'] ?? template.split('/')[2]);
  if (!shortFields[collection]?.includes('number')) return args;
  const text = JSON.stringify(args).replaceAll(numberFilter, (filter) => filter.replaceAll('#', ''));
  const numbers = [...new Set([...text.matchAll(numberedPattern)].map(([, , number = '']) => number))];
  const ids = new Map<string, string | undefined>();
  if (numbers.length > 0) {
    const { body } = await connection.send({
      method: 'GET',
      path: `/v1/${collection}${template.endsWith('/restore') ? '/deleted' : ''}`,
      query: queryString({ 'number[in]': numbers, fields: ['number'], limit: 100 }),
      signal,
    });
    for (const { id, number } of (body as List).data) ids.set(String(number), id);
  }
  const replaced = text.replaceAll(numberedPattern, (_, field: string, number: string) => {
    const id = ids.get(number);
    if (id === undefined) throw new TypeError(`None of the ${collection} has the number ${number}.`);
    return `"${field}":"${id}"`;
  });
  return JSON.parse(replaced) as Arguments;
}

const times = ['createdAt', 'updatedAt'];

/** Reads entities. Long texts, times and nulls are left out unless an argument asks for them: twenty tasks fill much of the memory of a model. */
async function read(
  connection: Connection,
  template: string,
  { path, rest }: { readonly path: string; readonly rest: Arguments },
  signal: AbortSignal,
): Promise<object> {
  const { filters: given, ...query } = rest;
  // A model can send null for an argument that it leaves out.
  const filters = given ?? {};
  const isFullList = template === '/v1/{collection}';
  const isOfDeleted = template.endsWith('/deleted');
  const collection = path.split('/')[2] ?? '';
  const isShort = isFullList || isOfDeleted || template.endsWith('{collection}/changes');
  const named = JSON.stringify([given, query['sortBy']]);
  const short = (shortFields[collection] ?? []).filter(
    (name) => !times.includes(name) || named.includes(name),
  );
  const fields =
    query['fields'] ?? (isShort ? [...short, ...(isOfDeleted ? deletionFields : [])] : undefined);
  // The only place of lists: their entities can be passed to an update together with their versions.
  const etags = isFullList && { etags: true };
  const { headers, body } = await connection.send({
    method: 'GET',
    path,
    query: queryString({
      ...query,
      ...Object.fromEntries(Object.entries(filters as object).map(withValues)),
      ...(fields !== undefined && { fields }),
      ...etags,
    }),
    signal,
  });
  // That of `me` is of the caller's scopes too.
  const tag = isList(body) || path === '/v1/users/me' ? null : headers.get('etag');
  const found = withVersions(body, tag, query['fields'] !== undefined) as object;
  const hint = await hintFor(found, query['search'], filters as Arguments, async (field) => {
    const counted = queryString({ countBy: [field], fields: ['id'], limit: 1 });
    const { body: all } = await connection.send({
      method: 'GET',
      path: `/v1/${collection}`,
      query: counted,
      signal,
    });
    const { counts } = all as { counts: Readonly<Record<string, readonly { value: string }[]>> };
    return (counts[field] ?? []).map(({ value }) => value);
  });
  return {
    ...found,
    ...(hint && { hint }),
    ...dateOf(headers),
  };
}

/** Returns the time of the service: a model does not know what "this week" is. */
function dateOf(headers: Headers): { date?: string } {
  const date = headers.get('date');
  return date ? { date: new Date(date).toISOString() } : {};
}

/** Operations of a batch have a `version`, as everything else that a tool takes. */
const batchOperations = (operations: unknown): unknown =>
  Array.isArray(operations)
    ? operations.map((operation: unknown) => {
        // The service says what is wrong with an operation that is no object.
        if (typeof operation !== 'object' || operation === null) return operation;
        const { version, ...rest } = operation as Arguments;
        return { ...rest, ...(version !== undefined && { ifMatch: version }) };
      })
    : operations;

async function request(
  connection: Connection,
  { request: { method, path: template } }: Tool,
  args: Arguments,
  signal: AbortSignal,
): Promise<object | string> {
  const { path, rest } = fillPath(template, await withIds(connection, template, args, signal));
  if (method === 'GET') return read(connection, template, { path, rest }, signal);
  const { version, ...fields } = rest;
  const isBatch = template.endsWith('/batch');
  const { headers, body } = await connection.send({
    method,
    path,
    ...(method !== 'DELETE' && {
      body: isBatch ? { operations: batchOperations(fields['operations']) } : fields,
    }),
    ...(version !== undefined && { ifMatch: String(version) }),
    signal,
  });
  if (body === undefined) return 'Done.';
  return { ...(withVersions(body, headers.get('etag')) as object), ...dateOf(headers) };
}

/** Returns what a model corrects: each sentence of a problem once, with the name that the tool has for the field `ifMatch`. */
function problemOfTool({ problem }: ProblemError): object {
  const { code, status, detail, requestId } = problem as {
    code?: string;
    requestId?: string;
  } & typeof problem;
  const errors = 'errors' in problem ? problem.errors : undefined;
  return {
    code,
    status,
    ...(errors
      ? {
          errors: errors.map((issue) => {
            const { pointer, detail: wrong } = issue;
            if (!pointer?.endsWith('/ifMatch')) return issue;
            return {
              ...issue,
              pointer: pointer.replace(/ifMatch$/, 'version'),
              detail: wrong.replace('ifMatch', 'version'),
            };
          }),
        }
      : { detail: detail.replace('the version that If-Match names', 'this `version`') }),
    requestId,
  };
}

/**
 * Calls a tool: sends the request of its operation, with the retries and the idempotency key of the client.
 * @returns the JSON of the response. An error of the service is a result too, so that a model reads what to correct: the problem document.
 */
export async function callTool(
  connection: Connection,
  tool: Tool,
  args: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    requireArguments(tool, args);
    return textResult(await request(connection, tool, args, signal));
  } catch (error) {
    if (error instanceof ProblemError) return { ...textResult(problemOfTool(error)), isError: true };
    if (error instanceof ConnectionError || error instanceof TypeError)
      return { ...textResult(error.message), isError: true };
    throw error;
  }
}
