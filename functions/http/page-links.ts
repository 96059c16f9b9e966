import type { ListQuery } from '../engine/model/list-query.ts';
import { nameOfPair } from './query-parameters.ts';

/** Bytes of a query that links repeat. Four links stay below the 10,240 bytes that API Gateway allows for headers. */
const maxLinkQueryBytes = 2_048;

/** Bytes of a path that links repeat. Paths with the id of an entity are much shorter. */
const maxLinkPathBytes = 256;

type LinkParameters = Readonly<Record<string, string>>;

/** What a URI cannot have (RFC 3986, 2), and would end a link or a header. */
const forbidden = /[^\x21-\x7E]|["<>\\^`{|}]/gu;

/** Returns a `Link` header (RFC 8288); `undefined` when it is too long. @param longest the longest parameters of any page of the list. */
function linkHeader(
  path: string,
  rawQueryString: string,
  links: readonly (readonly [relation: string, parameters: LinkParameters])[],
  longest: LinkParameters,
): string | undefined {
  // The others stay as they were sent: a comma that is not encoded separates values, and an encoded one belongs to a value.
  const others = rawQueryString
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(longest, nameOfPair(pair)))
    .map((pair) => pair.toWellFormed().replaceAll(forbidden, encodeURIComponent));
  const queryOf = (parameters: LinkParameters): string =>
    [
      ...others,
      ...Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ].join('&');
  const queryBytes = Math.max(rawQueryString.length, queryOf(longest).length);
  if (queryBytes > maxLinkQueryBytes || path.length > maxLinkPathBytes) return undefined;
  return links
    .map(([relation, parameters]) => `<${path}?${queryOf(parameters)}>; rel="${relation}"`)
    .join(', ');
}

/**
 * Returns the `Link` header of a page with the list's first, last and neighbouring pages; `undefined` when the query is longer than 2,048
 * bytes, as it was sent or as a link has it, or the path than 256.
 */
export function pageLinks(
  path: string,
  rawQueryString: string,
  { page, limit }: ListQuery,
  totalPages: number,
): string | undefined {
  const last = Math.max(1, totalPages);
  const pages: [string, number][] = [['first', 1]];
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)]);
  if (page < totalPages) pages.push(['next', page + 1]);
  pages.push(['last', last]);
  const parametersOf = (number: number) => ({ page: String(number), limit: String(limit) });
  const links = pages.map(([relation, number]) => [relation, parametersOf(number)] as const);
  return linkHeader(path, rawQueryString, links, parametersOf(Number.MAX_SAFE_INTEGER));
}

/** Returns the `Link` header of a page that begins behind a cursor: its first and its next page. It has the limits of `pageLinks`. */
export function cursorLinks(path: string, rawQueryString: string, { limit }: ListQuery, next: string | null) {
  const cursors: [string, string][] = [['first', '']];
  if (next !== null) cursors.push(['next', next]);
  const links = cursors.map(([relation, after]) => [relation, { after, limit: String(limit) }] as const);
  return linkHeader(path, rawQueryString, links, { after: next ?? '', limit: String(limit) });
}
