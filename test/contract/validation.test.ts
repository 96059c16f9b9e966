import { someOf } from '../support/runs.ts';
import { expectParameter, expectPointer, expectProblem, pointers } from './problem.ts';
import { create, type Entity, entityOf, pathTo, type Resource, read, someResources } from './resources.ts';
import { type Json, request, withQuery } from './service.ts';

interface FieldRules {
  valid: readonly Json[];
  invalid: readonly Json[];
}

const reference: FieldRules = { valid: [], invalid: ['', 1, true, [], {}] };

const date: FieldRules = {
  valid: ['2024-02-29', '1999-12-31', '2000-02-29'],
  invalid: [
    '2023-02-29',
    '1900-02-29',
    '2024-02-30',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00:00Z',
    '01.02.2024',
    ' 2024-01-01',
    '2024-01-01\n',
    'tomorrow',
    '',
    20240101,
    true,
    ['2024-01-01'],
  ],
};

// Each astral character is one code point, two UTF-16 code units and four bytes.
const emoji = '\u{1F600}';

const fields: Readonly<Record<string, FieldRules>> = {
  name: {
    valid: ['x', 'x'.repeat(255), emoji.repeat(255), '0', 'null'],
    invalid: [
      '',
      '   ',
      '\t\n',
      'x'.repeat(256),
      emoji.repeat(256),
      null,
      1,
      true,
      [],
      {},
      ['x'],
      '\ud800',
      'x\udc00x',
    ],
  },
  status: {
    valid: ['a', 'A1-_z', '0', '-', 'a'.repeat(64), 'planned', 'archived'],
    invalid: [
      '',
      'a'.repeat(65),
      'two words',
      ' active',
      'active\n',
      'a.b',
      'a/b',
      'a#b',
      emoji,
      null,
      1,
      true,
      [],
      {},
    ],
  },
  description: {
    valid: ['', ' kept \n as it is ', 'x'.repeat(10_000), emoji.repeat(10_000)],
    invalid: ['x'.repeat(10_001), emoji.repeat(10_001), null, 1, true, [], {}, '\udfff'],
  },
  startDate: date,
  dueDate: date,
  email: {
    valid: ['ada@example.com', 'ada.lovelace+tag@sub.example.org'],
    invalid: [
      '',
      'plain',
      'ada@',
      '@example.com',
      'a b@example.com',
      'a@b@example.com',
      'ada@exa mple.com',
      1,
      true,
      [],
    ],
  },
  priority: {
    valid: ['none', 'low', 'medium', 'high', 'urgent'],
    invalid: ['', 'highest', 'High', ' high', null, 1, true, [], {}],
  },
  color: {
    valid: ['#000000', '#ff8800'],
    invalid: ['', 'not a color', '#12345g', null, 808080, true, [], {}],
  },
  tagIds: {
    valid: [[]],
    invalid: ['', 'text', null, 1, true, {}, [1], [null], [[]], [{}], ['unknown']],
  },
  organizationId: reference,
  position: {
    valid: ['', 'a0V', 'x'.repeat(100), emoji.repeat(100)],
    invalid: ['x'.repeat(101), 'a\u0000', 1, true, [], {}],
  },
  subject: {
    valid: ['auth0|5f7c8ec7c33c6c004bbafe82', ' a ', 'x'.repeat(255), emoji.repeat(255)],
    invalid: ['', 'x'.repeat(256), 'a\u0000', 1, true, [], {}],
  },
  projectId: reference,
  userId: reference,
};

const short = (value: Json) => {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
};

function rulesOf(field: string): FieldRules {
  const rules = fields[field];
  if (!rules) throw new Error(`There are no rules for ${field}.`);
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

  test('counts the characters of a name without leading and trailing white space', async () => {
    const name = 'x'.repeat(255);
    const body = { ...(await minimal()), name: `  ${name}  ` };
    expect(entityOf(await request('POST', path, { body }), 201).name).toBe(name);
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

  test.each(['descripton', 'organisationId', 'a/b', 'm~n', '', 'Name', 'created_at', 'tenant', 'pk'])(
    'returns 400 with a pointer for the unknown field %j',
    async (field) => {
      const body = { ...(await minimal()), [field]: 'x' };
      expectPointer(await request('POST', path, { body }), field);
      expectPointer(await request('PUT', pathTo(kind, existing().id), { body }), field);
      expectPointer(await request('PATCH', pathTo(kind, existing().id), { body: { [field]: 'x' } }), field);
    },
  );
});

describe.each(someResources)('a body that is not an object at $path', (resource) => {
  const { kind, path } = resource;
  const existing = unchangedEntity(resource);

  test.each([
    '',
    ' ',
    '{',
    '{"name":',
    '{name: "x"}',
    "{'name': 'x'}",
    '{"name": "x",}',
    'undefined',
    'name=x',
    '{} {}',
  ])('returns 400 for malformed JSON %j', async (rawBody) => {
    const headers = { 'content-type': 'application/json' };
    expectProblem(await request('POST', path, { rawBody, headers }), 400);
    expectProblem(await request('PUT', pathTo(kind, existing().id), { rawBody, headers }), 400);
    expectProblem(await request('PATCH', pathTo(kind, existing().id), { rawBody, headers }), 400);
  });

  test('returns 400 for a request without a body', async () => {
    expectProblem(await request('POST', path), 400);
    expectProblem(await request('PUT', pathTo(kind, existing().id)), 400);
    expectProblem(await request('PATCH', pathTo(kind, existing().id)), 400);
  });

  test.each(['null', '[]', '[{}]', '"text"', '42', 'true'])('returns 400 for %s', async (rawBody) => {
    const headers = { 'content-type': 'application/json' };
    expectProblem(await request('POST', path, { rawBody, headers }), 400);
    expectProblem(await request('PUT', pathTo(kind, existing().id), { rawBody, headers }), 400);
    expectProblem(await request('PATCH', pathTo(kind, existing().id), { rawBody, headers }), 400);
  });
});

describe.each(someResources)('the content type at $path', (resource) => {
  const { kind, path, minimal } = resource;
  const existing = unchangedEntity(resource);

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/json5',
  ])('returns 415 for a body of type %s', async (contentType) => {
    const options = { rawBody: JSON.stringify(await minimal()), headers: { 'content-type': contentType } };
    expectProblem(await request('POST', path, options), 415);
    expectProblem(await request('PUT', pathTo(kind, existing().id), options), 415);
    expectProblem(await request('PATCH', pathTo(kind, existing().id), options), 415);
  });

  test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'accepts a body of type %s',
    async (contentType) => {
      const body = await minimal();
      const response = await request('POST', path, { body, headers: { 'content-type': contentType } });
      expect(entityOf(response, 201)).toMatchObject(body);
    },
  );
});

describe.each(someResources)('GET $path/{id}', ({ kind }) => {
  test('returns 400 for the query parameters of a list', async () => {
    const { id } = await create(kind);
    expectParameter(await request('GET', withQuery(pathTo(kind, id), { page: 1 })), 'page');
  });
});

test('a task with more than 50 tags returns 400 with a pointer', async () => {
  const tags = await Promise.all(Array.from({ length: 51 }, () => create('tag')));
  expectPointer(
    await request('POST', '/v1/tasks', { body: { name: 'x', tagIds: tags.map(({ id }) => id) } }),
    'tagIds',
  );
});

test('a field of another resource returns 400', async () => {
  expectPointer(
    await request('POST', '/v1/organizations', { body: { name: 'x', color: '#ff8800' } }),
    'color',
  );
  expectPointer(await request('POST', '/v1/users', { body: { name: 'x', description: '' } }), 'description');
  expectPointer(await request('POST', '/v1/tasks', { body: { name: 'x', startDate: null } }), 'startDate');
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
    [{ startDate: '2026-03-12', dueDate: '2026-03-11' }, '/dueDate'],
    [{ startDate: '2026-03-12', dueDate: '2026-03-13' }, undefined],
    [{ dueDate: null }, undefined],
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
