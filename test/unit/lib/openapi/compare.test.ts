import { committedFile, earlierDocument } from '#lib/openapi/committed-document.ts';
import { breakingChanges, isBreakingVersion } from '#lib/openapi/compare.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';

const document = openApiDocument();

/** The operations that the tests change. Comparing all of them takes long. */
const few: OpenApiDocument = {
  ...document,
  paths: Object.fromEntries(
    ['/v1/health', '/v1/projects/{id}/clone', '/v1/tags', '/v1/tags/{id}', '/v1/tasks'].map((path) => [
      path,
      document.paths[path] ?? {},
    ]),
  ),
};

type Change = (copy: object) => void;
type Place = readonly (string | number)[];

const inside = (copy: object, place: Place): Record<string | number, unknown> =>
  place.reduce((value: object, key) => (value as Record<string | number, object>)[key] ?? {}, copy) as never;

const put =
  (place: Place, value: unknown): Change =>
  (copy) => {
    inside(copy, place.slice(0, -1))[place.at(-1) ?? ''] = value;
  };

const drop =
  (place: Place): Change =>
  (copy) => {
    const parent = inside(copy, place.slice(0, -1));
    if (Array.isArray(parent)) parent.splice(Number(place.at(-1)), 1);
    else delete parent[place.at(-1) ?? ''];
  };

const move =
  (place: Place, name: string): Change =>
  (copy) => {
    put([...place.slice(0, -1), name], inside(copy, place))(copy);
    drop(place)(copy);
  };

function changed(change: Change): OpenApiDocument {
  // A deep copy, as if read from a file.
  const copy = JSON.parse(JSON.stringify(few)) as OpenApiDocument;
  change(copy);
  return copy;
}

test('has no breaking change since the last two commits, unless the version announces it', () => {
  const bases = [committedFile, 'HEAD', 'HEAD^'].flatMap((base) => earlierDocument(base) ?? []);
  expect(bases.length).toBeGreaterThan(0);
  for (const base of bases) {
    if (!isBreakingVersion(base, document)) expect(breakingChanges(base, document)).toEqual([]);
  }
});

test('the major version, or the minor version after 0, announces breaking changes', () => {
  const at = (version: string) => changed(put(['info', 'version'], version));
  expect(isBreakingVersion(at('0.1.0'), at('0.1.9'))).toBe(false);
  expect(isBreakingVersion(at('0.1.0'), at('0.2.0'))).toBe(true);
  expect(isBreakingVersion(at('1.1.0'), at('1.2.0'))).toBe(false);
  expect(isBreakingVersion(at('1.9.0'), at('2.0.0'))).toBe(true);
});

const paths = (path: string, ...rest: Place): Place => ['paths', path, ...rest];
const sent = (...rest: Place): Place => ['components', 'schemas', 'NewTask', ...rest];
const received = (...rest: Place): Place => ['components', 'schemas', 'Task', ...rest];
const parameter = (...rest: Place): Place => ['components', 'parameters', ...rest];

/** Each change with the breaking change that is reported for it, and for its reversal. */
const changes: readonly [string, Change, RegExp?, RegExp?][] = [
  ['removed operation', drop(paths('/v1/tags/{id}', 'put')), /^PUT \/v1\/tags\/\{id\} is removed$/],
  ['removed path', drop(paths('/v1/health')), /GET \/v1\/health is removed/],
  [
    'renamed operation',
    put(paths('/v1/health', 'get', 'operationId'), 'x'),
    /now named x/,
    /now named checkHealth/,
  ],
  [
    'removed parameter',
    drop(paths('/v1/tags', 'get', 'parameters', 0)),
    /no longer accepts the parameter query page/,
  ],
  [
    'required parameter',
    put(parameter('ifMatch', 'required'), true),
    /requires the parameter header if-match/,
  ],
  [
    'removed request value',
    drop(parameter('tags.sortBy', 'schema', 'items', 'enum', 0)),
    /sortby no longer accepts the enum id/,
  ],
  [
    'one value instead of several',
    (copy) => {
      put(
        parameter('tags.sortBy', 'schema'),
        document.components.parameters['tags.sortBy']?.schema.items,
      )(copy);
      drop(parameter('tags.sortBy', 'explode'))(copy);
    },
    /sortby no longer accepts several values/,
  ],
  ['fewer values', put(parameter('tags.status.in', 'schema', 'maxItems'), 5), /maxItems 5 instead of 100/],
  [
    'other success status',
    move(paths('/v1/tags', 'post', 'responses', 201), '202'),
    /no longer responds with 201\n.*can now respond with 202/,
    /no longer responds with 202\n.*can now respond with 201/,
  ],
  [
    'redirect, which breaks only when it is removed',
    put(paths('/v1/tags', 'get', 'responses', 308), { description: 'x', headers: {} }),
    /^$/,
    /no longer responds with 308/,
  ],
  [
    'removed header',
    drop(paths('/v1/tags', 'post', 'responses', 201, 'headers', 'ETag')),
    /lack the header ETag/,
  ],
  [
    'other media type',
    move(paths('/v1/tags', 'get', 'responses', 200, 'content', 'application/json'), 'text/csv'),
    /no longer responds with application\/json/,
    /no longer responds with text\/csv/,
  ],
  [
    'required body',
    put(paths('/v1/projects/{id}/clone', 'post', 'requestBody', 'required'), true),
    /requires a body/,
  ],
  [
    'other scope',
    put(paths('/v1/tags', 'get', 'security'), [{ token: ['x'] }]),
    /now requires the scope x/,
    /now requires the scope tags:read/,
  ],
  ['removed request field', drop(sent('properties', 'priority')), /priority is removed/],
  ['required request field', put(sent('required'), ['name', 'dueDate']), /dueDate is now required/],
  ['shorter text', put(sent('properties', 'description', 'maxLength'), 99), /maxLength 99 instead of 10000/],
  ['other pattern', put(sent('properties', 'status', 'pattern'), '^a'), /pattern \^a/, /pattern/],
  [
    'null no longer accepted',
    put(sent('properties', 'dueDate', 'type'), 'string'),
    /no longer accepts the type null/,
  ],
  ['fewer items', put(sent('properties', 'tagIds', 'maxItems'), 5), /maxItems 5 instead of 50/],
  [
    'other item type',
    put(sent('properties', 'tagIds', 'items', 'type'), 'integer'),
    /tagIds\/\* no longer accepts the type string/,
    /tagIds\/\* no longer accepts the type integer/,
  ],
  ['removed response field', drop(received('properties', 'priority')), /response.*priority is removed/],
  ['optional response field', drop(received('required', 0)), /id can now be absent/],
  [
    'null in responses',
    put(received('properties', 'priority', 'type'), ['string', 'null']),
    /can now have the type null/,
  ],
  [
    'longer text in responses',
    put(received('properties', 'description', 'maxLength'), 99_999),
    /maxLength 99999/,
  ],
  [
    'more alternatives in responses',
    put(['components', 'schemas', 'TagList', 'properties', 'data', 'items', 'anyOf', 2], {}),
    /data\/\* has more alternatives/,
  ],
  ['added response value', put(received('properties', 'priority', 'enum', 5), 'x')],
  ['other description', put(['info', 'description'], 'x')],
];

for (const [title, change, expected = /^$/, expectedReversal = /^$/] of changes) {
  test(title, () => {
    const other = changed(change);
    expect(breakingChanges(few, other).join('\n')).toMatch(expected);
    expect(breakingChanges(other, few).join('\n')).toMatch(expectedReversal);
  });
}
