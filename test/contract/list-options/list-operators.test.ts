import type { Filter, FilterOperator } from '#functions/engine/model/list-query.ts';
import { listQuery, sortedBy } from '../../support/list-queries.ts';
import { plainList, plainOrder, ranks } from '../../support/plain-list.ts';
import { someOf } from '../../support/runs.ts';
import { expectParameter, type Problem } from '../problem.ts';
import {
  create,
  type Entity,
  entityOf,
  identifiers,
  type ListKind,
  pathTo,
  readList,
  resources,
  someLists,
} from '../resources.ts';
import { inParallel, type JsonObject, type Parameters, request, unique, withQuery } from '../service.ts';

/** Operators in lists: `field[operator]=value`. */

const orderOperators = ['lt', 'lte', 'gt', 'gte'] as const;
const comparing: readonly FilterOperator[] = ['ne', 'in', 'notIn', ...orderOperators];

/** The operators of a field, without `isNull`. */
function operatorsOf(field: string): readonly FilterOperator[] {
  if (field.endsWith('Ids')) return ['in', 'all', 'isEmpty'];
  if (field === 'description') return ['ne', 'in', 'notIn', 'startsWith'];
  const isOther = /(?:Date|At|Id)$/.test(field) || ['id', 'priority', 'estimate'].includes(field);
  return isOther ? comparing : [...comparing, 'startsWith', 'contains'];
}

const allOperators = [...comparing, 'startsWith', 'contains', 'isNull', 'all', 'isEmpty'] as const;

/** Every field of every resource, with the operators that it takes. */
const filterFields = resources.flatMap(({ kind, path, scalarFields, nullable, references }) => {
  const arrays = references.filter(({ many }) => many).map(({ field }) => field);
  return [...scalarFields, ...arrays].map((field) => ({
    kind,
    path,
    field,
    operators: [...operatorsOf(field), ...(nullable.includes(field) ? (['isNull'] as const) : [])],
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

describe.each(filterFields)('$field of a $kind', ({ path, field, operators }) => {
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

/** Texts in different cases. The last three: U+10400 has the lower case U+10428; U+FF5E sorts before U+1F600, unlike their UTF-16 units. */
const texts = ['b', 'B', 'É', 'é', 'ab', '\u{10400}', '\uFF5E', '\u{1F600}'];

/** Returns fields of an entity that differ from one place to the next. */
const variedFields = (place: number): JsonObject => {
  const text = texts[place] ?? '';
  const [ascii = ''] = [...'bBaAzZ09'].slice(place);
  const date = `202${place}-02-28`;
  return {
    name: text,
    status: unique(ascii),
    description: place % 2 === 0 ? text : text.repeat(100),
    startDate: date,
    dueDate: date,
    priority: ['urgent', 'none', 'high', 'low', 'medium'][place % 5] ?? '',
    color: `#0000${place}0`,
    email: `${ascii}@example.com`,
    position: text,
    subject: unique(text),
  };
};

/** Returns the values with which an operator is compared for a value of an entity. */
function operandsOf(operator: FilterOperator, value: string): readonly (readonly string[])[] {
  if (operator === 'isNull' || operator === 'isEmpty') return [['true'], ['false']];
  if (operator === 'startsWith' || operator === 'contains') return [[value.slice(0, 2).toLowerCase()]];
  return ['in', 'notIn', 'all'].includes(operator) ? [[value], [value, 'unknown']] : [[value]];
}

describe.each(resources)('the fields of $path', ({ kind, path, full, scalarFields }) => {
  const entities: Entity[] = [];

  beforeAll(async () => {
    for (const place of texts.keys()) {
      const complete = await full();
      const varied = Object.entries(variedFields(place)).filter(([field]) => field in complete);
      entities.push(await create(kind, { ...complete, ...Object.fromEntries(varied) }));
    }
    entities.push(await create(kind, { status: unique('s') }));
  });

  const ofKind = filterFields.filter((field) => field.kind === kind);

  test.each(ofKind)('$field matches what the model matches', async ({ field, operators }) => {
    const values = new Set(entities.flatMap((entity) => entity[field] ?? []));
    const equality = scalarFields.includes(field) ? (['eq'] as const) : [];
    const filters = [...equality, ...operators].flatMap((operator) =>
      someOf([...values], 3).flatMap((value) =>
        operandsOf(operator, String(value))
          // Unknown dates, times and numbers are refused.
          .filter(
            (operands) =>
              !(operands.includes('unknown') && (isDate(field) || isTime(field) || field === 'estimate')),
          )
          .map((operands): Filter => ({ field, operator, values: operands })),
      ),
    );
    const unlike = field === 'status' ? 'id' : 'status';
    const scope = { [`${unlike}[in]`]: entities.map((entity) => entity[unlike]).join(',') };
    await inParallel(filters, async (filter) => {
      const name = filter.operator === 'eq' ? field : `${field}[${filter.operator}]`;
      const query = { [name]: filter.values.join(',') };
      const list = await readList(withQuery(path, { ...scope, ...query, sortOrder: 'asc', limit: 100 }));
      const expected = plainList(entities, listQuery({ filters: [filter], ranks, limit: 100 }));
      expect([query, identifiers(list)]).toEqual([query, identifiers({ data: [...expected.entities] })]);
    });
  });

  test.each(scalarFields)('%s sorts in both orders, null lowest, text by code point', async (sortBy) => {
    const at = withQuery(path, { 'id[in]': entities.map(({ id }) => id).join(','), sortBy });
    const expected = plainOrder(entities, sortedBy(sortBy)).map(({ id }) => id);
    expect(identifiers(await readList(`${at}&sortOrder=asc`))).toEqual(expected);
    expect(identifiers(await readList(`${at}&sortOrder=desc`))).toEqual(expected.reverse());
  });
});

test('description[startsWith] takes at most 100 characters', async () => {
  const path = withQuery('/v1/tasks', { 'description[startsWith]': 'x'.repeat(101) });
  expectParameter(await request('GET', path), 'description[startsWith]');
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
