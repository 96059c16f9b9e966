import { committedFile, earlierDocument } from '../../../../lib/openapi/committed.ts';
import { breakingChanges, isNewLine } from '../../../../lib/openapi/compare.ts';
import { openApiDocument } from '../../../../lib/openapi/document.ts';
import type { OpenApiDocument } from '../../../../lib/openapi/types.ts';

const document = openApiDocument();

type Change = (copy: object) => void;
type Place = readonly (string | number)[];

const inside = (copy: object, place: Place): Record<string | number, unknown> =>
  place.reduce((value: object, key) => (value as Record<string | number, object>)[key] ?? {}, copy) as never;

/** Puts a value at a place of the document. */
const put =
  (place: Place, value: unknown): Change =>
  (copy) => {
    inside(copy, place.slice(0, -1))[place.at(-1) ?? ''] = value;
  };

/** Takes what is at a place of the document away. */
const drop =
  (place: Place): Change =>
  (copy) => {
    const parent = inside(copy, place.slice(0, -1));
    if (Array.isArray(parent)) parent.splice(Number(place.at(-1)), 1);
    else delete parent[place.at(-1) ?? ''];
  };

/** Calls what is at one place something else. */
const move =
  (place: Place, name: string): Change =>
  (copy) => {
    put([...place.slice(0, -1), name], inside(copy, place))(copy);
    drop(place)(copy);
  };

/** The document after a change. */
function changed(change: Change): OpenApiDocument {
  // As it is read from a file: nothing in it is shared.
  const copy = JSON.parse(JSON.stringify(document)) as OpenApiDocument;
  change(copy);
  return copy;
}

test('no client of the last two commits is broken, unless the version says so', () => {
  const bases = [committedFile, 'HEAD', 'HEAD^'].flatMap((base) => earlierDocument(base) ?? []);
  expect(bases.length).toBeGreaterThan(0);
  for (const base of bases) {
    if (!isNewLine(base, document)) expect(breakingChanges(base, document)).toEqual([]);
  }
});

test('the version says so by its first number, or the second after 0', () => {
  const at = (version: string) => changed(put(['info', 'version'], version));
  expect(isNewLine(at('0.1.0'), at('0.1.9'))).toBe(false);
  expect(isNewLine(at('0.1.0'), at('0.2.0'))).toBe(true);
  expect(isNewLine(at('1.1.0'), at('1.2.0'))).toBe(false);
  expect(isNewLine(at('1.9.0'), at('2.0.0'))).toBe(true);
});

const paths = (path: string, ...rest: Place): Place => ['paths', path, ...rest];
const sent = (...rest: Place): Place => ['components', 'schemas', 'NewTask', ...rest];
const received = (...rest: Place): Place => ['components', 'schemas', 'Task', ...rest];
const parameter = (...rest: Place): Place => ['components', 'parameters', ...rest];

/** Each change, and what is said when it comes, and when it is undone; nothing where it breaks nobody. */
const changes: readonly [string, Change, RegExp?, RegExp?][] = [
  ['an operation less', drop(paths('/v1/tags/{id}', 'put')), /^PUT \/v1\/tags\/\{id\} is gone$/],
  ['a path less', drop(paths('/v1/health')), /GET \/v1\/health is gone/],
  [
    'another name',
    put(paths('/v1/health', 'get', 'operationId'), 'x'),
    /called x now/,
    /called checkHealth now/,
  ],
  [
    'a parameter less',
    drop(paths('/v1/tags', 'get', 'parameters', 0)),
    /does not take the parameter query page/,
  ],
  [
    'a parameter that is needed',
    put(parameter('ifMatch', 'required'), true),
    /needs the parameter header if-match/,
  ],
  [
    'a value less to send',
    drop(parameter('tags.sortBy', 'schema', 'enum', 0)),
    /sortby does not take the enum id/,
  ],
  [
    'a success of another status',
    move(paths('/v1/tags', 'post', 'responses', 201), '202'),
    /does not answer 201 any more\n.*may answer 202 now/,
    /does not answer 202 any more\n.*may answer 201 now/,
  ],
  [
    'a header less',
    drop(paths('/v1/tags', 'post', 'responses', 201, 'headers', 'ETag')),
    /without the header ETag/,
  ],
  [
    'another media type',
    move(paths('/v1/tags', 'get', 'responses', 200, 'content', 'application/json'), 'text/csv'),
    /does not answer with application\/json/,
    /does not answer with text\/csv/,
  ],
  [
    'a body that is needed',
    put(paths('/v1/projects/{id}/clone', 'post', 'requestBody', 'required'), true),
    /needs a body/,
  ],
  [
    'another scope',
    put(paths('/v1/tags', 'get', 'security'), [{ token: ['x'] }]),
    /needs the scope x now/,
    /needs the scope tags:read now/,
  ],
  ['a member less to send', drop(sent('properties', 'priority')), /priority is gone/],
  ['a member that is needed', put(sent('required'), ['name', 'dueDate']), /dueDate is required now/],
  ['less text', put(sent('properties', 'description', 'maxLength'), 99), /maxLength 99 instead of 10000/],
  ['text of another form', put(sent('properties', 'status', 'pattern'), '^a'), /pattern \^a/, /pattern/],
  [
    'null no longer taken',
    put(sent('properties', 'dueDate', 'type'), 'string'),
    /does not take the type null/,
  ],
  ['fewer items', put(sent('properties', 'tagIds', 'maxItems'), 5), /maxItems 5 instead of 50/],
  [
    'items of another type',
    put(sent('properties', 'tagIds', 'items', 'type'), 'integer'),
    /tagIds\/\* does not take the type string/,
    /tagIds\/\* does not take the type integer/,
  ],
  ['a member less in answers', drop(received('properties', 'priority')), /answer.*priority is gone/],
  ['a member that answers may leave out', drop(received('required', 0)), /id may be left out now/],
  [
    'null in answers',
    put(received('properties', 'priority', 'type'), ['string', 'null']),
    /may have the type null/,
  ],
  [
    'longer text in answers',
    put(received('properties', 'description', 'maxLength'), 99_999),
    /maxLength 99999/,
  ],
  ['a value more in answers', put(received('properties', 'priority', 'enum', 5), 'x')],
  ['other words', put(['info', 'description'], 'x')],
];

for (const [title, change, coming = /^$/, undone = /^$/] of changes) {
  test(title, () => {
    const other = changed(change);
    expect(breakingChanges(document, other).join('\n')).toMatch(coming);
    expect(breakingChanges(other, document).join('\n')).toMatch(undone);
  });
}
