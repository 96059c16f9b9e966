/** The rooms of the engine: imports go one way, and no word of this application is in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { resources } from '#functions/schema.ts';

const engine = join(__dirname, '../../../../functions/engine');

/** What each room may import, besides itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  model: [],
  table: ['model'],
  log: ['table', 'model'],
  columns: ['log', 'table', 'model'],
  write: ['log', 'table', 'model'],
  lists: ['columns', 'log', 'table', 'model'],
  entities: ['write', 'lists', 'table', 'model'],
  feed: ['entities', 'lists', 'columns', 'log', 'table', 'model'],
  deletions: ['entities', 'write', 'lists', 'table', 'model'],
  batches: ['deletions', 'entities', 'write', 'lists', 'table', 'model'],
  'due-work': ['deletions', 'entities', 'columns', 'write', 'log', 'table', 'model'],
};

const files = readdirSync(engine, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

const textOf = (file: string): string => readFileSync(join(engine, file), 'utf8');

const roomOf = (file: string): string => file.split('/')[0] as string;

test('the table of rooms has all of them', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(rooms).sort());
});

test.each(Object.entries(rooms))('%s imports only %j', (room, allowed) => {
  const imported = files
    .filter((file) => roomOf(file) === room)
    .flatMap((file) =>
      [...textOf(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => ({
        file,
        room: roomOf(relative(engine, join(engine, dirname(file), path))),
      })),
    )
    .filter((one) => one.room !== room && !allowed.includes(one.room));
  // What lies outside: the clock and the loops that all code shares.
  expect(imported.filter((one) => one.room !== '..')).toEqual([]);
});

test('the engine imports nothing of the application', () => {
  const outside = files.flatMap((file) =>
    [...textOf(file).matchAll(/from '((?:\.\.\/)+(?:runtime|[a-z-]+)[^']*)'/g)]
      .map(([, path = '']) => relative(engine, join(engine, dirname(file), path)))
      .filter((path) => path.startsWith('..')),
  );
  expect([...new Set(outside)].sort()).toEqual([
    '../runtime/for-each.ts',
    '../runtime/group-by.ts',
    '../runtime/lazy.ts',
    '../runtime/request-handler.ts',
    '../runtime/time-and-chance.ts',
  ]);
});

describe('the door', () => {
  const root = join(engine, '../..');

  /** Returns the files of the engine that code in some folders imports. */
  const importedBy = (...folders: readonly string[]): string[] => {
    const all = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('engine/'))
        .map((file) => join(folder, file)),
    );
    const paths = all.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)].map(
        ([, path = '']) => relative(engine, join(root, dirname(file), path)),
      ),
    );
    return [...new Set(paths)].filter((path) => !path.startsWith('..')).sort();
  };

  const [, own = '', ofCommands = ''] = readFileSync(join(engine, 'README.md'), 'utf8').split(
    /^## The door$|^Only commands.*$|^## Where to add$/m,
  );
  const listedIn = (text: string): string[] =>
    [...text.matchAll(/`([a-z-]+\/[a-z/-]+\.ts)`/g)].map(([, file = '']) => file).sort();

  test('has all that the application imports, and nothing else', () => {
    expect(listedIn(own.replace(/^The application.*$/m, ''))).toEqual(importedBy('functions'));
  });

  test('has for commands, the local service and the stack what these import besides', () => {
    const besides = importedBy('lib', 'bin', 'tools', 'client').filter(
      (file) => !listedIn(own).includes(file),
    );
    expect(listedIn(ofCommands)).toEqual(besides);
  });
});

test('the code of the engine has no word of the application', () => {
  // Fields that each entity has, whatever its kind, and words that mean something else here.
  const common = new Set(['id', 'status', 'createdAt', 'updatedAt', 'name', 'position', 'number']);
  const fields = resources.flatMap(({ kind, plural, fieldNames }) => [kind, plural, ...fieldNames]);
  const words = [...new Set([...fields, 'archive', 'clone'])].filter((word) => !common.has(word));
  const found = files.flatMap((file) => {
    // Comments give examples.
    const code = textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return words
      .filter((word) => new RegExp(`(?<![\\w.$'-])'${word}'|\\.${word}\\b(?!\\()`).test(code))
      .map((word) => `${file}: ${word}`);
  });
  expect(found).toEqual([]);
});

test('only these go around what a viewer sees, and only these read rows and records, which no database hides', () => {
  const functions = join(engine, '..');
  const code = readdirSync(functions, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const users = (name: string): string[] =>
    code
      .filter((file) =>
        new RegExp(`(?<!function )\\b${name}\\(`).test(readFileSync(join(functions, file), 'utf8')),
      )
      .sort();
  expect(users('withoutSight')).toEqual([
    ...['engine/batches/apply-batch.ts', 'engine/deletions/delete-entity.ts', 'engine/deletions/restore.ts'],
    ...['engine/entities/own-ids.ts', 'engine/lists/visible-set.ts'],
    ...['organizations/archive.ts', 'projects/clone.ts'],
  ]);
  expect(users('listRows')).toEqual([
    ...['engine/columns/read/list-rows.ts', 'engine/lists/read-page.ts', 'engine/lists/visible-set.ts'],
  ]);
  expect([users('readLog'), users('findEntry')]).toEqual([
    ['engine/feed/list-changes.ts', 'engine/feed/sight-of-feed.ts'],
    ['engine/feed/children-as-of.ts', 'engine/feed/list-history.ts', 'engine/feed/sight-of-feed.ts'],
  ]);
});
