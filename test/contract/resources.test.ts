import { routes } from '#functions/routes.ts';
import { expectComplete } from '../support/complete.ts';
import {
  create,
  entityOf,
  keptFields,
  pathTo,
  type Resource,
  read,
  repeatable,
  resources,
  stateOf,
} from './resources.ts';
import { type JsonObject, pathOf, pause, request, unique } from './service.ts';

const uuidVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const stamped = {
  id: expect.stringMatching(uuidVersion7),
  createdAt: expect.stringMatching(timestamp),
  updatedAt: expect.stringMatching(timestamp),
};

/** Fields that the service ignores in bodies. */
const readOnly = {
  createdAt: '1999-01-01T00:00:00.000Z',
  updatedAt: '1999-01-01T00:00:00.000Z',
  version: '"another-7"',
};

/** Returns what the service ignores in bodies of a resource. */
const ignoredBy = ({ given }: Pick<Resource, 'given'>): JsonObject =>
  'number' in given ? { ...readOnly, number: 'another' } : readOnly;

/** Waits until the next write has a later timestamp. Timestamps count milliseconds. */
const nextMillisecond = () => pause(5);

test('the table of these tests has each resource of the contracts with each of its fields', async () => {
  const declared = routes.flatMap(({ contract }) => contract.resource ?? []);
  expectComplete(
    resources.map(({ kind }) => kind),
    declared.map(({ kind }) => kind),
    { missing: 'Add it to `resources` in test/contract/resources.ts.' },
  );
  for (const { kind, required, defaults, full } of resources) {
    const fields = Object.keys(declared.find((one) => one.kind === kind)?.fields ?? {});
    const bodies = { required: [...required, ...Object.keys(defaults)], full: Object.keys(await full()) };
    const name = (field: string): string => `${kind}.${field}`;
    expectComplete(bodies.required.map(name), fields.map(name), {
      missing: 'Add it to `required` or `defaults` of the resource in test/contract/resources.ts.',
    });
    expectComplete(bodies.full.map(name), fields.map(name), {
      missing: 'Add a value that is not its default to `full` of the resource in test/contract/resources.ts.',
    });
  }
});

describe.each(resources)('POST $path', ({ kind, path, minimal, full, defaults, required, given }) => {
  test('returns 201 with the defaults when only the required fields are sent', async () => {
    const body = await minimal();
    expect(Object.keys(body).sort()).toEqual([...required].sort());
    const response = await request('POST', path, { body });
    expect(entityOf(response, 201)).toEqual({ ...defaults, ...body, ...stamped, ...given });
  });

  test('returns a Location header with the path of the created entity', async () => {
    const response = await request('POST', path, { body: await minimal() });
    const entity = entityOf(response, 201);
    const location = pathOf(response.headers.get('location') ?? '', response);
    expect(location).toBe(pathTo(kind, entity.id));
    expect(entityOf(await request('GET', location), 200)).toEqual(entity);
  });

  test('creates two entities when the same body is sent twice', async () => {
    const body = repeatable(await full());
    const first = entityOf(await request('POST', path, { body }), 201);
    const second = entityOf(await request('POST', path, { body }), 201);
    expect(second.id).not.toBe(first.id);
    expect(await read(kind, first.id)).toEqual({ ...body, ...stamped, ...given, id: first.id });
    expect(await read(kind, second.id)).toEqual({ ...body, ...stamped, ...given, id: second.id });
  });
});

describe.each(resources)('an entity of $path', ({ kind, path, minimal, given }) => {
  test('takes no read-only field from a body', async () => {
    const ignored = ignoredBy({ given });
    const body = { ...(await minimal()), ...ignored };
    const before = entityOf(await request('POST', path, { body }), 201);
    expect(before).toMatchObject({ ...stamped, ...given });
    expect(before.createdAt > '2020').toBe(true);
    const own = pathTo(kind, before.id);
    for (const [method, more] of [
      ['PATCH', {}],
      ['PUT', body],
    ] as const) {
      const sent = { body: { ...more, id: 'mine', ...ignored } };
      const after = entityOf(await request(method, own, sent), 200);
      expect(stateOf(after)).toEqual(stateOf(before));
      expect(after.updatedAt > '2020').toBe(true);
    }
  });

  test('has a name without leading and trailing white space, which does not count', async () => {
    const name = unique('Trimmed').padEnd(255, 'x');
    expect((await create(kind, { name: ` \t${name} \n` })).name).toBe(name);
  });
});

describe.each(resources)('HEAD $path', ({ kind, path }) => {
  test.each(['the entity', 'the collection'])(
    'returns the status and headers of GET without a body for %s',
    async (subject) => {
      const { id } = await create(kind);
      const address = subject === 'the entity' ? pathTo(kind, id) : `${path}?id=${id}`;
      const get = await request('GET', address);
      const head = await request('HEAD', address);
      expect(get.status).toBe(200);
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      for (const header of ['content-type', 'etag', 'cache-control', 'link']) {
        expect(head.headers.get(header)).toBe(get.headers.get(header));
      }
    },
  );
});

describe.each(resources)('PATCH $path/{id}', ({ kind, full, defaults, required }) => {
  test('changes only the fields that are sent', async () => {
    let expected = await create(kind);
    const changes = Object.entries(await full());
    expect(changes.map(([field]) => field).sort()).toEqual([...Object.keys(defaults), ...required].sort());
    for (const [field, value] of changes) {
      const response = await request('PATCH', pathTo(kind, expected.id), { body: { [field]: value } });
      const changed = entityOf(response, 200);
      expect(stateOf(changed)).toEqual({ ...stateOf(expected), [field]: value });
      expect(await read(kind, expected.id)).toEqual(changed);
      expected = changed;
    }
  });
});

describe.each(resources)('PATCH $path/{id} without a change', ({ kind, full }) => {
  test('increases updatedAt and keeps createdAt', async () => {
    const before = await create(kind);
    await nextMillisecond();
    const body = { name: unique('Renamed') };
    const after = entityOf(await request('PATCH', pathTo(kind, before.id), { body }), 200);
    expect(after.createdAt).toBe(before.createdAt);
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('returns 200 and changes nothing when no field is sent', async () => {
    const { id } = await create(kind, await full());
    const before = await request('GET', pathTo(kind, id));
    await nextMillisecond();
    const response = await request('PATCH', pathTo(kind, id), { body: {} });
    expect(entityOf(response, 200)).toEqual(before.body);
    expect((await request('GET', pathTo(kind, id))).text).toBe(before.text);
  });
});

describe.each(resources)('PUT $path/{id}', ({ kind, minimal, full, defaults, given }) => {
  test('replaces the whole entity and resets missing optional fields to their defaults, but for those that decide who sees what', async () => {
    const before = await create(kind, await full());
    const body = await minimal();
    const after = entityOf(await request('PUT', pathTo(kind, before.id), { body }), 200);
    const { id, createdAt } = before;
    const unnamed = [...keptFields(kind), ...Object.keys(given)];
    const kept = Object.fromEntries(unnamed.map((field) => [field, before[field]]));
    expect(after).toEqual({ ...defaults, ...kept, ...body, ...stamped, id, createdAt });
    expect(await read(kind, id)).toEqual(after);
  });

  test('accepts an unchanged response of GET', async () => {
    const before = await create(kind, await full());
    const fetched = (await request('GET', pathTo(kind, before.id))).body as JsonObject;
    const after = entityOf(await request('PUT', pathTo(kind, before.id), { body: fetched }), 200);
    expect(stateOf(after)).toEqual(stateOf(before));
  });
});

describe('arrays', () => {
  test('are replaced as a whole by PATCH', async () => {
    const [first, second, third] = [await create('tag'), await create('tag'), await create('tag')];
    const task = await create('task', { tagIds: [first.id, second.id] });
    const path = pathTo('task', task.id);
    expect(entityOf(await request('PATCH', path, { body: { tagIds: [third.id] } }), 200).tagIds).toEqual([
      third.id,
    ]);
    expect(entityOf(await request('PATCH', path, { body: { tagIds: [] } }), 200).tagIds).toEqual([]);
  });
});
