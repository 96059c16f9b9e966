import { indented, type SampleRequest } from './request.ts';

const words: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };

/** Returns a JSON value as a literal of Python. Texts are matched first, so that words in them stay. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:null|true|false)\b/g,
    (token) => words[token] ?? token,
  );

const token = `"Authorization": f"Bearer {os.environ.get('TOKEN')}"`;

/** Returns the request for the package `requests`. */
export function pythonSample({ method, url, query, hasNewKey, body, needsToken }: SampleRequest): string {
  const headers = [
    ...(needsToken ? [token] : []),
    ...(hasNewKey ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  const lines = [
    ...(needsToken ? ['import os'] : []),
    ...(hasNewKey ? ['import uuid'] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(query.length === 0 ? [] : [`    params=${indented(literal(Object.fromEntries(query)), '    ')},`]),
    ...(headers.length === 1 ? [`    headers={${headers[0]}},`] : []),
    ...(headers.length > 1 ? ['    headers={', ...headers.map((line) => `        ${line},`), '    },'] : []),
    ...(body === undefined ? [] : [`    json=${indented(literal(body), '    ')},`]),
    ')',
    'print(response.status_code, response.text)',
  ];
  return lines.join('\n');
}
