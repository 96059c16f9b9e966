import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from '#lib/command-line/command-line.ts';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import {
  breakingChanges,
  earlierDocument,
  fieldsWithoutDefault,
  isBreakingVersion,
} from '#tools/compare-documents.ts';
import { writeResource } from '#tools/new-resource.ts';
import { testsOf } from '#tools/watch-tests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('compare', () => {
  const document = openApiDocument();

  /** The operations that the tests change. Comparing all of them takes long. */
  const few: OpenApiDocument = {
    ...document,
    paths: Object.fromEntries(
      [
        '/v1/health',
        '/v1/projects/{id}/clone',
        '/v1/tags',
        '/v1/tags/{id}',
        '/v1/tags/batch',
        '/v1/tasks',
      ].map((path) => [path, document.paths[path] ?? {}]),
    ),
  };

  type Place = readonly (string | number)[];

  /** Returns the document with another value at a place, or without it. */
  function changed(place: Place, value?: unknown): OpenApiDocument {
    // A deep copy, as if read from a file.
    const copy = JSON.parse(JSON.stringify(few)) as OpenApiDocument;
    const last = place.at(-1) ?? '';
    const parent = place
      .slice(0, -1)
      .reduce((inner, key) => inner[key] as never, copy as unknown as Record<string | number, unknown>);
    if (value !== undefined) parent[last] = value;
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return copy;
  }

  test('has no breaking change since the last two commits, unless the version announces it', () => {
    const bases = [committedFile, 'HEAD', 'HEAD^'].flatMap((base) => earlierDocument(base) ?? []);
    expect(bases.length).toBeGreaterThan(0);
    // Comparing equal documents takes long.
    for (const base of bases.filter((one) => JSON.stringify(one) !== JSON.stringify(document))) {
      if (!isBreakingVersion(base, document)) expect(breakingChanges(base, document)).toEqual([]);
      expect(fieldsWithoutDefault(base, document)).toEqual([]);
    }
  });

  test('a field that is added to a resource has a default, and one of a new resource need not have it', () => {
    const without = changed(['components', 'schemas', 'NewTag', 'properties', 'name']);
    expect(fieldsWithoutDefault(without, few)).toEqual([expect.stringMatching(/^NewTag requires name, /)]);
    expect(fieldsWithoutDefault(changed(['components', 'schemas', 'NewTag']), few)).toEqual([]);
  });

  test('the major version, or the minor version after 0, announces breaking changes', () => {
    const at = (version: string) => changed(['info', 'version'], version);
    expect(isBreakingVersion(at('0.1.0'), at('0.1.9'))).toBe(false);
    expect(isBreakingVersion(at('0.1.0'), at('0.2.0'))).toBe(true);
    expect(isBreakingVersion(at('1.1.0'), at('1.2.0'))).toBe(false);
    expect(isBreakingVersion(at('1.9.0'), at('2.0.0'))).toBe(true);
  });

  const paths = (path: string, ...rest: Place): Place => ['paths', path, ...rest];
  const sent = (...rest: Place): Place => ['components', 'schemas', 'NewTask', ...rest];
  const received = (...rest: Place): Place => ['components', 'schemas', 'Task', ...rest];

  test.each<[string, Place, unknown, RegExp]>([
    ['removed operation', paths('/v1/tags/{id}', 'put'), undefined, /^PUT \/v1\/tags\/\{id\} is removed$/],
    [
      'removed parameter',
      paths('/v1/tags', 'get', 'parameters', 0),
      undefined,
      /no longer accepts the parameter query page/,
    ],
    [
      'required body',
      paths('/v1/projects/{id}/clone', 'post', 'requestBody', 'required'),
      true,
      /requires a body/,
    ],
    ['removed request field', sent('properties', 'priority'), undefined, /priority is removed/],
    [
      'removed response field',
      received('properties', 'priority'),
      undefined,
      /response.*priority is removed/,
    ],
    [
      'removed operation of a batch',
      ['components', 'schemas', 'TagBatch', 'properties', 'operations', 'items', 'oneOf', 2],
      undefined,
      /accepts fewer alternatives$/,
    ],
    ['added response value', received('properties', 'priority', 'enum', 5), 'x', /^$/],
    ['other description', ['info', 'description'], 'x', /^$/],
  ])('%s', (_, place, value, expected) => {
    const other = changed(place, value);
    expect(breakingChanges(few, other).join('\n')).toMatch(expected);
    expect(breakingChanges(other, few)).toEqual([]);
  });

  test('a number in a response can become a whole number, and not the other way', () => {
    const whole = changed(received('properties', 'estimate', 'type'), ['integer', 'null']);
    expect(breakingChanges(few, whole)).toEqual([]);
    expect(breakingChanges(whole, few)).toContainEqual(expect.stringContaining('the type number'));
  });
});

describe('watch tests', () => {
  test.each([
    ['functions/http/routes.ts', ['test/unit/functions/http.test.ts', 'test/contract/']],
    ['lib/local/gateway.ts', ['test/unit/lib/local.test.ts']],
    ['lib/local/sign-in/page.ts', ['test/unit/lib/local.test.ts']],
    ['client/index.ts', ['test/client/']],
    ['test/contract/lists.test.ts', ['test/contract/lists.test.ts']],
    ['docs/testing.md', []],
  ])('after %s was saved, runs %j', (path, expected) => {
    const existing = [
      'functions/',
      'functions/http.test.ts',
      'lib/local.test.ts',
      'lib/openapi.test.ts',
      'lib/openapi/',
    ];
    expect(testsOf(path, (test) => existing.includes(test.replace('test/unit/', '')))).toEqual(expected);
  });
});

describe('new resource', () => {
  const root = join(__dirname, '../..');

  // The test of docs/extending.md follows what it writes.
  test.each([
    ['comments', 'comments', 'needs a plural and a singular of letters'],
    ['time entries', 'time entry', 'not "time entries" and "time entry"'],
    ['../tags', 'tag', 'of letters'],
    ['tags', 'tag', 'functions/tags exists already.'],
    ['news', 'new', '"new" is a word of JavaScript. Choose another singular'],
  ])('"%s" with the singular "%s" is refused before anything is written', (plural, kind, message) => {
    const write = () => writeResource(root, plural, kind);
    expect(write).toThrow(CommandFailure);
    expect(write).toThrow(message);
  });

  test('is written twice, with a format between, and with a name of two words', () => {
    const folder = temporaryFolder();
    for (const path of ['functions/tags', 'functions/schema.ts', 'functions/routes.ts', 'client/index.ts'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    for (const file of ['biome.json', '.gitignore']) cpSync(join(root, file), join(folder, file));
    const format = ['check', '--write', '--linter-enabled=false', '.'];
    for (const [plural, kind] of [
      ['milestones', 'milestone'],
      ['time-entries', 'time-entry'],
    ] as const) {
      writeResource(folder, plural, kind);
      execFileSync(join(root, 'node_modules/.bin/biome'), format, { cwd: folder, stdio: 'pipe' });
    }
    const written = (file: string): string => readFileSync(join(folder, file), 'utf8');
    expect(written('functions/schema.ts')).toMatch(/\bmilestone,\s+timeEntry,\s+\/\/ npx pm-api new/);
    expect(written('functions/routes.ts')).toContain("'time-entries': timeEntries,");
    expect(written('client/index.ts')).toContain("new Collection(connection, '/v1/time-entries')");
    expect(written('functions/time-entries/list-time-entries.ts')).toContain('listEndpoint(listTimeEntries)');
  });
});
