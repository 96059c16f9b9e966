/**
 * The handler of the gateway's `$default` route: paths and methods that no operation has, a page for browsers at such addresses, and
 * what browsers ask for by convention. It reads the paths from the environment:
 * with the contracts, its bundle would be the largest of all.
 */

import type { PipelineEvent, Response } from '../http/middleware.ts';
import { pipeline } from '../http/pipeline.ts';
import { Problem } from '../http/problems.ts';
import { asksForHtml, notFoundPage, redirectTo } from '../http/static-page.ts';
import { quoted } from '../http/suggestion.ts';
import { environment } from '../runtime/environment.ts';
import { suggestPath } from './suggest-path.ts';

function matches(template: string, path: string): boolean {
  const expected = template.split('/');
  const segments = path.split('/');
  return (
    expected.length === segments.length &&
    expected.every((name, position) =>
      name.startsWith('{') ? segments[position] !== '' : name === segments[position],
    )
  );
}

const isRead = ({ requestContext }: PipelineEvent): boolean =>
  ['GET', 'HEAD'].includes(requestContext.http.method);

/** Addresses that people type and browsers ask for, each with the one that exists. */
const redirects: ReadonlyMap<string, string> = new Map([
  ['/favicon.ico', '/docs/icon.svg'],
  ['/guides', '/docs/guides/getting-started'],
  ['/problems', '/docs/problems'],
]);

/** Search engines may read the pages, not the data. */
const robots = 'User-agent: *\nDisallow: /v1/\n';

/** Returns what browsers and search engines ask for without a link; `undefined` for every other address. */
function conventionalResponse(event: PipelineEvent): Response | undefined {
  const { rawPath } = event;
  const routes = environment.routes();
  if (!isRead(event) || !('/docs' in routes)) return undefined;
  if (rawPath === '/robots.txt')
    return { statusCode: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: robots };
  const page = rawPath.replace(/\/$/, '');
  const location = redirects.get(page);
  if (location) return redirectTo(location);
  const isPage =
    /^\/docs(?:\/[\w.-]+)*$/.test(page) && Object.keys(routes).some((route) => matches(route, page));
  return isPage && page !== rawPath ? redirectTo(page) : undefined;
}

/** @throws Problem 405 when the path exists with other methods, otherwise 404. */
function refuse({ rawPath, requestContext }: PipelineEvent): never {
  const { method } = requestContext.http;
  const routes = environment.routes();
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

export const handler = pipeline('rejectUnmatched', [], async (event) => {
  const conventional = conventionalResponse(event);
  if (conventional) return conventional;
  // Errors of the API are always problem documents. A deployment without documentation has no files for a page either.
  const mayShowPage = '/docs' in environment.routes() && !event.rawPath.startsWith('/v1/');
  return mayShowPage && asksForHtml(event) ? notFoundPage() : refuse(event);
});
