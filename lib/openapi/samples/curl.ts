import type { SampleRequest } from './request.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Characters of a query that need no encoding for this service: brackets and commas are read as they are. */
const isPlain = (value: string): boolean => /^[\w.~:,*[\]-]*$/.test(value);

/** Returns a parameter as an option. It is appended to the address, because of `-G`. */
const parameterOption = ([name, value]: readonly [string, string]): string =>
  `${isPlain(value) ? '-d' : '--data-urlencode'} ${quoted(`${name}=${value}`)}`;

/** A longer body would not fit into the panel of a sample. */
const maxLine = 48;

/** Returns JSON on one line if it is short, otherwise indented like the options of the command. */
function readable(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= maxLine ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
}

export function curlSample({ method, url, query, headers, body, needsToken }: SampleRequest): string {
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const address = `${isImplied ? '' : `-X ${method} `}${query.length > 0 ? '-G ' : ''}${quoted(url)}`;
  const token = needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : [];
  const others = [
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...query.map(parameterOption),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(readable(body))}`]),
  ];
  // Pages hide the line of the token where none is needed: it must be neither the first nor the last one.
  const lines =
    others.length === 0 && needsToken
      ? ['curl -s', ...token, address]
      : [`curl ${address}`, ...token, ...others];
  return lines.join(' \\\n  ');
}
