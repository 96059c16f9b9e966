import { notExists } from '#functions/store/model/condition-expressions.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import {
  buildSubjectWrites,
  encodeSubject,
  subjectKey,
  userOfSubject,
} from '#functions/store/model/subject.ts';

const id = '019c0000-0000-7000-8000-000000000001';

const user = (subject?: string | null, kind: Kind = 'user') => ({
  kind,
  version: 1,
  entity: {
    id,
    name: 'x',
    status: 'active',
    createdAt: '',
    updatedAt: '',
    ...(subject !== undefined && { subject }),
  },
});

const put = (subject: string) => ({ put: encodeSubject('acme', subject, id), condition: notExists });
const remove = (subject: string) => ({ remove: subjectKey('acme', subject) });

test('the item of a subject has a short key of the tenant, and names the user', () => {
  const item = encodeSubject('acme', 'x'.repeat(255), id);
  expect(item).toEqual({ pk: expect.stringMatching(/^acme#subject#[\w-]{43}$/), sk: 'subject', userId: id });
  expect(userOfSubject(item)).toBe(id);
  expect(subjectKey('acme', 'a').pk).not.toBe(subjectKey('acme', 'A').pk);
});

test.each([
  ['a creation with a subject', { after: user('a') }, [put('a')]],
  ['a creation without one', { after: user(null) }, []],
  ['another subject', { before: user('a'), after: user('b') }, [remove('a'), put('b')]],
  ['the same subject', { before: user('a'), after: user('a') }, []],
  [
    'the first subject of a user that is older than the field',
    { before: user(), after: user('a') },
    [put('a')],
  ],
  ['null for a user that is older than the field', { before: user(), after: user(null) }, []],
  ['a subject that is removed', { before: user('a'), after: user(null) }, [remove('a')]],
  ['a deletion', { before: user('a') }, [remove('a')]],
  ['a deletion of a user without one', { before: user(null) }, []],
  ['another kind', { before: user('a', 'task'), after: user('b', 'task') }, []],
])('the writes of %s', (_, change, writes) => {
  expect(buildSubjectWrites('acme', change)).toEqual(writes);
});
