import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { Contract } from '../contract/contract.ts';
import { describeSyntaxError } from './json-syntax-error.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { Problem } from './problems.ts';

/** Largest body in bytes. */
export const largestBody = 256 * 1024;

/** Deepest nesting of arrays and objects. */
const deepest = 20;

const jsonType = /^application\/(?:[a-z0-9.-]+\+)?json$/;

/** Behind the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let position = start + 1; position < json.length; position += 1) {
    if (json[position] === '"') return position;
    if (json[position] === '\\') position += 1;
  }
  return json.length;
}

/** Whether the arrays and objects in a JSON text are nested deeper than allowed. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let position = 0; position < json.length && depth <= deepest; position += 1) {
    const character = json[position];
    if (character === '"') position = endOfString(json, position);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
  }
  return depth > deepest;
}

/** The parser, with an option that its types leave out. */
const parse = (
  httpJsonBodyParser as unknown as (options: { disableContentTypeCheck: boolean }) => {
    before: (request: PipelineRequest) => Promise<void>;
  }
)({ disableContentTypeCheck: true }).before;

/** The body's text. The gateway hands over in Base64 what it does not take for text, or what is not UTF-8. */
function textOf(body: string, isBase64Encoded: boolean): string {
  if (!isBase64Encoded) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, 'base64'));
  } catch (cause) {
    throw new Problem('malformed-body', 'The body is not UTF-8.', { cause });
  }
}

/** @throws Problem when a body is called something else than JSON; one that is not there may be called nothing. */
function requireJsonType(contentType: string | undefined, hasBody: boolean): void {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType === undefined ? !hasBody : jsonType.test(mediaType)) return;
  const detail = 'The body must be JSON, with the header "Content-Type: application/json".';
  throw new Problem('unsupported-media-type', detail, { headers: { accept: 'application/json' } });
}

/** @throws Problem when the body is larger than is taken. */
function requireSize(body: string, encoding: 'base64' | 'utf8'): void {
  const bytes = Buffer.byteLength(body, encoding);
  if (bytes <= largestBody) return;
  throw new Problem('body-too-large', `The body has ${bytes} bytes; at most ${largestBody} are taken.`);
}

/**
 * Puts the value of the JSON body in the place of its text; `undefined` where there is none and none is due.
 *
 * The parser checks neither size nor depth, and calls a malformed body by the status of a wrong type: these
 * are told apart here, before and behind it.
 */
export function jsonBody({ body: expected }: Contract): Middleware {
  return {
    before: async (request) => {
      const { event } = request;
      const body = typeof event.body === 'string' ? event.body : '';
      event.body = undefined;
      if (!expected) return;
      requireJsonType(event.headers['content-type'], body !== '');
      if (body === '') {
        if (expected.optional) return;
        throw new Problem('malformed-body', 'A JSON object is due as the body; there is none.');
      }
      requireSize(body, event.isBase64Encoded ? 'base64' : 'utf8');
      const text = textOf(body, event.isBase64Encoded);
      if (isTooDeep(text)) {
        throw new Problem('malformed-body', `The body is nested deeper than ${deepest} levels.`);
      }
      event.body = text;
      event.isBase64Encoded = false;
      try {
        await parse(request);
      } catch (cause) {
        throw new Problem('malformed-body', describeSyntaxError(text), { cause });
      }
    },
  };
}
