/** Problems as they arrive: made by the code that makes those of the service. */
import { catalogue, Problem, type ProblemCode, problemResponse } from '../../functions/http/problems.ts';
import { explanations } from './problem-explanations.ts';

export const problemCodes = Object.keys(catalogue) as ProblemCode[];

export function problemExample(code: ProblemCode): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
} {
  const { example, headers = {}, path = '/v1/projects', pointer } = explanations[code];
  const issues = pointer === undefined ? [] : [{ pointer, detail: example }];
  const problem = new Problem(code, example, { issues, headers });
  const response = problemResponse(problem, { path, requestId: 'JKJaXmPLvHcESHA=' });
  return {
    headers: response.headers as Record<string, string>,
    body: JSON.parse(response.body ?? '{}') as object,
  };
}
