import { someOf } from '../support/runs.ts';
import { expectPointer, expectProblem, pointers } from './problem.ts';
import { create, type Entity, entityOf, pathTo, type Resource, read, someResources } from './resources.ts';
import { type Json, request } from './service.ts';

interface FieldRules {
  valid: readonly Json[];
  invalid: readonly Json[];
}

const reference: FieldRules = { valid: [], invalid: ['', 1, []] };

const date: FieldRules = {
  valid: ['2024-02-29', '1999-12-31', '2000-02-29'],
  invalid: ['1900-02-29', '2024-13-01', '2024-1-1', '2024-01-01T00:00:00Z', '2024-01-01\n', '', 20240101],
};

// Each astral character is one code point, two UTF-16 code units and four bytes.
const emoji = '\u{1F600}';

const fields: Readonly<Record<string, FieldRules>> = {
  name: {
    valid: ['x', 'x'.repeat(255), emoji.repeat(255), '0', 'null'],
    invalid: [' \t\n', 'x'.repeat(256), emoji.repeat(256), null, 1, ['x'], 'x\udc00x'],
  },
  status: {
    valid: ['a', 'A1-_z', '0', '-', 'a'.repeat(64), 'planned', 'archived'],
    invalid: ['', 'a'.repeat(65), 'two words', 'active\n', 'a#b', emoji, null, 1],
  },
  description: {
    valid: ['', ' kept \n as it is ', 'x'.repeat(10_000), emoji.repeat(10_000)],
    invalid: [emoji.repeat(10_001), null, 1, '\udfff'],
  },
  startDate: date,
  dueDate: date,
  email: {
    valid: ['ada@example.com', 'ada.lovelace+tag@sub.example.org'],
    invalid: ['', 'plain', '@example.com', 'a b@example.com', 'a@b@example.com', 1],
  },
  priority: {
    valid: ['none', 'low', 'medium', 'high', 'urgent'],
    invalid: ['', 'highest', 'High', null, 1],
  },
  color: {
    valid: ['#000000', '#ff8800'],
    invalid: ['', '#12345g', null, 808080],
  },
  tagIds: {
    valid: [[]],
    invalid: ['text', null, {}, [1], [null], ['unknown']],
  },
  visibility: {
    valid: ['tenant', 'members'],
    invalid: ['', 'Members', 'private', null, true],
  },
  memberIds: {
    valid: [[]],
    invalid: ['text', null, {}, [1], [null], ['unknown']],
  },
  organizationId: reference,
  estimate: {
    valid: [0, 0.01, 100_000],
    invalid: [-0.01, 100_000.01, 0.001, '1', true, [1]],
  },
  position: {
    valid: ['', 'a0V', 'x'.repeat(100), emoji.repeat(100)],
    invalid: ['x'.repeat(101), 'a\u0000', 1],
  },
  subject: {
    valid: ['auth0|5f7c8ec7c33c6c004bbafe82', ' a ', 'x'.repeat(255), emoji.repeat(255)],
    invalid: ['', 'x'.repeat(256), 'a\u0000', 1],
  },
  projectId: reference,
  parentId: reference,
  userId: reference,
};

const short = (value: Json) => {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
};

function rulesOf(field: string): FieldRules {
  const rules = fields[field];
  if (!rules)
    throw new Error(
      `There are no rules for ${field}. Add them to \`fields\` in test/contract/validation.test.ts.`,
    );
  return rules;
}

/** Creates an entity and asserts after each test of the `describe` block that it is unchanged. */
function unchangedEntity({ kind, full }: Resource): () => Entity {
  let entity: Entity;
  beforeAll(async () => {
    entity = await create(kind, await full());
  });
  afterEach(async () => {
    expect(await read(kind, entity.id)).toEqual(entity);
  });
  return () => entity;
}

function writableFields({ required, defaults }: Resource): string[] {
  return [...new Set([...required, ...Object.keys(defaults)])];
}

describe.each(someResources)('the fields of $path', (resource) => {
  const { kind, path, minimal, full, required, nullable } = resource;
  const existing = unchangedEntity(resource);
  const writable = writableFields(resource);

  const invalid = writable.flatMap((field) => [
    ...someOf(rulesOf(field).invalid, 3).map((value) => ({ field, value, shown: short(value) })),
    ...(field.endsWith('Id') && !nullable.includes(field) ? [{ field, value: null, shown: 'null' }] : []),
  ]);

  test.each(invalid)('returns 400 with a pointer for $shown as $field', async ({ field, value }) => {
    const body = { ...(await minimal()), [field]: value };
    expectPointer(await request('POST', path, { body }), field);
    expectPointer(await request('PUT', pathTo(kind, existing().id), { body }), field);
    expectPointer(await request('PATCH', pathTo(kind, existing().id), { body: { [field]: value } }), field);
  });

  const valid = writable.flatMap((field) => [
    ...someOf(rulesOf(field).valid, 3).map((value) => ({ field, value, shown: short(value) })),
    ...(nullable.includes(field) ? [{ field, value: null, shown: 'null' }] : []),
  ]);

  test.each(valid)('accepts $shown as $field', async ({ field, value }) => {
    const body = { ...(await minimal()), [field]: value };
    const { id, ...entity } = entityOf(await request('POST', path, { body }), 201);
    expect(entity[field]).toEqual(value);
    expect(entityOf(await request('PUT', pathTo(kind, id), { body }), 200)[field]).toEqual(value);
    expect(
      entityOf(await request('PATCH', pathTo(kind, id), { body: { [field]: value } }), 200)[field],
    ).toEqual(value);
    expect((await read(kind, id))[field]).toEqual(value);
  });

  test.each(required)('returns 400 with a pointer for a body without %s', async (field) => {
    const { [field]: _omitted, ...body } = { ...(await full()) };
    expectPointer(await request('POST', path, { body }), field);
    expectPointer(await request('PUT', pathTo(kind, existing().id), { body }), field);
  });
});

describe.each(someResources)('the whole body at $path', (resource) => {
  const { kind, path, minimal } = resource;
  const existing = unchangedEntity(resource);

  test('returns all validation issues at once', async () => {
    const body = { name: '', status: 'two words', unknownField: 1 };
    const found = pointers(expectProblem(await request('PATCH', pathTo(kind, existing().id), { body }), 400));
    expect(found).toEqual(expect.arrayContaining(['/name', '/status', '/unknownField']));
  });

  test.each(['descripton', 'a/b', 'm~n', '', 'Name', 'tenant'])(
    'returns 400 with a pointer for the unknown field %j',
    async (field) => {
      const body = { ...(await minimal()), [field]: 'x' };
      expectPointer(await request('POST', path, { body }), field);
      expectPointer(await request('PUT', pathTo(kind, existing().id), { body }), field);
      expectPointer(await request('PATCH', pathTo(kind, existing().id), { body: { [field]: 'x' } }), field);
    },
  );
});

test('a number that no computer has is refused without the value that JSON makes of it', async () => {
  const headers = { 'content-type': 'application/json' };
  const response = await request('POST', '/v1/tasks', { rawBody: '{"name":"x","estimate":1e400}', headers });
  const detail = expect.stringMatching(/^"estimate" must be 0 to 100000[^:]*$/);
  expect(expectProblem(response, 400).errors).toEqual([{ pointer: '/estimate', detail }]);
});

describe.each(someResources)('a body that is not an object at $path', (resource) => {
  const { kind, path } = resource;
  const existing = unchangedEntity(resource);

  test.each(['', ' ', '{', "{'name': 'x'}", '{} {}', 'null', '[{}]', '"text"', '42'])(
    'returns 400 for %j',
    async (rawBody) => {
      const headers = { 'content-type': 'application/json' };
      expectProblem(await request('POST', path, { rawBody, headers }), 400);
      expectProblem(await request('PUT', pathTo(kind, existing().id), { rawBody, headers }), 400);
      expectProblem(await request('PATCH', pathTo(kind, existing().id), { rawBody, headers }), 400);
    },
  );

  test('returns 400 for a request without a body', async () => {
    expectProblem(await request('POST', path), 400);
    expectProblem(await request('PUT', pathTo(kind, existing().id)), 400);
    expectProblem(await request('PATCH', pathTo(kind, existing().id)), 400);
  });
});

describe.each(someResources)('the content type at $path', (resource) => {
  const { kind, path, minimal } = resource;
  const existing = unchangedEntity(resource);

  test.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain; application/json',
    'multipart/form-data; boundary=json',
    'application/jsonp',
  ])('returns 415 for a body of type %s', async (contentType) => {
    const options = { rawBody: JSON.stringify(await minimal()), headers: { 'content-type': contentType } };
    expectProblem(await request('POST', path, options), 415);
    expectProblem(await request('PUT', pathTo(kind, existing().id), options), 415);
    expectProblem(await request('PATCH', pathTo(kind, existing().id), options), 415);
  });

  test.each([
    'application/json;charset=UTF-8',
    'Application/JSON ; v="1"',
    'application/merge-patch+json; charset=utf-8',
  ])('accepts a body of type %s', async (contentType) => {
    const body = await minimal();
    const response = await request('POST', path, { body, headers: { 'content-type': contentType } });
    expect(entityOf(response, 201)).toMatchObject(body);
  });
});

describe('the dates of a project', () => {
  const dates = { startDate: '2026-03-02', dueDate: '2026-03-09' };
  const after = 'must not be before "startDate"';

  test.each([
    [{ startDate: '2026-03-10', dueDate: '2026-03-09' }, '/dueDate'],
    [{ startDate: '2026-03-10', dueDate: null }, undefined],
    [{ startDate: '2026-03-09', dueDate: '2026-03-09' }, undefined],
  ])('%j of a new project: the pointer of the 400 is %j', async (fields, pointer) => {
    const { id: organizationId } = await create('organization');
    const response = await request('POST', '/v1/projects', {
      body: { name: 'x', organizationId, ...fields },
    });
    if (pointer === undefined) expect(response.status).toBe(201);
    else
      expect(expectProblem(response, 400).errors).toEqual([
        { pointer, detail: expect.stringContaining(after) },
      ]);
  });

  test.each([
    [{ startDate: '2026-03-10' }, '/startDate'],
    [{ dueDate: '2026-03-01' }, '/dueDate'],
    [{ startDate: '2026-03-12', dueDate: '2026-03-13' }, undefined],
  ])('a change to %j: the pointer of the 400 is %j', async (fields, pointer) => {
    const project = await create('project', dates);
    const path = `/v1/projects/${project.id}`;
    const response = await request('PATCH', path, { body: fields });
    const operations = [{ operation: 'update', id: project.id, body: fields }];
    if (pointer === undefined) {
      expect(response.status).toBe(200);
      return;
    }
    expect(expectProblem(response, 400).errors).toEqual([
      { pointer, detail: expect.stringContaining('startDate') },
    ]);
    expect((await request('GET', path)).body).toEqual(project);
    const batch = await request('POST', '/v1/projects/batch', { body: { operations } });
    expect(expectProblem(batch, 400).errors).toEqual([
      { pointer: `/operations/0/body${pointer}`, detail: expect.stringContaining('startDate') },
    ]);
  });
});
