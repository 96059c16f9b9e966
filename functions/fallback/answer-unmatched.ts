/**
 * The gateway's `$default` route: what no operation has. The paths come from the environment, because the
 * contracts would make this function the largest of all.
 */
import { environment } from '../shared/environment.ts';
import type { PipelineEvent } from '../shared/http/middleware.ts';
import { pipeline } from '../shared/http/pipeline.ts';
import { Problem } from '../shared/http/problems.ts';
import { quoted } from '../shared/http/suggestion.ts';
import { suggestPath } from './suggest-path.ts';

/** Whether a path is one that a template stands for. */
function matches(template: string, path: string): boolean {
  const expected = template.split('/');
  const segments = path.split('/');
  return (
    expected.length === segments.length &&
    expected.every((part, position) =>
      part.startsWith('{') ? segments[position] !== '' : part === segments[position],
    )
  );
}

function answer({ rawPath, requestContext }: PipelineEvent): never {
  const { method } = requestContext.http;
  const routes = environment.routes();
  const found = Object.entries(routes).find(([template]) => matches(template, rawPath));
  // A path whose encoding is malformed is no path of the gateway's, even if it looks like one.
  if (!found || found[1].includes(method)) {
    const suggested = suggestPath(rawPath, Object.keys(routes));
    const suggestion = suggested === undefined ? '' : ` Did you mean ${suggested}?`;
    throw new Problem('not-found', `There is nothing at ${quoted(rawPath)}.${suggestion}`);
  }
  const allow = [...found[1], 'OPTIONS'].join(', ');
  throw new Problem('method-not-allowed', `${method} is not a method of this path. It has ${allow}.`, {
    headers: { allow },
  });
}

export const handler = pipeline('answerUnmatched', [], async (event) => answer(event));
