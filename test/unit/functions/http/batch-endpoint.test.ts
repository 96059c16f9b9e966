import { batchProblem, showResult } from '#functions/http/batch-endpoint.ts';
import { invalidRequest } from '#functions/http/problems.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import {
  BatchFailed,
  EntityNotFound,
  ReferenceNotFound,
  VersionMismatch,
} from '#functions/store/model/errors.ts';
import { tag } from '#functions/tags/resource.ts';

const { after: stored } = buildCreate('tag', { name: 'urgent', status: 'active' }, Date.now());
const { id } = stored.entity;

describe('batchProblem', () => {
  test('has the code of the first operation that fails, and the issues of all', () => {
    const failed = new BatchFailed([
      { position: 1, error: new VersionMismatch(stored, 'some versions') },
      { position: 2, error: new EntityNotFound('tag', id) },
      {
        position: 4,
        error: new ReferenceNotFound([{ pointer: '/organizationId', kind: 'organization' }]),
      },
      { position: 7, error: invalidRequest([{ pointer: '/operations/7/body/name', detail: 'Too long.' }]) },
    ]);
    const { code, message, issues, cause } = batchProblem(failed);
    expect({ code, message, issues, cause }).toEqual({
      code: 'version-mismatch',
      message:
        `No operation was applied. The tag ${id} has changed since the version that If-Match names. Read it again. ` +
        `There is no tag with the id ${id}. There is no organization with this id.`,
      issues: [
        {
          pointer: '/operations/1/ifMatch',
          detail: `The tag ${id} has changed since the version that If-Match names. Read it again.`,
        },
        { pointer: '/operations/2/id', detail: `There is no tag with the id ${id}.` },
        { pointer: '/operations/4/body/organizationId', detail: 'There is no organization with this id.' },
        { pointer: '/operations/7/body/name', detail: 'Too long.' },
      ],
      cause: failed,
    });
  });

  test.each([
    ['not-found', new EntityNotFound('tag', id)],
    ['invalid-request', new ReferenceNotFound([{ pointer: '/organizationId', kind: 'organization' }])],
    ['invalid-request', invalidRequest([{ pointer: '/operations/0', detail: 'Wrong.' }])],
  ])('is %s if such an operation is the first', (code, error) => {
    const last = { position: 3, error: new VersionMismatch(stored, 'some versions') };
    expect(batchProblem(new BatchFailed([{ position: 0, error }, last])).code).toBe(code);
  });
});

test('showResult returns the status, the tag and the fields of an entity, and no others', () => {
  const entity = {
    id: '01890000-0000-7000-8000-7a2c4d8f0e36',
    name: 'urgent',
    status: 'active',
    color: '#ff0000',
    description: '',
    organizationId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };
  const stored = { kind: 'tag' as const, version: 3, entity: { ...entity, secret: 'x' } };
  expect(showResult(tag, { operation: 'update', stored })).toEqual({
    status: 200,
    etag: '"7a2c4d8f0e36-3"',
    body: entity,
  });
  expect(showResult(tag, { operation: 'create', stored })).toMatchObject({ status: 201, body: entity });
  expect(showResult(tag, { operation: 'delete' })).toEqual({ status: 204 });
});
