import type { ListQuery } from '../store/model/list-query.ts';

/** Bytes of a query that links repeat. Four links stay below the 10,240 bytes that API Gateway allows for headers. */
const maxLinkQueryBytes = 2_048;

/** Bytes of a path that links repeat. Paths with the id of an entity are much shorter. */
const maxLinkPathBytes = 256;

/**
 * Returns the `Link` header of a page (RFC 8288) with the list's first, last and neighbouring pages; `undefined` when
 * the query is longer than 2,048 bytes, as it was sent or as a link encodes it, or the path than 256.
 * @param path the list's own path, encoded.
 */
export function pageLinks(
  path: string,
  rawQueryString: string,
  { page, limit }: ListQuery,
  totalPages: number,
): string | undefined {
  const query = new URLSearchParams(rawQueryString);
  const pageQuery = (number: number): string => {
    query.set('page', String(number));
    query.set('limit', String(limit));
    return query.toString();
  };
  const queryBytes = Math.max(rawQueryString.length, pageQuery(Number.MAX_SAFE_INTEGER).length);
  if (queryBytes > maxLinkQueryBytes || path.length > maxLinkPathBytes) return undefined;
  const last = Math.max(1, totalPages);
  const pages: [string, number][] = [['first', 1]];
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)]);
  if (page < totalPages) pages.push(['next', page + 1]);
  pages.push(['last', last]);
  return pages.map(([relation, number]) => `<${path}?${pageQuery(number)}>; rel="${relation}"`).join(', ');
}
