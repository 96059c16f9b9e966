import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Connection } from '../connection.ts';
import { segmentOf } from '../encoding.ts';
import { ConnectionError, ProblemError } from '../problems.ts';
import { queryString } from '../query.ts';
import { withVersion } from '../versions.ts';
import type { Tool } from './tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

const textResult = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
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
  readonly data: readonly object[];
  readonly etags?: readonly string[];
}

const isList = (body: unknown): body is List => Array.isArray((body as Partial<List> | undefined)?.data);

/** Returns the entities of a list or of a response with their versions, with which a later call asks that nobody has changed them. */
function withVersions(body: unknown, tag: string | null): unknown {
  if (isList(body) && body.etags) {
    const { data, etags, ...page } = body;
    return { data: data.map((entity, position) => withVersion(entity, etags[position])), ...page };
  }
  return typeof body === 'object' && body !== null ? withVersion(body, tag) : body;
}

async function request(
  connection: Connection,
  { request: { method, path: template } }: Tool,
  args: Arguments,
  signal: AbortSignal,
): Promise<unknown> {
  const { path, rest } = fillPath(template, args);
  if (method === 'GET') {
    const { filters = {}, ...query } = rest;
    // The only place of lists: their entities can be passed to an update together with their versions.
    const etags = template === '/v1/{collection}' && { etags: true };
    const { headers, body } = await connection.send({
      method,
      path,
      query: queryString({ ...query, ...(filters as object), ...etags }),
      signal,
    });
    return withVersions(body, isList(body) ? null : headers.get('etag'));
  }
  const { version, ...fields } = rest;
  const { headers, body } = await connection.send({
    method,
    path,
    ...(method !== 'DELETE' && { body: fields }),
    ...(version !== undefined && { ifMatch: String(version) }),
    signal,
  });
  return body === undefined ? 'Done.' : withVersions(body, headers.get('etag'));
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
    return textResult(await request(connection, tool, args, signal));
  } catch (error) {
    if (error instanceof ProblemError) return { ...textResult(error.problem), isError: true };
    if (error instanceof ConnectionError || error instanceof TypeError)
      return { ...textResult(error.message), isError: true };
    throw error;
  }
}
