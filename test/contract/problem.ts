import type { Answer } from './service.ts';

/** What every refusal must look like (RFC 9457), asserted in one place. */

export interface ProblemItem {
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
 * Headers that may spell anything: ids of requests and digests are random, and among thousands of them one does spell what
 * is looked for. The timing header names the database on purpose.
 */
const unread = new Set(['apigw-requestid', 'etag', 'server-timing']);

/**
 * Asserts that nothing in the answer shows what the service is made of.
 *
 * @param echoed hostile text that was sent, which an answer may repeat
 */
export function expectNoInternals(answer: Answer, echoed: readonly string[] = []): void {
  const lines = [...answer.headers]
    .filter(([name]) => !unread.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  let shown = [...lines, answer.text].join('\n');
  const requestId = (answer.body as Partial<Problem> | undefined)?.requestId ?? '';
  // The longest first: a shorter one may be a part of it, and would leave the rest.
  const given = [...echoed, requestId].sort((one, other) => other.length - one.length);
  for (const text of given) if (text !== '') shown = shown.replaceAll(text, '');
  expect(shown).not.toMatch(internals);
  expect(answer.headers.has('x-powered-by')).toBe(false);
}

export function expectProblem(answer: Answer, status: number, echoed: readonly string[] = []): Problem {
  expect(`${answer.status} ${answer.method} ${answer.path}: ${answer.text}`).toMatch(
    new RegExp(`^${status} `),
  );
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(answer.body).toMatchObject({
    type: expect.any(String),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.any(String),
    requestId: expect.stringMatching(/\S/),
  });
  const problem = answer.body as Problem;
  expect(() => new URL(problem.type, answer.url)).not.toThrow();
  expect(problem.type).toMatch(/^\S+$/);
  expect(decoded(problem.instance)).toBe(decoded(answer.path.replace(/\?.*$/s, '')));
  if (problem.errors !== undefined) {
    expect(Array.isArray(problem.errors)).toBe(true);
    for (const item of problem.errors) {
      expect([typeof item.pointer, typeof item.parameter].sort()).toEqual(['string', 'undefined']);
      expect(item.detail).toMatch(/\S/);
    }
  }
  expectNoInternals(answer, echoed);
  return problem;
}

/** The JSON pointers a problem names, in their plain form: `/name` for both `/name` and `#/name`. */
export function pointers(problem: Problem): string[] {
  return (problem.errors ?? []).flatMap((item) =>
    item.pointer === undefined ? [] : [item.pointer.replace(/^#/, '')],
  );
}

export function parameters(problem: Problem): string[] {
  return (problem.errors ?? []).flatMap((item) => (item.parameter === undefined ? [] : [item.parameter]));
}

/** Asserts a 400 that points at the field, or at something inside it. */
export function expectPointer(answer: Answer, field: string): void {
  const found = pointers(expectProblem(answer, 400, [field]));
  const wanted = `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  expect(found.map((pointer) => (pointer.startsWith(`${wanted}/`) ? wanted : pointer))).toContain(wanted);
}

/** Asserts a 400 that names the query parameter. */
export function expectParameter(answer: Answer, parameter: string): Problem {
  const problem = expectProblem(answer, 400, [parameter]);
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
