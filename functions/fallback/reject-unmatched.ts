/**
 * The handler of the gateway's `$default` route: paths and methods that no operation has, and what browsers ask for by convention. It
 * reads the paths from the environment: with the contracts, its bundle would be the largest of all.
 */

import type { PipelineEvent, Response } from '../http/middleware.ts';
import { pipeline } from '../http/pipeline.ts';
import { Problem } from '../http/problems.ts';
import { redirectTo } from '../http/redirect.ts';
import { quoted } from '../http/suggestion.ts';
import { environment } from '../runtime/environment.ts';
import { unpackRoutes } from '../runtime/packed-routes.ts';
import { suggestPath } from './suggest-path.ts';

/** Returns whether a path is one of a template. A greedy parameter, such as `{path+}`, stands for one or more segments. */
function matches(template: string, path: string): boolean {
  const expected = template.split('/');
  const segments = path.split('/');
  const isGreedy = template.endsWith('+}');
  return (
    (isGreedy ? expected.length <= segments.length : expected.length === segments.length) &&
    expected.every((name, position) =>
      name.startsWith('{') ? segments[position] !== '' : name === segments[position],
    )
  );
}

const isRead = ({ requestContext }: PipelineEvent): boolean =>
  ['GET', 'HEAD'].includes(requestContext.http.method);

/** Addresses that people type and browsers ask for, each with the one that exists. */
const redirects: ReadonlyMap<string, string> = new Map([
  ['', '/docs'],
  ['/docs', '/docs'],
  ['/favicon.ico', '/docs/icon.svg'],
  ['/guides', '/docs/guides/getting-started'],
  ['/problems', '/docs/problems'],
]);

/** Search engines may read the pages, not the data. */
const robots = 'User-agent: *\nDisallow: /v1/\n';

/** Returns what browsers and search engines ask for without a link; `undefined` for every other address. */
function conventionalResponse(event: PipelineEvent): Response | undefined {
  const { rawPath } = event;
  const routes = unpackRoutes(environment.routes());
  if (!isRead(event) || !('/docs' in routes)) return undefined;
  if (rawPath === '/robots.txt')
    return { statusCode: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: robots };
  const location = redirects.get(rawPath.replace(/\/$/, ''));
  return location === undefined || location === rawPath ? undefined : redirectTo(location);
}

/** @throws Problem 405 when the path exists with other methods, otherwise 404. */
function refuse({ rawPath, requestContext }: PipelineEvent): never {
  const { method } = requestContext.http;
  const routes = unpackRoutes(environment.routes());
  // `/v1/users/me` is a path of its own, and has the other methods of `/v1/users/{id}`.
  const matching = Object.entries(routes).filter(([template]) => matches(template, rawPath));
  const methods = [...new Set(matching.flatMap(([, own]) => own))];
  // The gateway routes a path with malformed encoding to `$default`, even if it looks like an existing one.
  if (methods.length === 0 || methods.includes(method)) {
    const suggested = suggestPath(rawPath, Object.keys(routes));
    const suggestion = suggested === undefined ? '' : ` Did you mean ${suggested}?`;
    throw new Problem('not-found', `There is nothing at ${quoted(rawPath)}.${suggestion}`);
  }
  const allow = [...methods, 'OPTIONS'].join(', ');
  throw new Problem('method-not-allowed', `This path does not have the method ${method}. It has ${allow}.`, {
    headers: { allow },
  });
}

export const handler = pipeline(
  'rejectUnmatched',
  [],
  async (event) => conventionalResponse(event) ?? refuse(event),
);
