/** Cursors of all four kinds: every prefix, and every changed byte, is a 400 that names the parameter, or a valid response. */
import { create, pathTo } from './resources.ts';
import { type Parameters, request, withQuery } from './service.ts';

interface CursorPage {
  readonly path: string;
  readonly parameters: Parameters;
  readonly parameter: 'since' | 'after';
  /** Statuses of valid responses. */
  readonly valid: readonly number[];
}

async function pagesWithCursor(): Promise<CursorPage[]> {
  const { id: projectId } = await create('project');
  const { id } = await create('task', { projectId });
  await create('task', { projectId });
  await request('PATCH', pathTo('task', id), { body: { name: 'b' } });
  const deleted = [await create('tag'), await create('tag')];
  for (const tag of deleted) await request('DELETE', pathTo('tag', tag.id));
  const feed = { path: '/v1/tasks/changes', parameter: 'since', valid: [200, 410] } as const;
  const list = { parameter: 'after', valid: [200] } as const;
  return [
    { ...feed, parameters: { projectId, limit: '1' } },
    { ...feed, parameters: { projectId } },
    { ...list, path: '/v1/tasks', parameters: { projectId, limit: '1', sortBy: 'name', after: '' } },
    { ...list, path: '/v1/tags/deleted', parameters: { limit: '1', after: '' } },
    { ...list, path: `/v1/tasks/${id}/changes`, parameters: { limit: '1' } },
  ];
}

/** Returns the prefixes of a cursor, and what it becomes when one of its bytes is another one. */
function broken(cursor: string): string[] {
  const bytes = Buffer.from(cursor, 'base64url');
  const prefixes = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length));
  const changed = [...bytes].flatMap((byte, place) =>
    [1, 0x80, 0xff].map((mask) => Buffer.from(bytes.with(place, byte ^ mask)).toString('base64url')),
  );
  return [...prefixes, ...changed, 'AwID', 'AQID'];
}

test('a broken cursor is a 400 that names it, or a valid response', async () => {
  for (const { path, parameters, parameter, valid } of await pagesWithCursor()) {
    const { cursor, next = cursor } = (await request('GET', withQuery(path, parameters))).body as {
      readonly cursor?: string;
      readonly next?: string;
    };
    expect([path, typeof next]).toEqual([path, 'string']);
    for (const one of broken(next as string)) {
      const { status, body } = await request('GET', withQuery(path, { ...parameters, [parameter]: one }));
      if (valid.includes(status)) continue;
      expect([path, one, status, body]).toMatchObject([path, one, 400, { errors: [{ parameter }] }]);
    }
  }
});
