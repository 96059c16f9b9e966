import type { TestResponse } from './service.ts';

/** Assertions for error responses, which are problem documents (RFC 9457). */

interface ProblemItem {
  pointer?: string;
  parameter?: string;
  detail: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  requestId: string;
  errors?: ProblemItem[];
}

const internals =
  /dynamo|dynoxide|sqlite|aws[-_ ]?sdk|@aws|smithy|middy|valibot|node_modules|node:internal|\.[cm]?[jt]s:\d+|\bat \S+ \(|expressionattribute|conditionexpression|validationexception|transactioncancel|conditionalcheck|resourcenotfoundexception|\bgsi\d|\btenant|"(?:pk|sk|stack)"|\b(?:TypeError|RangeError|SyntaxError)\b/i;

/**
 * Headers that are not searched for internal names. Request ids and digests are random and can match by chance. The timing
 * header names the database on purpose.
 */
const unchecked = new Set(['apigw-requestid', 'etag', 'server-timing']);

/**
 * Asserts that a response contains no internal names of the service.
 * @param echoed hostile texts of the request, which the response may repeat.
 */
export function expectNoInternals(response: TestResponse, echoed: readonly string[] = []): void {
  const lines = [...response.headers]
    .filter(([name]) => !unchecked.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  let shown = [...lines, response.text].join('\n');
  const requestId = (response.body as Partial<Problem> | undefined)?.requestId ?? '';
  // The longest text first, because a shorter one can be a part of it.
  const allowed = [...echoed, requestId].sort((one, other) => other.length - one.length);
  for (const text of allowed) if (text !== '') shown = shown.replaceAll(text, '');
  expect(shown).not.toMatch(internals);
  expect(response.headers.has('x-powered-by')).toBe(false);
}

export function expectProblem(
  response: TestResponse,
  status: number,
  echoed: readonly string[] = [],
): Problem {
  expect(`${response.status} ${response.method} ${response.path}: ${response.text}`).toMatch(
    new RegExp(`^${status} `),
  );
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(response.body).toMatchObject({
    type: expect.any(String),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.any(String),
    requestId: expect.stringMatching(/\S/),
  });
  const problem = response.body as Problem;
  expect(() => new URL(problem.type, response.url)).not.toThrow();
  expect(problem.type).toMatch(/^\S+$/);
  expect(decoded(problem.instance)).toBe(decoded(response.path.replace(/\?.*$/s, '')));
  if (problem.errors !== undefined) {
    expect(Array.isArray(problem.errors)).toBe(true);
    for (const item of problem.errors) {
      expect([typeof item.pointer, typeof item.parameter].sort()).toEqual(['string', 'undefined']);
      expect(item.detail).toMatch(/\S/);
    }
  }
  expectNoInternals(response, echoed);
  return problem;
}

export function pointers(problem: Problem): string[] {
  return (problem.errors ?? []).flatMap((item) =>
    item.pointer === undefined ? [] : [item.pointer.replace(/^#/, '')],
  );
}

export function parameters(problem: Problem): string[] {
  return (problem.errors ?? []).flatMap((item) => (item.parameter === undefined ? [] : [item.parameter]));
}

/** Asserts a 400 with a pointer to the field or to a value inside it. */
export function expectPointer(response: TestResponse, field: string): void {
  const found = pointers(expectProblem(response, 400, [field]));
  const wanted = `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  expect(found.map((pointer) => (pointer.startsWith(`${wanted}/`) ? wanted : pointer))).toContain(wanted);
}

/** Asserts a 400 that names the query parameter. */
export function expectParameter(response: TestResponse, parameter: string): Problem {
  const problem = expectProblem(response, 400, [parameter]);
  expect(parameters(problem)).toContain(parameter);
  return problem;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
