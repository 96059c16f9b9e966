import { randomUUID } from 'node:crypto';
import { openApiDocument } from '#lib/openapi/document.ts';
import { docsOf } from '#lib/openapi/resources.ts';
import type { Operation, Response } from '#lib/openapi/types.ts';
import { type Kind, resourceOf, resources } from './resources.ts';
import { type JsonObject, type Method, request } from './service.ts';

/** The examples of requests and responses agree with each other: the service returns what they show, apart from ids, numbers, times and versions. */

const document = openApiDocument();
const kinds = resources.map(({ kind }) => kind);

/** Ids of entities in this service, by those of the examples. */
const own = new Map<string, string>();

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const withOwnIds = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll(uuid, (id) => own.get(id) ?? id)) as Value;

/** Returns what two responses to the same request have in common. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(uuid, 'id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/"number":\d+/g, '"number":1')
      .replaceAll(/\\"[\da-f]{12}-\d+\\"/g, 'version'),
  );

beforeAll(async () => {
  // Tasks refer to tags, and new resources to others.
  for (const kind of new Set<Kind>(['organization', 'user', 'project', 'tag', ...kinds])) {
    const { id, subject, createdAt: _, updatedAt: __, ...fields } = docsOf({ kind }).example;
    const body = withOwnIds({ ...fields, ...(subject !== undefined && { subject: randomUUID() }) });
    const response = await request('POST', resourceOf(kind).path, { body: body as JsonObject });
    own.set(String(id), (response.body as { id: string }).id);
  }
});

interface Example {
  readonly method: Method;
  readonly path: string;
  readonly body: unknown;
  readonly response: unknown;
}

function exampleOf(path: string, method: Method): Example {
  const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
  const [success] = Object.values(operation.responses) as [Response];
  const { example, examples } = success.content?.['application/json'] ?? {};
  return {
    method,
    path,
    body: operation.requestBody?.content['application/json']?.example,
    response: example ?? examples?.['sample']?.value,
  };
}

/** Sends the request of an example, with ids of this service. */
async function send({ method, path, body }: Example, query = '', id = ''): Promise<unknown> {
  const options = body === undefined ? {} : { body: withOwnIds(body) as JsonObject };
  return (await request(method, path.replace('{id}', own.get(id) ?? '') + query, options)).body;
}

const isNew = ({ createdAt, updatedAt }: Record<string, unknown>): boolean => createdAt === updatedAt;

describe.each(kinds)('%s', (kind) => {
  const { path } = resourceOf(kind);
  const id = String(docsOf({ kind }).example['id']);

  test('is created as the example shows, and has not been updated', async () => {
    const example = exampleOf(path, 'POST');
    const created = (await send(example)) as Record<string, unknown>;
    expect(comparable(created)).toEqual(comparable(example.response));
    expect(Object.keys(created)).toEqual(Object.keys(example.response as object));
    expect([isNew(created), isNew(example.response as Record<string, unknown>)]).toEqual([true, true]);
    expect(example.response).toMatchObject(example.body as object);
  });

  test('is in the list of the sample, with what the query asks for', async () => {
    const example = exampleOf(path, 'GET');
    const list = (await send(example, `?${withOwnIds(docsOf({ kind }).list.query)}&limit=100`)) as {
      data: { id: string }[];
      counts?: object;
    };
    const shown = example.response as { data: object[]; counts?: object };
    const found = list.data.find((entity) => entity.id === own.get(id));
    expect(comparable(found)).toEqual(comparable(shown.data[0]));
    expect(Object.keys(list.counts ?? {})).toEqual(Object.keys(shown.counts ?? {}));
  });

  test('is updated and replaced as the examples show', async () => {
    for (const method of ['PATCH', 'PUT'] as const) {
      const example = exampleOf(`${path}/{id}`, method);
      expect(comparable(await send(example, '', id))).toEqual(comparable(withOwnIds(example.response)));
      expect(example.response).toMatchObject(example.body as object);
    }
  });
});
