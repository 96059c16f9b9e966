import { expectProblem } from './problem.ts';
import { create, type Entity, pathTo, read } from './resources.ts';
import { type JsonObject, request, type TestResponse, unique, withQuery } from './service.ts';

/** The field `subject` of users: who a user is for the issuer of tokens. It belongs to one user of a tenant. */

const write = (method: 'PUT' | 'PATCH', { id }: Entity, body: JsonObject): Promise<TestResponse> =>
  request(method, pathTo('user', id), { body });

const batch = (...operations: JsonObject[]): Promise<TestResponse> =>
  request('POST', '/v1/users/batch', { body: { operations } });

const update = ({ id }: Entity, body: JsonObject): JsonObject => ({ operation: 'update', id, body });

const subjectOf = async ({ id }: Entity): Promise<unknown> => (await read('user', id))['subject'];

function expectTaken(response: TestResponse, pointer = '/subject'): void {
  expect(response.status).toBe(409);
  expect(response.body).toMatchObject({
    type: '/docs/problems#subject-taken',
    errors: [{ pointer, detail: 'Another user has this "subject".' }],
  });
}

const twoUsers = async (): Promise<readonly [string, Entity, Entity]> => {
  const subject = unique('subject');
  return [subject, await create('user', { subject }), await create('user')];
};

describe('a second user with the same subject', () => {
  test('is a 409 for every write, and nothing changes', async () => {
    const [subject, , other] = await twoUsers();
    const before = await read('user', other.id);
    expectTaken(await request('POST', '/v1/users', { body: { name: 'x', subject } }));
    expectTaken(await write('PATCH', other, { subject }));
    expectTaken(await write('PUT', other, { name: 'x', subject }));
    expect(await read('user', other.id)).toEqual(before);
  });

  test('is a 409 in a batch, which points to the operation', async () => {
    const [subject, , other] = await twoUsers();
    expectTaken(await batch(update(other, { subject })), '/operations/0/body/subject');
    const created = { operation: 'create', body: { name: 'x', subject } };
    expectTaken(await batch(update(other, { name: 'y' }), created), '/operations/1/body/subject');
    expect((await read('user', other.id)).name).toBe(other.name);
  });

  test('is a 409 when one batch gives both the subject', async () => {
    const twice = { operation: 'create', body: { name: 'x', subject: unique('subject') } };
    expectTaken(await batch(twice, twice), '/operations/1/body/subject');
  });

  test('is a 409 for all but one of several concurrent requests', async () => {
    const body = { name: 'x', subject: unique('subject') };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => request('POST', '/v1/users', { body })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 409),
    ]);
  });
});

describe('a subject is free again', () => {
  const expectFree = async (subject: string): Promise<void> => {
    expect((await create('user', { subject }))['subject']).toBe(subject);
  };

  test.each([
    ['another subject', (user: Entity) => write('PATCH', user, { subject: unique('other') })],
    ['null', (user: Entity) => write('PATCH', user, { subject: null })],
    ['a replacement by null', (user: Entity) => write('PUT', user, { name: 'x', subject: null })],
    ['a deletion', ({ id }: Entity) => request('DELETE', pathTo('user', id))],
    ['a batch that changes it', (user: Entity) => batch(update(user, { subject: null }))],
    ['a batch that deletes the user', ({ id }: Entity) => batch({ operation: 'delete', id })],
  ])('after %s', async (_, change) => {
    const [subject, user] = await twoUsers();
    expect((await change(user)).status).toBeLessThan(300);
    await expectFree(subject);
  });

  test('but not after another change of its user', async () => {
    const [subject, user] = await twoUsers();
    expect((await write('PATCH', user, { name: 'y', subject })).status).toBe(200);
    expect((await write('PUT', user, { name: 'z', subject })).status).toBe(200);
    expectTaken(await request('POST', '/v1/users', { body: { name: 'x', subject } }));
  });
});

describe('a batch', () => {
  test('that swaps the subjects of two users is a 400 with a pointer to both', async () => {
    const [one, first, second] = await twoUsers();
    const other = unique('subject');
    await write('PATCH', second, { subject: other });
    const response = await batch(update(first, { subject: other }), update(second, { subject: one }));
    expectProblem(response, 400);
    const detail =
      'Operations 0 and 1 move a "subject" from one user to another. Set it to null in a batch before this one.';
    expect(response.body).toMatchObject({
      detail: `No operation was applied. ${detail}`,
      errors: [0, 1].map((position) => ({ pointer: `/operations/${position}/body/subject`, detail })),
    });
    expect([await subjectOf(first), await subjectOf(second)]).toEqual([one, other]);
  });

  test('cannot give a subject that it takes from another user, by a change or a deletion', async () => {
    const [subject, user, other] = await twoUsers();
    const given = update(other, { subject });
    for (const freeing of [update(user, { subject: null }), { operation: 'delete', id: user.id }]) {
      for (const operations of [
        [freeing, given],
        [given, freeing],
      ]) {
        const created = { operation: 'create', body: { name: 'x' } };
        const response = await batch(created, ...operations);
        expectProblem(response, 400);
        expect((response.body as { detail: string }).detail).toMatch(/ Operations 1 and 2 move /);
      }
    }
    expect(await subjectOf(user)).toBe(subject);
  });
});

test('a subject is case-sensitive, is not trimmed, and filters lists', async () => {
  const subject = unique('Subject');
  const users = [subject, subject.toLowerCase(), ` ${subject}`].map((one) =>
    create('user', { subject: one }),
  );
  const [first] = await Promise.all(users);
  const { body } = await request('GET', withQuery('/v1/users', { subject }));
  expect((body as { data: Entity[] }).data.map(({ id }) => id)).toEqual([first?.id]);
});
