import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Contract } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { maxBodyBytes } from '#functions/http/json-body.ts';
import { readOnlyFields } from '#functions/store/model/entity.ts';
import { internalAttributes } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { committedFile } from '#lib/openapi/committed-document.ts';
import type { OpenApiDocument, Schema } from '#lib/openapi/types.ts';
import {
  type Ids,
  named,
  pathWith,
  referring,
  resources,
  startTwoTenants,
  type TwoTenants,
  unknown,
  writes,
} from './two-tenants.ts';

/** OWASP API risks 3 and 4: object property level authorization and resource consumption. */

let tenants: TwoTenants;
let own: Ids;

beforeAll(async () => {
  tenants = await startTwoTenants();
  ({ own } = tenants);
});

afterAll(() => tenants?.stop());

const as: TwoTenants['as'] = (...values) => tenants.as(...values);
const send: TwoTenants['send'] = (...values) => tenants.send(...values);

// test/support/declared-answers.ts checks in every suite that responses contain only declared fields.
describe.each(resources)('API3: $kind', (resource) => {
  const { kind, plural, fieldNames: fields } = resource;

  test('ignores read-only fields and rejects internal attributes', async () => {
    const token = await as('stranger');
    const body = { name: 'x', ...referring(resource, own) };
    const readOnly = {
      id: unknown,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      // The client sends it with an entity that it has read. It is no condition: only If-Match is.
      version: '"1"',
    };
    const internal = [...internalAttributes].filter((attribute) => !(attribute in readOnly));
    // An app that has made an id must not get another one silently.
    const { id, ...ignored } = readOnly;
    const refused = await send('POST', `/v1/${plural}`, { token, body: { ...body, id } });
    expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ pointer: '/id' }] }]);
    const created = await tenants.make(token, resource, { ...body, ...ignored });
    const path = `/v1/${plural}/${created['id']}`;
    for (const [method, target] of [
      ['POST', `/v1/${plural}`],
      ['PUT', path],
      ['PATCH', path],
    ] as const) {
      const sent = method === 'POST' ? ignored : readOnly;
      const response = await send(method, target, { token, body: { ...body, ...sent } });
      expect(response.status).toBeLessThan(300);
      for (const [field, value] of Object.entries(readOnly)) expect(response.body?.[field]).not.toBe(value);
      for (const attribute of [...internal, 'tenant', 'owner', 'role', 'isAdmin', 'scope']) {
        const rejected = await send(method, target, { token, body: { ...body, [attribute]: 'x' } });
        expect([attribute, rejected.status]).toEqual([attribute, 400]);
        expect(rejected.body).toMatchObject({ errors: [{ pointer: `/${attribute}` }] });
      }
    }
    const { body: now } = await send('GET', path, { token });
    expect(now).toMatchObject({ id: created['id'], createdAt: created['createdAt'] });
  });

  test('does not return other attributes of the table', async () => {
    const token = await as('stranger');
    const { id } = await tenants.make(token, resource, referring(resource, own));
    // An attribute that an earlier version of the service could have written.
    await tenants.service.table.updateItem({
      TableName: tenants.service.table.tableName,
      Key: entityKey('@stranger', kind, String(id)),
      UpdateExpression: 'SET formerAttribute = :secret',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':secret': 'secret' },
    });
    const path = `/v1/${plural}/${id}`;
    const responses = [
      await send('GET', path, { token }),
      await send('PATCH', path, { token, body: { status: 'changed' } }),
      await send('PUT', path, { token, body: { name: 'y', ...referring(resource, own) } }),
      await send('GET', path, { token }),
    ];
    for (const { body } of responses) expect(Object.keys(body ?? {}).sort()).toEqual([...fields].sort());
    const list = await send('GET', `/v1/${plural}?name=y`, { token });
    const data = (list.body as { data: object[] }).data;
    expect(data.map((one) => Object.keys(one).sort())).toEqual([[...fields].sort()]);
  });
});

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;

function declaredFields({ path, method }: Contract): [name: string, schema: Schema][] {
  const operation = document.paths[path]?.[method.toLowerCase()];
  const content = Object.values(operation?.requestBody?.content ?? {})[0];
  const name =
    String(content?.schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  return Object.entries(document.components.schemas[name]?.properties ?? {});
}

/** Returns a text for a field with this length. */
function textOf(field: string, length: number): string {
  const end = field === 'email' ? '@example.com' : '';
  // Another user can have a subject of the same length already.
  const begin = field === 'subject' ? randomUUID() : '';
  return `${begin}${'x'.repeat(Math.max(0, length - begin.length - end.length))}${end}`;
}

// test/unit/lib/openapi.test.ts covers the bounds in the document, test/contract/hostile-input.test.ts bodies and nesting.
/** Returns whether a field has a fixed format or refers to an entity, so that its longest text is invalid anyway. */
const hasFormat = (field: string, schema: Schema): boolean =>
  schema['x-reference'] !== undefined || schema['format'] === 'date' || field === 'color';

const boundedFields = (contract: Contract) =>
  declaredFields(contract).flatMap(([field, schema]) => {
    const longest = schema['maxLength'];
    const isReadOnly = (readOnlyFields as readonly string[]).includes(field);
    return typeof longest === 'number' && !isReadOnly
      ? [{ field, longest, hasFormat: hasFormat(field, schema) }]
      : [];
  });

describe('API4: the resources of a request are bounded', () => {
  // test/contract/batch/failures.test.ts covers batches.
  const bodies = writes.filter(({ body, success }) => body && !body.optional && success !== 'batch');

  test.each(named(bodies))(
    'each field in the body of %s accepts its maximum length, and rejects one character more and a hundred times as much',
    async (_, contract) => {
      const token = await as('stranger');
      const fixed = { name: 'x', ...referring(contract.resource as Resource, own) };
      const fields = boundedFields(contract);
      expect(fields.length).toBeGreaterThan(1);
      for (const { field, longest, hasFormat } of fields) {
        const of = async (length: number) =>
          send(contract.method, pathWith(contract, own), {
            token,
            body: { ...fixed, [field]: textOf(field, length) },
          });
        const good = contract.success === 'created' ? 201 : 200;
        expect([field, (await of(longest)).status]).toEqual([field, hasFormat ? 400 : good]);
        const more = await of(longest + 1);
        expect([field, more.status, more.body]).toMatchObject([
          field,
          400,
          { errors: [{ pointer: `/${field}` }] },
        ]);
        const much = await of(100 * longest);
        expect([field, much.status]).toEqual([field, 100 * longest > maxBodyBytes ? 413 : 400]);
      }
    },
  );

  test.each([
    [
      'query parameters',
      60,
      200,
      400,
      (number: number) => ({ query: 'status=x&'.repeat(number).slice(0, -1) }),
    ],
    ['characters of an Idempotency-Key', 255, 201, 400, (number: number) => ({ key: 'k'.repeat(number) })],
    ['bytes of a body', maxBodyBytes, 400, 413, (number: number) => ({ size: number })],
  ] as const)(
    'the number of %s can be %i, not one more and not a hundred times as many',
    async (_, maximum, good, bad, make) => {
      const token = await as('stranger');
      const of = async (number: number): Promise<number> => {
        const { query, key, size } = make(number) as { query?: string; key?: string; size?: number };
        if (query !== undefined) return (await send('GET', `/v1/tags?${query}`, { token })).status;
        const body = size === undefined ? { name: 'x' } : `{"name":"${'x'.repeat(size - 11)}"}`;
        const headers = key === undefined ? {} : { 'idempotency-key': key };
        return (await send('POST', '/v1/tags', { token, body, headers })).status;
      };
      expect(await of(maximum)).toBe(good);
      expect(await of(maximum + 1)).toBe(bad);
      // The gateway rejects requests above its own limits.
      expect([bad, 413, 431]).toContain(await of(100 * maximum));
    },
  );
});
