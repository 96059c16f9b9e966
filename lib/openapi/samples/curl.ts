import { addressOf, type SampleRequest } from './request.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlSample(request: SampleRequest): string {
  const { method, headers, body, needsToken, query } = request;
  // Without -g, curl would read brackets as ranges.
  const options = query.some(([name]) => name.includes('[')) ? '-g ' : '';
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const address = `${isImplied ? '' : `-X ${method} `}${quoted(addressOf(request))}`;
  const token = needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : [];
  const others = [
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  // Pages hide the line of the token where none is needed: it must be neither the first nor the last one.
  const lines =
    others.length === 0 && needsToken
      ? [`curl ${options || '-s '}`.trimEnd(), ...token, address]
      : [`curl ${options}${address}`, ...token, ...others];
  return lines.join(' \\\n  ');
}
