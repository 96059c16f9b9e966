import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeFeedMutations } from '../../mutations/change-feed.ts';
import { replicationMutations } from '../../mutations/replication.ts';

const page = readFileSync(join(__dirname, '../../../docs/sync.md'), 'utf8');
const [, section = ''] = /^## How it works\n(.*)/ms.exec(page) ?? [];

test('docs/sync.md names each mutation of the change feed and of copies, and no other', () => {
  const named = [...section.matchAll(/\(`([\w-]+)`\)/g)].map(([, name]) => name);
  const ofFeed = changeFeedMutations.filter(({ file }) => file.includes('/changes/'));
  const expected = [...ofFeed, ...replicationMutations].map(({ name }) => name);
  expect(named.sort()).toEqual(expected.sort());
});
