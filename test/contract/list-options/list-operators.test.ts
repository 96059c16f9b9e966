import { createMany, times } from '../batches.ts';
import { expectParameter, type Problem } from '../problem.ts';
import {
  create,
  type Entity,
  entityOf,
  identifiers,
  type Kind,
  type ListKind,
  pathTo,
  readList,
  resourceOf,
  resources,
  someLists,
  someResources,
} from '../resources.ts';
import { inParallel, type JsonObject, type Parameters, request, unique, withQuery } from '../service.ts';

/** Operators in lists: `field[operator]=value`. */

type Pairs = readonly (readonly [string, string])[];

const orderOperators = ['lt', 'lte', 'gt', 'gte'] as const;
const comparing = ['ne', 'in', 'notIn', ...orderOperators];

/** The operators of a field, without `isNull`. */
function operatorsOf(field: string): string[] {
  if (field === 'tagIds') return ['in', 'all', 'isEmpty'];
  if (field === 'description') return ['ne', 'in', 'notIn', 'startsWith'];
  const isText = ['name', 'status', 'email', 'color', 'position', 'subject'].includes(field);
  return isText ? [...comparing, 'startsWith', 'contains'] : comparing;
}

const allOperators = [...comparing, 'startsWith', 'contains', 'isNull', 'all', 'isEmpty'];

/** Every field of every resource, with the operators that it takes. */
const filterFields = resources.flatMap(({ kind, path, scalarFields, nullable, references }) => {
  const arrays = references.filter(({ many }) => many).map(({ field }) => field);
  return [...scalarFields, ...arrays].map((field) => ({
    kind,
    path,
    field,
    operators: [...operatorsOf(field), ...(nullable.includes(field) ? ['isNull'] : [])],
  }));
});

const isDate = (field: string): boolean => field.endsWith('Date');
const isTime = (field: string): boolean => field.endsWith('At');

function validValue(field: string, operator: string): string {
  if (operator === 'isNull' || operator === 'isEmpty') return 'true';
  if (isDate(field)) return '2026-01-01';
  if (isTime(field)) return '2026-01-01T00:00:00.000Z';
  if (field === 'estimate') return '2.5';
  return field === 'priority' ? 'high' : 'value';
}

const messageOf = (problem: Problem): string =>
  [problem.detail, ...(problem.errors ?? []).map(({ detail }) => detail)].join('\n');

/** A list of one resource with the entities of one test, oldest first. */
interface Filled {
  readonly entities: readonly Entity[];
  /** Returns the places of the entities that match, in the order of creation. */
  places(parameters: Parameters | Pairs): Promise<number[]>;
}

async function fill(kind: Kind, bodies: readonly JsonObject[]): Promise<Filled> {
  const name = unique('scope');
  const isScoped = bodies.every((body) => !('name' in body));
  const status = unique('s');
  const scope: Pairs = isScoped ? [['name', name]] : [['status', status]];
  const entities: Entity[] = [];
  for (const body of bodies) entities.push(await create(kind, { ...body, ...Object.fromEntries(scope) }));
  const ids = entities.map(({ id }) => id);
  return {
    entities,
    places: async (parameters) => {
      const pairs: Pairs = Symbol.iterator in parameters ? parameters : pairsOf(parameters);
      const query = [...scope, ...pairs, ['sortOrder', 'asc'], ['limit', '100']] as const;
      const list = await readList(withQuery(resourceOf(kind).path, query));
      expect([pairs, list.total]).toEqual([pairs, list.data.length]);
      return identifiers(list).map((id) => ids.indexOf(id));
    },
  };
}

const pairsOf = (parameters: Parameters): Pairs =>
  Object.entries(parameters).map(([name, value]) => [name, String(value)]);

/** Checks which places each query matches. */
async function expectPlaces(
  { places }: Filled,
  expected: readonly (readonly [query: Parameters | Pairs, places: readonly number[]])[],
): Promise<void> {
  await inParallel(expected, async ([query, wanted]) => {
    expect([query, await places(query)]).toEqual([query, wanted]);
  });
}

describe.each(filterFields)('$field of a $kind', ({ path, field, operators }) => {
  test('accepts its operators', async () => {
    await inParallel(operators, async (operator) => {
      const query = { [`${field}[${operator}]`]: validValue(field, operator), limit: 1 };
      const list = await readList(withQuery(path, query));
      expect([query, list.data.length]).toEqual([query, Math.min(1, list.total)]);
    });
  });

  test('returns 400 with the operators that it takes for any other one', async () => {
    const others = allOperators.filter((operator) => !operators.includes(operator));
    await inParallel(others, async (operator) => {
      const parameter = `${field}[${operator}]`;
      const value = validValue(field, operator);
      const problem = expectParameter(
        await request('GET', withQuery(path, { [parameter]: value })),
        parameter,
      );
      const message = messageOf(problem);
      for (const known of operators) {
        expect([parameter, message, new RegExp(`\\b${known}\\b`).test(message)]).toEqual([
          parameter,
          message,
          true,
        ]);
      }
    });
  });
});

describe('operators with a wrong name', () => {
  test.each(['name[NE]', 'userId[isnull]', 'name[constructor]', 'page[ne]', 'sortBy[in]', 'email[ne]'])(
    'return 400 with the parameter for %s',
    async (parameter) => {
      expectParameter(await request('GET', withQuery('/v1/tasks', { [parameter]: '1' })), parameter);
    },
  );

  test('return 400 with the nearest field for an unknown field', async () => {
    const response = await request('GET', '/v1/tasks?pririty[ne]=high');
    expect(messageOf(expectParameter(response, 'pririty[ne]'))).toMatch(/\bpriority\b/);
  });
});

describe('values that an operator cannot use', () => {
  const rows = [
    ...comparing.map((operator) => ['dueDate', operator, '2026-02-30'] as const),
    ...comparing.map((operator) => ['updatedAt', operator, '2026-01-01T25:00:00Z'] as const),
    ...['', '2026-1-1', '2026-01-01T00:00:00Z', ' 2026-01-01'].map(
      (value) => ['dueDate', 'lt', value] as const,
    ),
    ...['', '2026-02-30T00:00:00Z', '1767225600000'].map((value) => ['updatedAt', 'lt', value] as const),
    ...orderOperators.map((operator) => ['priority', operator, 'HIGH'] as const),
    ['dueDate', 'isNull', ''],
    ['userId', 'isNull', '1'],
    ['tagIds', 'isEmpty', 'null'],
  ] as const;

  test.each(rows)('return 400 with the parameter for %s[%s]=%j', async (field, operator, value) => {
    const parameter = `${field}[${operator}]`;
    expectParameter(await request('GET', withQuery('/v1/tasks', { [parameter]: value })), parameter);
  });

  test.each(['2026-01-01,never', '2026-01-01,'])(
    'return 400 for one invalid date among others: %s',
    async (value) => {
      expectParameter(await request('GET', withQuery('/v1/tasks', { 'dueDate[in]': value })), 'dueDate[in]');
    },
  );

  test.each(['name[ne]=a&name[ne]=b', 'userId[isNull]=true&userId[isNull]=false'])(
    'return 400 when the operator occurs twice with different values: %s',
    async (query) => {
      expectParameter(await request('GET', `/v1/tasks?${query}`), query.slice(0, query.indexOf('=')));
    },
  );
});

describe('text', () => {
  // The last three: U+10400 has the lower case U+10428; U+FF5E sorts before U+1F600, unlike their UTF-16 units.
  const names = ['B', 'a', 'b', 'É', 'é', 'ab', 'x,y', 'x\\y', '\u{10400}', '\uFF5E', '\u{1F600}'];
  let filled: Filled;

  beforeAll(async () => {
    filled = await fill(
      'tag',
      names.map((name) => ({ name })),
    );
  });

  const except = (...places: number[]): number[] =>
    names.flatMap((_, place) => (places.includes(place) ? [] : place));

  test('compares whole values and respects case with ne, in and notIn', () =>
    expectPlaces(filled, [
      [{ 'name[ne]': 'b' }, except(2)],
      [{ 'name[ne]': 'no such name' }, except()],
      [{ 'name[in]': 'no such name,é' }, [4]],
      [{ 'name[notIn]': 'B,\u{1F600}' }, except(0, 10)],
    ]));

  test('compares by Unicode code point with lt, lte, gt and gte', () => {
    const byCodePoint = (one: string, other: string): number =>
      Buffer.compare(Buffer.from(one), Buffer.from(other));
    const matching = (bound: string, isMatch: (difference: number) => boolean): number[] =>
      names.flatMap((name, place) => (isMatch(byCodePoint(name, bound)) ? [place] : []));
    return expectPlaces(
      filled,
      ['b', 'é', '\uFF5E', 'C', '\u{10FFFF}'].flatMap((bound) => [
        [{ 'name[lt]': bound }, matching(bound, (difference) => difference < 0)] as const,
        [{ 'name[lte]': bound }, matching(bound, (difference) => difference <= 0)] as const,
        [{ 'name[gt]': bound }, matching(bound, (difference) => difference > 0)] as const,
        [{ 'name[gte]': bound }, matching(bound, (difference) => difference >= 0)] as const,
      ]),
    );
  });

  test('ignores case with startsWith and contains', () =>
    expectPlaces(filled, [
      [{ 'name[startsWith]': 'A' }, [1, 5]],
      [{ 'name[startsWith]': 'b' }, [0, 2]],
      [{ 'name[contains]': 'B' }, [0, 2, 5]],
      [{ 'name[contains]': 'É' }, [3, 4]],
      [{ 'name[startsWith]': '\u{10428}' }, [8]],
      [{ 'name[contains]': '\u{1F600}' }, [10]],
      [{ 'name[startsWith]': 'b ' }, []],
    ]));

  test('takes a comma, a backslash and signs of patterns literally where there is one value', () =>
    expectPlaces(filled, [
      [{ 'name[ne]': 'x,y' }, except(6)],
      [{ 'name[contains]': ',' }, [6]],
      [{ 'name[contains]': '\\' }, [7]],
      [{ 'name[startsWith]': 'x\\' }, [7]],
      [{ 'name[contains]': '.' }, []],
    ]));

  test('escapes a comma and a backslash with a backslash in in and notIn (an addition to the design)', () =>
    expectPlaces(filled, [
      [{ 'name[in]': 'x,y' }, []],
      [{ 'name[in]': 'a,x\\,y,x\\\\y' }, [1, 6, 7]],
      [{ 'name[notIn]': 'x\\,y,x\\\\y' }, except(6, 7)],
    ]));

  test('combines several operators of one field, and an exact value, with AND', () =>
    expectPlaces(filled, [
      [{ 'name[gte]': 'a', 'name[lt]': 'b' }, [1, 5]],
      [{ 'name[contains]': 'b', 'name[ne]': 'B', 'name[startsWith]': 'A' }, [5]],
      [{ name: 'a', 'name[ne]': 'a' }, []],
    ]));
});

describe('description', () => {
  const hundred = 'x'.repeat(100);
  const long = 'Long. '.repeat(100);
  let filled: Filled;

  beforeAll(async () => {
    const texts = [
      '',
      'Short',
      hundred,
      `${hundred}a`,
      `${hundred}b`,
      long,
      `${'\u{1F600}'.repeat(100)}z`,
      'a,b',
    ];
    filled = await fill(
      'task',
      texts.map((description) => ({ description })),
    );
  });

  test('compares whole texts with ne, in and notIn', () =>
    expectPlaces(filled, [
      [{ 'description[ne]': `${hundred}a` }, [0, 1, 2, 4, 5, 6, 7]],
      [{ 'description[in]': `${hundred}b,${long}` }, [4, 5]],
      [{ 'description[notIn]': `${hundred}a,${long},Short` }, [0, 2, 4, 6, 7]],
      [{ 'description[in]': 'a\\,b' }, [7]],
      [{ 'description[ne]': '' }, [1, 2, 3, 4, 5, 6, 7]],
      [{ 'description[in]': 'short' }, []],
    ]));

  test('accepts the empty text as a value of in and notIn', () =>
    expectPlaces(filled, [
      [{ 'description[in]': '' }, [0]],
      [{ 'description[in]': 'Short,' }, [0, 1]],
      [{ 'description[notIn]': '' }, [1, 2, 3, 4, 5, 6, 7]],
    ]));

  test('takes at most 100 characters with startsWith, and ignores case', async () => {
    await expectPlaces(filled, [
      [{ 'description[startsWith]': 'sHORT' }, [1]],
      [{ 'description[startsWith]': hundred.toUpperCase() }, [2, 3, 4]],
      [{ 'description[startsWith]': '\u{1F600}'.repeat(100) }, [6]],
    ]);
    const path = withQuery('/v1/tasks', { 'description[startsWith]': `${hundred}a` });
    expectParameter(await request('GET', path), 'description[startsWith]');
  });
});

describe('priority', () => {
  const ranked = ['urgent', 'none', 'high', 'low', 'medium'];
  let filled: Filled;

  beforeAll(async () => {
    filled = await fill(
      'task',
      ranked.map((priority) => ({ priority })),
    );
  });

  test('compares by rank', () =>
    expectPlaces(filled, [
      [{ 'priority[lt]': 'medium' }, [1, 3]],
      [{ 'priority[lte]': 'medium' }, [1, 3, 4]],
      [{ 'priority[gt]': 'medium' }, [0, 2]],
      [{ 'priority[gte]': 'medium' }, [0, 2, 4]],
      [{ 'priority[lt]': 'none' }, []],
      [{ 'priority[notIn]': 'high,urgent' }, [1, 3, 4]],
      [{ 'priority[ne]': 'none' }, [0, 2, 3, 4]],
    ]));

  test('matches nothing for unknown values of in, notIn and ne (an addition to the design)', () =>
    expectPlaces(filled, [
      [{ 'priority[in]': 'unknown,HIGH,low' }, [3]],
      [{ 'priority[ne]': 'unknown' }, [0, 1, 2, 3, 4]],
      [{ 'priority[notIn]': 'unknown,low' }, [0, 1, 2, 4]],
    ]));
});

describe('dates', () => {
  test('compare in time, and null matches only ne, notIn and isNull', async () => {
    const filled = await fill(
      'task',
      [null, '2026-01-01', '2025-12-31', '2026-01-02'].map((dueDate) => ({ dueDate })),
    );
    await expectPlaces(filled, [
      [{ 'dueDate[lt]': '2026-01-01' }, [2]],
      [{ 'dueDate[lte]': '2026-01-01' }, [1, 2]],
      [{ 'dueDate[gt]': '2026-01-01' }, [3]],
      [{ 'dueDate[gte]': '2026-01-01' }, [1, 3]],
      [{ 'dueDate[lte]': '9999-12-31' }, [1, 2, 3]],
      [{ 'dueDate[ne]': '2026-01-01' }, [0, 2, 3]],
      [{ 'dueDate[in]': '2026-01-01,2026-01-02' }, [1, 3]],
      [{ 'dueDate[notIn]': '2026-01-01,2026-01-02' }, [0, 2]],
      [{ 'dueDate[isNull]': 'true' }, [0]],
      [{ 'dueDate[isNull]': 'false' }, [1, 2, 3]],
      [{ 'dueDate[isNull]': 'true', 'dueDate[ne]': '2026-01-01' }, [0]],
      [{ 'dueDate[gte]': '2025-12-31', 'dueDate[lt]': '2026-01-02' }, [1, 2]],
    ]);
  });
});

describe('timestamps', () => {
  test.each(['createdAt', 'updatedAt'])('%s compares in time, with any offset', async (field) => {
    const filled = await fill('tag', [{}, {}, {}]);
    const times = filled.entities.map((entity) => String(entity[field]));
    const [, middle = ''] = times;
    const at = Date.parse(middle);
    const matching = (isMatch: (time: number) => boolean): number[] =>
      times.flatMap((time, place) => (isMatch(Date.parse(time)) ? [place] : []));
    const shifted = (hours: number, offset: string): string =>
      new Date(at + hours * 3_600_000).toISOString().replace('Z', offset);
    for (const value of [middle, shifted(-9.5, '-09:30')]) {
      await expectPlaces(filled, [
        [{ [`${field}[lt]`]: value }, matching((time) => time < at)],
        [{ [`${field}[lte]`]: value }, matching((time) => time <= at)],
        [{ [`${field}[gt]`]: value }, matching((time) => time > at)],
        [{ [`${field}[gte]`]: value }, matching((time) => time >= at)],
        [{ [`${field}[ne]`]: value }, matching((time) => time !== at)],
        [{ [`${field}[in]`]: value }, matching((time) => time === at)],
        [{ [`${field}[notIn]`]: value }, matching((time) => time !== at)],
      ]);
    }
  });
});

describe.each(someResources)('ids of $path', ({ kind }) => {
  test('compare as text with the operators of ids', async () => {
    const filled = await fill(kind, [{}, {}, {}]);
    const [first = '', second = '', third = ''] = filled.entities.map(({ id }) => id);
    await expectPlaces(filled, [
      [{ 'id[lt]': second }, [0]],
      [{ 'id[lte]': second }, [0, 1]],
      [{ 'id[gt]': second }, [2]],
      [{ 'id[gte]': second }, [1, 2]],
      [{ 'id[ne]': second }, [0, 2]],
      [{ 'id[in]': `${third},${first},unknown` }, [0, 2]],
      [{ 'id[notIn]': `${third},${first}` }, [1]],
    ]);
  });
});

const references = resources.flatMap(({ kind, references: own, nullable }) =>
  own.flatMap(({ field, to, many }) =>
    many ? [] : [{ kind, field, to, isNullable: nullable.includes(field) }],
  ),
);

test.each(references)(
  '$field of a $kind compares as text with the operators of references',
  async ({ kind, field, to, isNullable }) => {
    const parents = [(await create(to)).id, (await create(to)).id].sort();
    const [low = '', high = ''] = parents;
    const filled = await fill(kind, [
      { [field]: low },
      { [field]: high },
      { [field]: isNullable ? null : high },
    ]);
    const also = isNullable ? [2] : [];
    const atHigh = isNullable ? [1] : [1, 2];
    await expectPlaces(filled, [
      [{ [`${field}[ne]`]: high }, [0, ...also]],
      [{ [`${field}[notIn]`]: `${low},unknown` }, [1, 2]],
      [{ [`${field}[in]`]: `${low},unknown` }, [0]],
      [{ [`${field}[lt]`]: high }, [0]],
      [{ [`${field}[lte]`]: high }, [0, 1, ...(isNullable ? [] : [2])]],
      [{ [`${field}[gt]`]: low }, atHigh],
      [{ [`${field}[gte]`]: low }, [0, ...atHigh]],
      ...(isNullable
        ? ([
            [{ [`${field}[isNull]`]: 'true' }, [2]],
            [{ [`${field}[isNull]`]: 'false' }, [0, 1]],
          ] as const)
        : []),
    ]);
  },
);

describe('null in a text field', () => {
  test('matches ne, notIn and isNull, and no other operator', async () => {
    const filled = await fill('user', [{ email: null }, { email: 'ada@example.com' }]);
    await expectPlaces(filled, [
      [{ 'email[ne]': 'null' }, [0, 1]],
      [{ 'email[notIn]': 'ada@example.com,bob@example.com' }, [0]],
      [{ 'email[isNull]': 'true' }, [0]],
      [{ 'email[isNull]': 'false' }, [1]],
      [{ 'email[in]': 'null,' }, []],
      [{ 'email[lte]': 'zzz' }, [1]],
      [{ 'email[gt]': '!' }, [1]],
      [{ 'email[startsWith]': 'ADA' }, [1]],
      [{ 'email[contains]': '@EXAMPLE' }, [1]],
      [{ 'email[contains]': 'n' }, []],
    ]);
  });
});

describe('tagIds', () => {
  const repeated = (name: string, ...values: string[]): Pairs => values.map((value) => [name, value]);

  test('matches any of, all of, and empty', async () => {
    const [a = '', b = '', c = ''] = identifiers({ data: await createMany('tag', times(3)) });
    const filled = await fill('task', [
      { tagIds: [a] },
      { tagIds: [b, a] },
      { tagIds: [a, b, c] },
      { tagIds: [] },
      { tagIds: [c] },
    ]);
    await expectPlaces(filled, [
      [{ 'tagIds[in]': `${b},${c}` }, [1, 2, 4]],
      [{ 'tagIds[in]': `unknown,${b}` }, [1, 2]],
      [{ 'tagIds[all]': `${a},${b}` }, [1, 2]],
      [{ 'tagIds[all]': a }, [0, 1, 2]],
      [{ 'tagIds[all]': `${a},unknown` }, []],
      [{ 'tagIds[isEmpty]': 'true' }, [3]],
      [{ 'tagIds[isEmpty]': 'false' }, [0, 1, 2, 4]],
      [{ tagIds: a, 'tagIds[in]': `${b},${c}`, 'tagIds[all]': c }, [2]],
      [{ 'tagIds[isEmpty]': 'true', tagIds: a }, []],
      // A repeated parameter has the values of all its occurrences.
      [repeated('tagIds[in]', b, c), [1, 2, 4]],
      [repeated('tagIds[all]', a, `${b},${c}`), [2]],
    ]);
  });
});

describe('a value that the field can never have', () => {
  test.each([
    ['dueDate', 'never'],
    ['createdAt', '2026-01-01'],
    ['priority', 'unknown'],
    ['tagIds', 'unknown'],
    ['dueDate', ''],
  ])('finds nothing without an operator: %s=%s', async (field, value) => {
    expect(await readList(withQuery('/v1/tasks', { [field]: value }))).toMatchObject({ data: [], total: 0 });
  });
});

describe.each(someLists)('operators in GET $title', (list: ListKind) => {
  test('combine with the path, other filters, order and pages, and see each write at once', async () => {
    const { path, query, fields } = await list.open();
    const at = (parameters: Parameters) =>
      withQuery(path, { ...query, 'name[startsWith]': 'OP-', ...parameters });
    const made: Entity[] = [];
    for (const letter of ['b', 'a', 'c', 'd']) {
      made.push(await create(list.item, { ...fields, name: `op-${letter}` }));
      expect((await readList(at({}))).total).toBe(made.length);
    }
    await create(list.item, { ...fields, name: 'other' });
    const [b, a, c, d] = made as [Entity, Entity, Entity, Entity];
    const page = await readList(
      at({ 'name[ne]': 'op-d', sortBy: 'name', sortOrder: 'asc', limit: 2, page: 2 }),
    );
    expect(page).toMatchObject({ data: [c], total: 3, page: 2, totalPages: 2 });
    expect(identifiers(await readList(at({ 'name[lte]': 'op-b' })))).toEqual([a.id, b.id]);
    entityOf(await request('PATCH', pathTo(list.item, c.id), { body: { name: 'renamed' } }), 200);
    expect(identifiers(await readList(at({ 'name[gt]': 'op-b' })))).toEqual([d.id]);
    expect((await request('DELETE', pathTo(list.item, d.id))).status).toBe(204);
    expect(await readList(at({ 'name[gt]': 'op-b' }))).toMatchObject({ data: [], total: 0 });
    expect(identifiers(await readList(at({ 'id[in]': `${a.id},${c.id},${d.id}` })))).toEqual([a.id]);
  });
});
