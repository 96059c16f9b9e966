import { addressOf, indented, type SampleRequest } from './request.ts';

/** Returns the request for OkHttp, on Android or the JVM. */
export function kotlinSample(request: SampleRequest): string {
  const { method, hasNewKey, body, needsToken } = request;
  const text =
    body === undefined ? '""' : `"""\n  ${indented(JSON.stringify(body, null, 2), '  ')}\n""".trimIndent()`;
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const call: Readonly<Record<string, string>> = { GET: 'get()', DELETE: 'delete()' };
  return [
    'import okhttp3.MediaType.Companion.toMediaType',
    'import okhttp3.OkHttpClient',
    'import okhttp3.Request',
    'import okhttp3.RequestBody.Companion.toRequestBody',
    ...(hasNewKey ? ['import java.util.UUID'] : []),
    '',
    ...(hasBody ? [`val body = ${text}`] : []),
    'val request = Request.Builder()',
    `  .url(${JSON.stringify(addressOf(request)).replaceAll('$', '\\$')})`,
    ...(needsToken ? ['  .header("Authorization", "Bearer $TOKEN")'] : []),
    ...(hasNewKey ? ['  .header("Idempotency-Key", UUID.randomUUID().toString())'] : []),
    `  .${call[method] ?? `${method.toLowerCase()}(body.toRequestBody("application/json".toMediaType()))`}`,
    '  .build()',
    'OkHttpClient().newCall(request).execute().use { println(it.code); println(it.body?.string()) }',
  ]
    .filter((line) => hasBody || !/MediaType|RequestBody/.test(line))
    .join('\n');
}
