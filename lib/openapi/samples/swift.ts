import { addressOf, indented, type SampleRequest } from './request.ts';

/** Returns the request for `URLSession` of Foundation. */
export function swiftSample(request: SampleRequest): string {
  const { method, hasNewKey, body, needsToken } = request;
  const set = (name: string, value: string) => `request.setValue(${value}, forHTTPHeaderField: "${name}")`;
  const lines = [
    'import Foundation',
    '',
    `var request = URLRequest(url: URL(string: ${JSON.stringify(encoded(request))})!)`,
    ...(method === 'GET' ? [] : [`request.httpMethod = "${method}"`]),
    ...(needsToken ? [set('Authorization', '"Bearer \\(TOKEN)"')] : []),
    ...(hasNewKey ? [set('Idempotency-Key', 'UUID().uuidString')] : []),
    ...(body === undefined
      ? []
      : [
          set('Content-Type', '"application/json"'),
          `request.httpBody = Data(#"""\n  ${indented(JSON.stringify(body, null, 2), '  ')}\n  """#.utf8)`,
        ]),
    '',
    'let (data, response) = try await URLSession.shared.data(for: request)',
    'print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))',
  ];
  return lines.join('\n');
}

/** Returns the address with encoded brackets: `URL(string:)` of older systems returns nil for them. */
const encoded = (request: SampleRequest): string =>
  addressOf(request).replaceAll('[', '%5B').replaceAll(']', '%5D');
