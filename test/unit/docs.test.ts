import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { commands } from '#bin/program.ts';
import { compact } from '#functions/engine/columns/compact/compact.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { type Column, columnValues } from '#functions/engine/columns/format/column.ts';
import { decodeItem } from '#functions/engine/columns/format/decode-item.ts';
import { countIds, idAt } from '#functions/engine/columns/format/ids.ts';
import {
  type ItemName,
  isColumnName,
  isPatchName,
  wordIndexPart,
} from '#functions/engine/columns/format/manifest.ts';
import type { PatchValues } from '#functions/engine/columns/format/patch.ts';
import { wordsOfRows } from '#functions/engine/columns/format/word-index.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import type { LogReader } from '#functions/engine/columns/storage.ts';
import { toRowQuery } from '#functions/engine/lists/filters.ts';
import { pageIndexOf } from '#functions/engine/lists/read-page-from-index.ts';
import { methodsByPath } from '#functions/routes.ts';
import { pageNames } from '#lib/site/guides.ts';
import { expectComplete } from '#test/support/complete.ts';
import { mutations } from '../mutations/mutations.ts';
import { isValue, listQuery, sortedBy } from '../support/list-queries.ts';
import { idOf, LogBuilder, startMs } from '../support/log-builder.ts';
import { readRows } from '../support/read-rows.ts';

describe('docs', () => {
  const root = join(__dirname, '../..');
  const folders = ['benchmarks', 'client', 'docs', 'examples', 'functions', 'lib', 'test'];

  /** All pages of the project, as paths with slashes. */
  const pages = [
    ...readdirSync(root),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        posix.join(folder, path.replaceAll('\\', '/')),
      ),
    ),
  ].filter((path) => path.endsWith('.md') && !path.includes('node_modules'));

  /** Pages that describe the project as it is. The changelog and the decisions also name what was deleted. */
  const currentPages = pages.filter((page) => !/^CHANGELOG|^docs\/decisions\//.test(page));

  const scripts = Object.keys(
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
  );

  const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

  const proseOf = (page: string): string => textOf(page).replaceAll(/^ *```.*?^ *```/gms, '');

  /** Returns the anchors of a page, as GitHub and the static pages make them from headings. */
  function anchorsOf(page: string): string[] {
    const prose = proseOf(page);
    const anchors = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id ?? '');
    for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
      const slug = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
        .replaceAll(' ', '-');
      let anchor = slug;
      for (let number = 1; anchors.includes(anchor); number += 1) anchor = `${slug}-${number}`;
      anchors.push(anchor);
    }
    return anchors;
  }

  /** Returns the links of a page to pages of the project: the path from the root, and the anchor or "". */
  const linksOf = (page: string): { target: string; anchor: string }[] =>
    [...proseOf(page).matchAll(/\]\(([\w./-]+\.md)?(?:#([^)\s]+))?\)/g)].map(([, path, anchor = '']) => ({
      target: path ? posix.join(posix.dirname(page), path) : page,
      anchor,
    }));

  test('finds pages in all folders, their links and anchors', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'docs/guides/errors.md', 'functions/engine/README.md']),
    );
    const link = { target: 'README.md', anchor: 'platforms-and-troubleshooting' };
    expect(linksOf('CONTRIBUTING.md')).toContainEqual(link);
    expect(anchorsOf('docs/running.md')).toContain('platforms');
  });

  test('each guide is a page of the service', () => {
    const guides = pages.flatMap((page) => /^docs\/(?:guides\/)?([\w-]+)\.md$/.exec(page)?.[1] ?? []);
    const ofService = guides.filter(
      (name) => pageNames.includes(name) || pages.includes(`docs/guides/${name}.md`),
    );
    expectComplete(pageNames, ofService, {
      missing: 'Add it to a group of lib/site/guides.ts, where readers should meet it.',
      unneeded: 'Write docs/guides/<name>.md.',
    });
  });

  test('docs/README.md lists each page of the documentation, and docs/decisions/README.md each decision', () => {
    const indexes = ['docs/README.md', 'docs/decisions/README.md'];
    const listed = indexes.flatMap(linksOf).map(({ target }) => target);
    const needed = pages.filter((page) => /^docs\/(?!README)/.test(page));
    expectComplete(
      listed.filter((page) => page.startsWith('docs/')),
      needed,
      { missing: 'Link it in docs/README.md, in the group of its readers.' },
    );
  });

  test.each(pages)('%s has no placeholder, and links only pages and anchors that exist', (page) => {
    expect(textOf(page).match(/@@[A-Z]+@@/g)).toBeNull();
    const dead = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) || (anchor !== '' && !anchorsOf(target).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });

  /** The examples of docs/extending.md name what a reader adds. */
  const withoutExamples = (text: string): string =>
    text.replaceAll(/^## Example: .*?(?=^## |$(?![\s\S]))/gms, '');

  test.each(currentPages)('%s names only files, scripts and paths that exist', (page) => {
    const text = withoutExamples(textOf(page));
    const namesIn = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name ?? '');
    const files = namesIn(/`((?:bin|lib|functions|test|docs)\/[\w./-]+)`/g);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(namesIn(/npm run ([\w:-]+)/g).filter((script) => !scripts.includes(script))).toEqual([]);
    expect(namesIn(/npx pm-api ([a-z][\w:-]*)/g).filter((command) => !(command in commands))).toEqual([]);
    const paths = namesIn(/(\/v1\/[a-z]+(?:\.json)?(?:\/\{id\}(?:\/[a-z]+)?)?)/g);
    expect(paths.filter((path) => !(path in methodsByPath))).toEqual([]);
  });

  const sources = ['bin', 'client', 'functions', 'lib', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('node_modules') && !path.includes('dist'))
      .map((path) => posix.join(folder, path.replaceAll('\\', '/'))),
  );

  test('comments name only files and folders that exist, from the root, the engine or the folder of their file', () => {
    const gone = sources.flatMap((source) => {
      const comments = textOf(source).match(/\/\*\*.*?\*\/|^ *\/\/.*$/gms) ?? [];
      const named = [...comments.join('\n').matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(
        ([, path = '']) => path,
      );
      const folders = ['', 'functions', 'functions/engine', posix.dirname(source)];
      return named
        .filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))))
        .map((path) => `${source}: ${path}`);
    });
    // The key of KMS that AWS manages.
    expect(gone).toEqual(['lib/infrastructure/data-stack.ts: aws/dynamodb']);
  });
});

describe('list engine example', () => {
  /** The example of docs/list-engine.md: its blocks show what the engine stores and reads. */

  const page = readFileSync(join(__dirname, '../../docs/list-engine.md'), 'utf8');
  const [, example = ''] = /^## A worked example\n(.*?)^## /ms.exec(page) ?? [];
  const blocks = [...example.matchAll(/^```json\n(.*?)^```/gms)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  );
  const [records, manifest, items, change, reads, result, patch] = blocks;

  /** The page names the tasks by letters. */
  const letters = ['A', 'B', 'C', 'D', 'E'] as const;
  const idOfLetter = Object.fromEntries(letters.map((letter, number) => [letter, idOf(number * 1_000)]));

  /** Returns a value as the page shows it: ids as letters, times in seconds, names of steps without their random part, and no bytes, which depend on zlib. */
  function toShown(value: unknown): unknown {
    let text = JSON.stringify(value, (name, own) => (name === 'bytes' ? undefined : own));
    for (const [letter, id] of Object.entries(idOfLetter)) text = text.replaceAll(id, letter);
    return JSON.parse(
      text
        .replaceAll(/(\d+)-[0-9a-f]{6}/g, '$1')
        .replaceAll(/\b17\d{11}\b/g, (time) => String((Number(time) - startMs) / 1_000)),
    );
  }

  function shownColumn(column: Column): unknown {
    const { dictionary, ordinals } = column;
    const all = Array.from({ length: dictionary.size }, (_, ordinal) => dictionary.at(ordinal));
    expect(columnValues(column)).toEqual([...ordinals].map((ordinal) => all[ordinal]));
    return { dictionary: all, ordinals: [...ordinals] };
  }

  /** Returns what an item holds. */
  function contentOf(name: ItemName, encoded: Uint8Array): unknown {
    if (name.startsWith('steps/')) return JSON.parse(inflateRawSync(encoded).toString());
    const { value } = decodeItem(name, encoded);
    if (isPatchName(name)) {
      const entries = [...(value as PatchValues)].map(([segment, fields]) => [
        segment,
        Object.fromEntries(
          [...fields].map(([field, columnPatch]) => [field, Object.fromEntries(columnPatch)]),
        ),
      ]);
      return Object.fromEntries(entries);
    }
    if (wordIndexPart(name)) return wordsOfRows([value as Buffer], letters.length, () => undefined);
    if (isColumnName(name)) return shownColumn(value as Column);
    const ids = value as Buffer;
    return Array.from({ length: countIds(ids) }, (_, position) => idAt(ids, position));
  }

  const contentsOf = (stored: ReadonlyMap<ItemName, Uint8Array>): Record<string, unknown> =>
    Object.fromEntries([...stored].map(([name, encoded]) => [name, contentOf(name, encoded)]));

  /** Takes one step of compaction, some seconds after the first task was created. */
  async function compactAt({ log }: LogBuilder, seconds: number): Promise<void> {
    await compact({
      writer: log.open(),
      memory: new ProcessMemory().of('acme', 'task'),
      nowMs: startMs + seconds * 1_000,
      isForced: true,
      sizes: { ...defaultSizes, minSegmentRows: 5 },
    });
  }

  const { A, B, C, D, E } = idOfLetter as Record<(typeof letters)[number], string>;

  /** Returns the log before the first step. */
  function newLog(): LogBuilder {
    const builder = new LogBuilder();
    const at = (seconds: number): number => startMs + seconds * 1_000;
    builder.commit(at(1), {
      [A]: { name: 'Plan', status: 'active' },
      [B]: { name: 'Draft', status: 'planned' },
    });
    builder.commit(at(2), { [C]: { name: 'Build', status: 'active' } });
    builder.commit(at(3), { [D]: { name: 'Test', status: 'planned' } });
    builder.commit(at(4), { [E]: { name: 'Ship', status: 'active' } });
    builder.commit(at(5), { [B]: { name: 'Draft', status: 'active' } });
    return builder;
  }

  const changeC = (builder: LogBuilder): void =>
    builder.commit(startMs + 104_000, { [C]: { name: 'Build', status: 'completed' } });

  const shownRecords = ({ log }: LogBuilder): unknown => toShown(log.records);

  describe('the example of the page', () => {
    let builder: LogBuilder;

    beforeEach(async () => {
      builder = newLog();
      await compactAt(builder, 100);
    });

    test('shows the records before the first step', () => {
      expect(records).toEqual(shownRecords(newLog()));
    });

    test('shows the manifest and the items after it', () => {
      expect(manifest).toEqual(toShown(builder.log.manifest));
      expect(items).toEqual(toShown(contentsOf(builder.log.items)));
      // The records stay.
      expect(shownRecords(builder)).toEqual(records);
    });

    test('shows what a list reads, and its rows', async () => {
      changeC(builder);
      expect([change]).toEqual((shownRecords(builder) as unknown[]).slice(-1));
      const calls: unknown[] = [];
      const log = builder.log.open();
      const reader: LogReader = {
        ...log,
        readManifest: async () => {
          const stored = await log.readManifest();
          calls.push({ manifest: stored?.version });
          return stored;
        },
        readHead: async (above) => {
          const head = await log.readHead(above);
          calls.push({ above, manifest: head.manifest?.version, records: head.records.length });
          return head;
        },
        oldestRecords: () => {
          throw new Error('One query is enough.');
        },
        readItems: (names, isConsistent) => {
          calls.push({ items: names });
          return log.readItems(names, isConsistent);
        },
      };
      const query = listQuery({
        filters: [isValue('status', 'active')],
        sort: sortedBy('name', 'asc'),
        limit: 2,
      });
      expect(pageIndexOf('acme', 'task', query)).toBeUndefined();
      const memory = new ProcessMemory().of('acme', 'task');
      const source = { reader, memory };
      const { rows, total } = await readRows(source, toRowQuery('task', query));
      expect(reads).toEqual(toShown(calls));
      expect(result).toEqual(toShown({ rows, total }));
      // A second list finds the items in memory.
      calls.length = 0;
      await readRows(source, toRowQuery('task', query));
      expect(toShown(calls)).toEqual([{ above: 6, manifest: 1, records: 0 }]);
    });

    test('shows the patch that the next step writes', async () => {
      const before = new Set(builder.log.items.keys());
      changeC(builder);
      await compactAt(builder, 120);
      const written = [...builder.log.items].filter(
        ([name]) => !before.has(name) && !name.startsWith('steps/'),
      );
      expect(patch).toEqual(toShown(contentsOf(new Map(written))));
    });
  });
});

const mutationNames: readonly string[] = mutations.map(({ name }) => name);

describe('list engine rules', () => {
  const page = readFileSync(join(__dirname, '../../docs/list-engine.md'), 'utf8');

  /** Returns the names of mutations in a text: they have hyphens, and no dot as names of files have. */
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name = '']) => name);

  const [, section = ''] = /^## Rules\n(.*?)^## /ms.exec(page) ?? [];
  const rules = section.split(/^\d+\. /m).slice(1);

  test('each rule names a mutation, and each mutation that is named exists', () => {
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter((rule) => namesIn(rule).length === 0)).toEqual([]);
    expect(namesIn(page).filter((name) => !mutationNames.includes(name))).toEqual([]);
  });
});

describe('examples', () => {
  test('the guide on authentication has the module with which an example signs in', () => {
    const module = readFileSync(join(__dirname, '../../examples/offline-app/src/sign-in.ts'), 'utf8');
    const guide = readFileSync(join(__dirname, '../../docs/guides/authentication.md'), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${module}\`\`\``);
  });

  test.each(['tanstack-query.tsx', 'tanstack-query-live.ts'])('docs/client.md has the example %s', (file) => {
    const text = readFileSync(join(__dirname, '../sync-adapters', file), 'utf8');
    const client = readFileSync(join(__dirname, '../../docs/client.md'), 'utf8');
    const published = text
      .replace("'../../client/index.ts'", "'project-management-client'")
      .replace("'../../client/adapters/tanstack-query.ts'", "'project-management-client/tanstack-query'");
    expect(client).toContain(published);
  });
});
