import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { TimedResponse } from '#lib/local/http-api.ts';

const decompressors = { br: brotliDecompressSync, gzip: gunzipSync };

/** Returns a response with its text decompressed. Functions send compressed texts in Base64. */
export function decoded(response: TimedResponse): TimedResponse {
  const coding = response.headers.get('content-encoding') as keyof typeof decompressors | undefined;
  if (!coding || response.text === '') return response;
  return { ...response, text: decompressors[coding](Buffer.from(response.text, 'base64')).toString() };
}
