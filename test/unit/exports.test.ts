import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folders = ['benchmarks', 'bin', 'client', 'examples', 'functions', 'lib', 'test', 'tools'];

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /\.(?:[cm]?[jt]sx?|vue)$/.test(name) && !/(?:^|[\\/])(?:node_modules|dist)[\\/]/.test(name),
    )
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
);

test('what a file exports is used by another one', () => {
  const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const filesOf = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const [word] of text.matchAll(/\w+/g)) filesOf.set(word, (filesOf.get(word) ?? new Set()).add(file));
  const unused = texts
    .filter(([file]) => /^(?:benchmarks|bin|functions|lib|tools)\//.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)]
        .filter(([, name = '']) => filesOf.get(name)?.size === 1)
        .map(([, name]) => `${file} ${name}`),
    );
  expect(unused).toEqual([]);
});
