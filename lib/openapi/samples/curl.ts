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

export function curlSample(request: SampleRequest): string {
  const { method, url, query, headers = [], hasNewKey, body, needsToken } = request;
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const address = `${isImplied ? '' : `-X ${method} `}${query.length > 0 ? '-G ' : ''}${quoted(url)}`;
  const token = needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : [];
  const others = [
    // `uuidgen` is not on every machine.
    ...(hasNewKey ? ['-H "Idempotency-Key: $(date +%s)-$RANDOM"'] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...query.map(parameterOption),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(readable(body))}`]),
  ];
  return [`curl -s ${address}`, ...token, ...others].join(' \\\n  ');
}
