import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { maxBodyBytes } from '../../functions/shared/http/json-body.ts';
import { readOnlyFields } from '../../functions/shared/store/model/entity.ts';
import { internalAttributes } from '../../functions/shared/store/model/item-codec.ts';
import { entityKey } from '../../functions/shared/store/model/keys.ts';
import { committedFile } from '../../lib/openapi/committed-document.ts';
import type { OpenApiDocument, Schema } from '../../lib/openapi/types.ts';
import {
  guarded,
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

/** OWASP's risks 3 and 4: what a request may set and is shown, and how much it may ask for. */

let tenants: TwoTenants;
let own: Ids;

beforeAll(async () => {
  tenants = await startTwoTenants();
  ({ own } = tenants);
});

afterAll(() => tenants?.stop());

const as: TwoTenants['as'] = (...values) => tenants.as(...values);
const send: TwoTenants['send'] = (...values) => tenants.send(...values);

// Answers have what the document declares, and nothing else: test/support/declared-answers.ts, in every suite.
describe.each(resources)('API3: of a $kind', (resource) => {
  const { kind, plural, fieldNames: fields } = resource;

  test('what is read-only is not changed, and what is inside cannot be named', async () => {
    const token = await as('stranger');
    const body = { name: 'x', ...referring(resource, own) };
    const readOnly = {
      id: unknown,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
    };
    const made = await tenants.make(token, resource, { ...body, ...readOnly });
    const path = `/v1/${plural}/${made['id']}`;
    for (const [method, target] of [
      ['POST', `/v1/${plural}`],
      ['PUT', path],
      ['PATCH', path],
    ] as const) {
      const answer = await send(method, target, { token, body: { ...body, ...readOnly } });
      expect(answer.status).toBeLessThan(300);
      for (const [field, value] of Object.entries(readOnly)) expect(answer.body?.[field]).not.toBe(value);
      for (const attribute of [...internalAttributes, 'tenant', 'owner', 'role', 'isAdmin', 'scope']) {
        const refused = await send(method, target, { token, body: { ...body, [attribute]: 'x' } });
        expect([attribute, refused.status]).toEqual([attribute, 400]);
        expect(refused.body).toMatchObject({ errors: [{ pointer: `/${attribute}` }] });
      }
    }
    const { body: now } = await send('GET', path, { token });
    expect(now).toMatchObject({ id: made['id'], createdAt: made['createdAt'] });
  });

  test('what the table holds besides its fields stays inside', async () => {
    const token = await as('stranger');
    const { id } = await tenants.make(token, resource, referring(resource, own));
    // As an earlier version of the service may have left it, which had a field more.
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: tenants.service.endpoint }));
    await client.send(
      new UpdateCommand({
        TableName: tenants.service.tableName,
        Key: entityKey('@stranger', kind, String(id)),
        UpdateExpression: 'SET secretOfThePast = :secret',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':secret': 'secret' },
      }),
    );
    client.destroy();
    const path = `/v1/${plural}/${id}`;
    const answers = [
      await send('GET', path, { token }),
      await send('PATCH', path, { token, body: { status: 'changed' } }),
      await send('PUT', path, { token, body: { name: 'y', ...referring(resource, own) } }),
      await send('GET', path, { token }),
    ];
    for (const { body } of answers) expect(Object.keys(body ?? {}).sort()).toEqual([...fields].sort());
    const list = await send('GET', `/v1/${plural}?name=y`, { token });
    const data = (list.body as { data: object[] }).data;
    expect(data.map((one) => Object.keys(one).sort())).toEqual([[...fields].sort()]);
  });
});

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;

/** The fields of a body, as the document declares them. */
function declaredMembers({ path, method }: Contract): [name: string, schema: Schema][] {
  const operation = document.paths[path]?.[method.toLowerCase()];
  const content = Object.values(operation?.requestBody?.content ?? {})[0];
  const name =
    String(content?.schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  return Object.entries(document.components.schemas[name]?.properties ?? {});
}

/** A text of a field, of a length. */
function textOf(field: string, length: number): string {
  const end = field === 'email' ? '@example.com' : '';
  return `${'x'.repeat(Math.max(0, length - end.length))}${end}`;
}

// All is bounded in the document: test/unit/lib/openapi/document.test.ts. Bodies, nesting: test/contract/hostile-input.test.ts.
/** Fields whose values are of one length, or name what is there: the longest text is refused for what it is. */
const isShaped = (field: string, schema: Schema): boolean =>
  schema['x-reference'] !== undefined || schema['format'] === 'date' || field === 'color';

/** The fields of a body that have a longest text. */
const boundedMembers = (contract: Contract) =>
  declaredMembers(contract).flatMap(([field, schema]) => {
    const longest = schema['maxLength'];
    const isReadOnly = (readOnlyFields as readonly string[]).includes(field);
    return typeof longest === 'number' && !isReadOnly
      ? [{ field, longest, isShaped: isShaped(field, schema) }]
      : [];
  });

describe('API4: what a request may use up has bounds', () => {
  const bodies = writes.filter(({ body }) => body && !body.optional);

  test.each(named(bodies))(
    'each field of the body of %s is taken at its longest, not one longer, and not a hundred times as long',
    async (_, contract) => {
      const token = await as('stranger');
      const fixed = { name: 'x', ...referring(contract.resource as Resource, own) };
      const fields = boundedMembers(contract);
      expect(fields.length).toBeGreaterThan(1);
      for (const { field, longest, isShaped } of fields) {
        const of = async (length: number) =>
          send(contract.method, pathWith(contract, own), {
            token,
            body: { ...fixed, [field]: textOf(field, length) },
          });
        const good = contract.success === 'created' ? 201 : 200;
        expect([field, (await of(longest)).status]).toEqual([field, isShaped ? 400 : good]);
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

  test('a list gives a hundred entities at most, and no page, order or filter of it does without', async () => {
    const token = await as('stranger');
    for (const contract of guarded.filter(({ success }) => success === 'list')) {
      for (const limit of [100, 101, 10_000, 1e15]) {
        const { status, headers } = await send('GET', `${pathWith(contract, own)}?limit=${limit}`, { token });
        expect([contract.operation, status]).toEqual([contract.operation, 200]);
        expect(headers.get('link')).toContain('limit=100');
      }
    }
  });

  test.each([
    [
      'query parameters',
      20,
      200,
      400,
      (number: number) => ({ query: 'status=x&'.repeat(number).slice(0, -1) }),
    ],
    ['characters of an Idempotency-Key', 255, 201, 400, (number: number) => ({ key: 'k'.repeat(number) })],
    ['bytes of a body', maxBodyBytes, 400, 413, (number: number) => ({ size: number })],
  ] as const)(
    'of %s, %i are taken, not one more, and not a hundred times as many',
    async (_, most, good, bad, make) => {
      const token = await as('stranger');
      const of = async (number: number): Promise<number> => {
        const { query, key, size } = make(number) as { query?: string; key?: string; size?: number };
        if (query !== undefined) return (await send('GET', `/v1/tags?${query}`, { token })).status;
        const body = size === undefined ? { name: 'x' } : `{"name":"${'x'.repeat(size - 11)}"}`;
        const headers = key === undefined ? {} : { 'idempotency-key': key };
        return (await send('POST', '/v1/tags', { token, body, headers })).status;
      };
      expect(await of(most)).toBe(good);
      expect(await of(most + 1)).toBe(bad);
      // What is larger than the gateway takes, it refuses itself.
      expect([bad, 413, 431]).toContain(await of(100 * most));
    },
  );
});
