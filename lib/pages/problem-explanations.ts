import type { ProblemCode } from '../../functions/http/problems.ts';

interface Explanation {
  readonly meaning: string;
  readonly remedy: string;
  readonly example: string;
  /** Path of the example. Default: `/v1/projects`. */
  readonly path?: string;
  readonly pointer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const explanations: Readonly<Record<ProblemCode, Explanation>> = {
  'malformed-body': {
    meaning:
      'The body is not a JSON object. It has a syntax error, is missing, is not UTF-8, or has more than 20 levels of nesting.',
    remedy: 'Send a JSON object in UTF-8.',
    example:
      'The body is not valid JSON. Expected double-quoted property name in JSON at position 12 (line 1 column 13).',
  },
  'malformed-request': {
    meaning: 'The service received data that is not HTTP.',
    remedy: 'Check the client and the proxies between the client and this service.',
    example: 'The request is not valid HTTP.',
    path: '/',
  },
  'invalid-request': {
    meaning:
      'Fields of the body, query parameters or headers are unknown, missing or invalid. "errors" contains one item for each: with the JSON pointer of a field, or the name of a parameter or header.',
    remedy:
      'Correct the values that "errors" lists and send the request again. The unchanged request fails again.',
    example: '"name" is missing.',
    pointer: '/name',
  },
  'no-tenant': {
    meaning: 'The token is valid, but has no claim that names the tenant.',
    remedy: 'Get a token with this claim from the issuer of your tokens.',
    example: 'The token has no claim "tenant" that names a tenant.',
  },
  'missing-scope': {
    meaning:
      'The token has the scope of the operation, but this request needs another scope. For example, a clone with tasks also creates tasks.',
    remedy: 'Get a token with the scope in "detail", or send a request that does not need it.',
    example: 'This request needs a token with the scope "tasks:write".',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78/clone',
  },
  'not-found': {
    meaning: 'The path does not exist, or no entity has this id.',
    remedy:
      'Check the path and the id. A list shows the existing entities. A deleted entity cannot be restored.',
    example: 'There is no project with this id.',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but does not support this method.',
    remedy: 'Use one of the methods in the "Allow" header.',
    example: 'POST is not a method of this path. It has GET, HEAD, PUT, PATCH, DELETE, OPTIONS.',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
    headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' },
  },
  'reference-missing': {
    meaning:
      'A deleted entity cannot be restored without another one that it belongs to, and that does not exist: a project without its organization. "errors" names the field. This request wrote nothing.',
    remedy: 'Restore the entity that "errors" names first.',
    example:
      'The project cannot be restored: its organization, which "organizationId" names, does not exist. Restore the organization first.',
    path: '/v1/projects/019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36/restore',
    pointer: '/organizationId',
  },
  'subject-taken': {
    meaning:
      'Another user of your tenant has this "subject", and a subject belongs to one user. This request wrote nothing.',
    remedy:
      'Find the user with the filter "subject" in a list of users. Remove the subject from it first, or leave it out here.',
    example: 'Another user has this "subject".',
    path: '/v1/users',
    pointer: '/subject',
  },
  'cursor-expired': {
    meaning:
      'The service does not have all changes since this cursor any more: it is more than 29 days old and there are later changes, or the data was restored or rebuilt since.',
    remedy:
      'Read the changes again without "since". Then delete the entities that you have and did not get again.',
    example:
      'The cursor is too old: the records have expired since. Begin again without "since", and then delete the entities that you have and did not get again.',
    path: '/v1/tasks/changes',
  },
  'version-mismatch': {
    meaning:
      'The entity has changed since the version in "If-Match": another request changed it first. Or it exists, and "If-None-Match: *" allows the write only if it does not. This request wrote nothing. The header "ETag" has the current version.',
    remedy: 'Read the entity again, check your change, and send it with the new ETag.',
    example:
      'The project 019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78 has changed since the version that If-Match names. Read it again.',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
  },
  'body-too-large': {
    meaning: 'The body has more than 262,144 bytes.',
    remedy: 'Send a smaller body.',
    example: 'The body has 300000 bytes; at most 262144 are allowed.',
  },
  'unsupported-media-type': {
    meaning: 'The "Content-Type" of the body is not JSON, or the body is compressed.',
    remedy: 'Send the header "Content-Type: application/json", and the body without "Content-Encoding".',
    example: 'The body must be JSON, with the header "Content-Type: application/json".',
  },
  'idempotency-key-reused': {
    meaning: 'An earlier request used this Idempotency-Key with another body. This request wrote nothing.',
    remedy: 'Use a new key for each new request. Repeat a key only with the same request.',
    example: 'This Idempotency-Key was used before, with another body. Use a new key for a new request.',
  },
  'clone-too-large': {
    meaning: 'The project has more than 10,000 tasks, which is the maximum of a clone. Nothing was created.',
    remedy: 'Clone the project without its tasks, with "include": [], and create the tasks that you need.',
    example:
      'The project has more than 10000 tasks, the maximum of a clone. Clone it without its tasks, with "include": [].',
  },
  'too-many-requests': {
    meaning:
      'The requests of your tenant have used the capacity units of DynamoDB that this deployment allows in 10 seconds. "RateLimit-Policy" has the limit. Or about 1,000 of its deletions, archives and clones are not finished. This request read and wrote nothing.',
    remedy: 'Repeat the request after the number of seconds in "Retry-After".',
    example:
      'Your requests have used 50000 capacity units in 10 seconds. The next ones are accepted after the seconds in Retry-After.',
  },
  'headers-too-large': {
    meaning: 'The request line and the headers together have more than 10,240 bytes.',
    remedy: 'Shorten the query or the headers.',
    example: 'The request line and headers have more than 10240 bytes.',
  },
  'internal-error': {
    meaning: 'The service has a defect. Its log contains the cause under the requestId.',
    remedy:
      'Report the requestId. You can safely repeat the request, except a POST without an Idempotency-Key.',
    example: 'The cause has been logged under the requestId.',
  },
  unavailable: {
    meaning: 'The service could not finish the request in time.',
    remedy:
      'Repeat the request after the number of seconds in "Retry-After". Repeat a POST with the same Idempotency-Key.',
    example:
      'The request did not finish in time. It is safe to send the request again, with the same Idempotency-Key if it has one.',
    headers: { 'retry-after': '1' },
  },
};
