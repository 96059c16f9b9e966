import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../sync-adapters/adapters');
const page = readFileSync(join(__dirname, '../../../docs/sync.md'), 'utf8');

test.each(readdirSync(folder))('docs/sync.md has the adapter %s that tests run', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  expect(page).toContain(text.replace("'../../../client/index.ts'", "'project-management-client'"));
});
