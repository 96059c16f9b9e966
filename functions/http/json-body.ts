import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { Contract } from '../contract/contract.ts';
import type { PipelineEvent, PipelineRequest } from './middleware.ts';
import { Problem } from './problems.ts';

export const maxBodyBytes = 256 * 1024;

const maxDepth = 20;

const jsonType = /^application\/(?:[a-z0-9.-]+\+)?json$/;

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === maxDepth || Object.values(value).some((one) => isTooDeep(one, depth + 1));
}

/** middy's parser, with an option that its types lack. */
const parse = (
  httpJsonBodyParser as unknown as (options: { disableContentTypeCheck: boolean }) => {
    before: (request: Pick<PipelineRequest, 'event'>) => Promise<void>;
  }
)({ disableContentTypeCheck: true }).before;

/** Returns the text of a body. API Gateway encodes bodies in Base64 whose media type is not text, or that are not UTF-8. */
function textOf(body: string, isBase64Encoded: boolean): string {
  if (!isBase64Encoded) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, 'base64'));
  } catch (cause) {
    throw new Problem('malformed-body', 'The body is not UTF-8.', { cause });
  }
}

/** @throws Problem 415 when the media type of a body is not JSON. An absent body needs no media type. */
function requireJsonType(contentType: string | undefined, hasBody: boolean): void {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType === undefined ? !hasBody : jsonType.test(mediaType)) return;
  const detail = 'The body must be JSON, with the header "Content-Type: application/json".';
  throw new Problem('unsupported-media-type', detail, { headers: { accept: 'application/json' } });
}

/** @throws Problem 415 when a body is compressed: its size would say nothing about the work that it causes (RFC 9110, 12.5.3). */
function requireIdentity(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^\s*(?:identity\s*)?$/i.test(contentEncoding)) return;
  const detail = 'The body must not be compressed: "Content-Encoding" must be identity, or be left out.';
  throw new Problem('unsupported-media-type', detail, { headers: { 'accept-encoding': 'identity' } });
}

/** @throws Problem 413 when the body is too large. */
function requireSize(body: string, encoding: 'base64' | 'utf8'): void {
  const bytes = Buffer.byteLength(body, encoding);
  if (bytes <= maxBodyBytes) return;
  throw new Problem('body-too-large', `The body has ${bytes} bytes; at most ${maxBodyBytes} are allowed.`);
}

/** Characters of the message of `JSON.parse`. It quotes about 20 characters of the body. */
const maxMessageLength = 120;

/** Returns why `JSON.parse` refuses a text, as middy's parser reports it. Invisible characters of the text are shown by their code points. */
function syntaxErrorOf({ cause }: Error): string {
  const message = String((cause as { readonly message?: string }).message).slice(0, maxMessageLength);
  return message.replaceAll(/\p{C}/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/** @throws Problem 400 or 413 for a text that the parser should not see. */
function checkedText(body: string, isBase64Encoded: boolean): string {
  if (body === '') {
    throw new Problem('malformed-body', 'The request needs a JSON object as its body; the body is empty.');
  }
  requireSize(body, isBase64Encoded ? 'base64' : 'utf8');
  return textOf(body, isBase64Encoded);
}

/**
 * Returns the JSON value of a body; `undefined` when there is no body and none is needed.
 *
 * The parser checks neither size nor depth, and reports a malformed body with the status of a wrong media type: this checks before and after it.
 */
export async function readBody({ body: expected }: Contract, event: PipelineEvent): Promise<unknown> {
  const body = typeof event.body === 'string' ? event.body : '';
  event.body = undefined;
  if (!expected) return undefined;
  requireJsonType(event.headers['content-type'], body !== '');
  if (body !== '') requireIdentity(event.headers['content-encoding']);
  if (body === '' && expected.optional) return undefined;
  event.body = checkedText(body, event.isBase64Encoded);
  event.isBase64Encoded = false;
  try {
    await parse({ event });
  } catch (cause) {
    const detail = `The body is not valid JSON. ${syntaxErrorOf(cause as Error)}.`;
    throw new Problem('malformed-body', detail, { cause });
  }
  if (isTooDeep(event.body))
    throw new Problem('malformed-body', `The body is nested deeper than ${maxDepth} levels.`);
  return event.body;
}
