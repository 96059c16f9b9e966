import type { SampleRequest } from './request.ts';

function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (value === null || typeof value !== 'object') return String(value);
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${name}: ${literal(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = `${open}${entries.join(', ')}${close}`;
  if (line.length + indent.length <= 70) return entries.length === 0 ? line.replaceAll(' ', '') : line;
  return `${open.trim()}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close.trim()}`;
}

/** Parameters and operators whose values the client takes as an array. */
const ofSeveralValues = /^(?:sortBy|sortOrder|fields|expand|countBy|sumBy|in|notIn|all)$/;

const ofBooleans = /^(?:isNull|isEmpty)$/;

function operandOf(name: string, value: string): string | boolean | string[] {
  if (ofBooleans.test(name)) return value === 'true';
  return ofSeveralValues.test(name) ? value.split(',') : value;
}

function listQuery(query: SampleRequest['query']): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of query) {
    const [, field = name, operator] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (!operator) result[field] = operandOf(field, value);
    else result[field] = { ...(result[field] as object | undefined), [operator]: operandOf(operator, value) };
  }
  return result;
}

function callOf({ operationId, template, id, query, body }: SampleRequest): string {
  const [, , collection = '', , nested] = template.split('/');
  const one = literal(id ?? '');
  const [, verb = ''] =
    /^(listDeleted|list|create|read|replace|update|delete|restore|batch|archive|clone)/.exec(operationId) ??
    [];
  if (operationId === 'readLive') return 'const { url, channels } = await client.live();';
  if (operationId === 'readSignedInUser') return 'const { subject, scopes, user } = await client.me();';
  if (operationId.endsWith('Changes'))
    return `const { data, removed, cursor } = await client.${collection}.changes({});`;
  if (operationId.endsWith('History'))
    return `const { data, cursor } = await client.${collection}.history(${one});`;
  const filters = query.length === 0 ? '' : literal(listQuery(query));
  switch (verb) {
    case 'list':
      return nested
        ? `const { data, total } = await client.${collection}.${nested}(${one}).list(${filters});`
        : `const { data, total } = await client.${collection}.list(${filters});`;
    case 'listDeleted':
      return `const { data, total } = await client.${collection}.deleted();`;
    case 'create':
      return `const created = await client.${collection}.create(${literal(body)});`;
    case 'read':
      return `const found = await client.${collection}.get(${one});`;
    case 'replace':
    case 'update':
      // The version of the entity that was read guards the write.
      return `const found = await client.${collection}.get(${one});\nconst changed = await client.${collection}.${verb}(found, ${literal(body)});`;
    case 'delete':
      return `await client.${collection}.delete(${one});`;
    case 'batch':
      return `const results = await client.${collection}.batch(${literal((body as { operations: unknown }).operations)});`;
    case 'archive':
    case 'clone':
    case 'restore':
      return `const result = await client.${collection}.${verb}(${one});`;
    default:
      return 'await client.health();';
  }
}

export function typescriptSample(request: SampleRequest): string {
  const { origin } = new URL(request.url);
  const token = request.needsToken ? '\n  token: process.env.TOKEN,' : '';
  return `import { createClient } from 'project-management-client';

const client = createClient({
  url: '${origin}',${token}
});
${callOf(request)}`;
}
