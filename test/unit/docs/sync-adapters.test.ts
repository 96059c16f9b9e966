import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../sync-adapters/adapters');
const page = readFileSync(join(__dirname, '../../../docs/sync.md'), 'utf8');

test.each(readdirSync(folder))('docs/sync.md has the adapter %s that tests run', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  expect(page).toContain(text.replace("'../../../client/index.ts'", "'project-management-client'"));
});

test('docs/client.md has the example with TanStack Query that is compiled', () => {
  const text = readFileSync(join(folder, '../tanstack-query.tsx'), 'utf8');
  const client = readFileSync(join(__dirname, '../../../docs/client.md'), 'utf8');
  expect(client).toContain(text.replace("'../../client/index.ts'", "'project-management-client'"));
});
