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
  /dynamo|dynoxide|sqlite|aws[-_ ]?sdk|@aws|smithy|middy|valibot|node_modules|node:internal|\.[cm]?[jt]s:\d+|\bat \S+ \(|expressionattribute|conditionexpression|validationexception|transactioncancel|conditionalcheck|resourcenotfoundexception|\bgsi\d|\btenant(?!, members|")|"(?:pk|sk|stack)"|\b(?:TypeError|RangeError|SyntaxError)\b/i;

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
  expect([internals.exec(shown), response.headers.get('x-powered-by')]).toEqual([null, null]);
}

/** Asserts a status. A failure shows the response. */
export function expectStatus({ status, method, path, text }: TestResponse, expected: number): void {
  if (status !== expected) expect(`${status} ${method} ${path}: ${text}`).toBe(expected);
}

/** Asserts an error. Each response is also compared with the OpenAPI document, which has the types of its fields. */
export function expectProblem(
  response: TestResponse,
  status: number,
  echoed: readonly string[] = [],
): Problem {
  expectStatus(response, status);
  const problem = response.body as Problem;
  const hasOnePlace = ({ pointer, parameter }: ProblemItem) =>
    (pointer === undefined) !== (parameter === undefined);
  expect({
    status: problem?.status,
    instance: decoded(problem?.instance),
    hasOnePlaceForEachError: problem?.errors?.every(hasOnePlace) ?? true,
  }).toEqual({
    status,
    instance: decoded(response.path.replace(/\?.*$/s, '')),
    hasOnePlaceForEachError: true,
  });
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
