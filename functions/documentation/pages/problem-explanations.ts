import type { ProblemCode } from '../../shared/http/problems.ts';

/** What each kind of problem means, and what a caller does about it: for the page that its `type` points to. */
export const explanations: Readonly<
  Record<ProblemCode, { readonly meaning: string; readonly remedy: string; readonly example: string }>
> = {
  'malformed-body': {
    meaning:
      'The body could not be read as a JSON object: a syntax error, no body, bytes that are not UTF-8, or more than 20 levels of nesting.',
    remedy: 'Send a JSON object in UTF-8.',
    example: 'The body could not be parsed as JSON.',
  },
  'malformed-request': {
    meaning: 'What arrived is not HTTP.',
    remedy: 'Look at the client, or at what stands between it and this service.',
    example: 'The request is not valid HTTP.',
  },
  'invalid-request': {
    meaning:
      'Members of the body, parameters of the query or headers are unknown, missing or wrong. "errors" names each: a member by its JSON pointer, a parameter or header by its name.',
    remedy: 'Correct what "errors" names and send the request again. Sent as it is, it will never succeed.',
    example: '"name" is missing.',
  },
  'no-tenant': {
    meaning: 'The token is valid, but holds no claim that says whose data it is for.',
    remedy: 'Ask whoever issues the tokens for one with that claim.',
    example: 'The token has no claim "tenant" that names a tenant.',
  },
  'missing-scope': {
    meaning:
      'The token has the scope of the operation, but this request does more: a clone with tasks also creates tasks.',
    remedy: 'Get a token with the scope that "detail" names, or ask for less.',
    example: 'This request needs a token with the scope "tasks:write".',
  },
  'not-found': {
    meaning: 'There is nothing at this path, or no entity with this id.',
    remedy: 'Check the path and the id. What was deleted stays deleted; a list shows what there is.',
    example: 'There is no project with this id.',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the "Allow" header.',
    example: 'POST is not a method of this path. It has GET, HEAD, PUT, PATCH, DELETE, OPTIONS.',
  },
  'version-mismatch': {
    meaning:
      'The entity has changed since the version whose ETag "If-Match" names: somebody else was faster. Nothing was written.',
    remedy:
      'Read the entity again, see whether your change still makes sense, and send it with the new ETag.',
    example: 'The project has changed since the version that If-Match names.',
  },
  'body-too-large': {
    meaning: 'The body has more bytes than are taken: 262,144.',
    remedy: 'Send less at a time.',
    example: 'The body has 300000 bytes; at most 262144 are taken.',
  },
  'unsupported-media-type': {
    meaning: 'The body is not called JSON.',
    remedy: 'Send the header "Content-Type: application/json".',
    example: 'The body must be JSON, with the header "Content-Type: application/json".',
  },
  'idempotency-key-reused': {
    meaning: 'This Idempotency-Key came before, with another body. Nothing was done.',
    remedy: 'Take a new key for a new request; keep a key only to repeat the very same one.',
    example: 'This Idempotency-Key was used before, with another body. Use a new key for a new request.',
  },
  'headers-too-large': {
    meaning: 'The request line and the headers together have more bytes than are taken: 10,240.',
    remedy: 'Shorten the query or the headers.',
    example: 'The request line and headers have more than 10240 bytes.',
  },
  'internal-error': {
    meaning: 'A mistake of ours. The cause is in the log, under the requestId.',
    remedy:
      'Report the requestId. Trying again is safe for any method but POST, and for POST with an Idempotency-Key.',
    example: 'The cause has been logged under the requestId.',
  },
  unavailable: {
    meaning: 'The request could not be done in time.',
    remedy: 'Try again after the seconds in "Retry-After", a POST with the same Idempotency-Key.',
    example:
      'This could not be done in time. It is safe to try again, with the same Idempotency-Key if there is one.',
  },
};
