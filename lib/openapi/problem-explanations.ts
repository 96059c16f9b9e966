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
      'The body is missing, is not a JSON object, has a syntax error, is not UTF-8, or is nested more than 20 levels deep.',
    remedy: 'Send a JSON object in UTF-8.',
    example:
      'The body is not valid JSON. Expected double-quoted property name in JSON at position 12 (line 1 column 13).',
  },
  'malformed-request': {
    meaning: 'The service received data that is not HTTP.',
    remedy: 'Check the client, and the proxies between the client and the service.',
    example: 'The request is not valid HTTP.',
    path: '/',
  },
  'invalid-request': {
    meaning:
      'Fields of the body, query parameters or headers are unknown, missing or invalid. `errors` has one item for each, with the JSON pointer of the field or the name of the parameter or header.',
    remedy: 'Correct the values that `errors` lists, then send the request again.',
    example: '"name" is missing.',
    pointer: '/name',
  },
  'no-tenant': {
    meaning: 'The token is valid, but no claim names the tenant.',
    remedy: 'Get a token with this claim from your issuer.',
    example: 'The token has no claim "tenant" that names a tenant.',
  },
  'missing-scope': {
    meaning:
      'The token has the scope of the operation, but this request needs another scope as well. For example, cloning a project with its tasks needs `tasks:write`.',
    remedy: 'Get a token with the scope that `detail` names, or send a request that does not need it.',
    example: 'This request needs a token with the scope "tasks:write".',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78/clone',
  },
  'not-a-member': {
    meaning:
      'The request changes `visibility` or `memberIds` of a project, and you are not one of its members. Without members, only somebody who becomes one may change them. Or it deletes a user who is a member of a project of which you are none.',
    remedy: 'Ask a member, or use a token with the scope `all-projects`.',
    example: 'Only members change "memberIds" and "visibility".',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
  },
  'not-found': {
    meaning: 'The path does not exist, or no entity has this id.',
    remedy:
      'Check the path and the id. Lists show which entities exist. A deleted entity can be restored for 30 days.',
    example: 'There is no project with this id.',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
  },
  'live-is-off': {
    meaning: 'The service works without announcing changes: the setting `live` is off.',
    remedy: 'Ask the change feeds from time to time. The TypeScript client does so by itself.',
    example: 'This service does not announce changes.',
    path: '/v1/live',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but does not support this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
    example: 'POST is not a method of this path. It has GET, HEAD, PUT, PATCH, DELETE, OPTIONS.',
    path: '/v1/projects/019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78',
    headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' },
  },
  'reference-missing': {
    meaning:
      'A deleted entity cannot be restored because an entity that it belongs to does not exist, such as the organization of a project. `errors` names the field. This request wrote nothing.',
    remedy: 'First restore the entity that `errors` names.',
    example:
      'The project cannot be restored: its organization, which "organizationId" names, does not exist. Restore the organization first.',
    path: '/v1/projects/019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36/restore',
    pointer: '/organizationId',
  },
  'subject-taken': {
    meaning:
      'Another user in your tenant has this `subject`. A subject can belong to only one user. This request wrote nothing.',
    remedy:
      'Find the other user by filtering the list of users by `subject`. Remove the subject from that user, or omit it here.',
    example: 'Another user has this "subject".',
    path: '/v1/users',
    pointer: '/subject',
  },
  'cursor-expired': {
    meaning:
      'The service no longer has all changes since this cursor. A change that came after it is more than 30 days old, or the data was restored since.',
    remedy:
      'Read the changes again without `since`. Then delete the entities in your copy that the feed did not return.',
    example:
      'The cursor is too old: the records have expired since. Begin again without "since", and then delete the entities that you have and did not get again.',
    path: '/v1/tasks/changes',
  },
  'version-mismatch': {
    meaning:
      'Another request has changed the entity since the version in `If-Match`. Or the entity exists, although `If-None-Match: *` requires that it does not. This request wrote nothing. The `ETag` header has the current version.',
    remedy: 'Read the entity again, check that your change still applies, and send it with the new `ETag`.',
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
    meaning: 'The `Content-Type` of the body is not JSON, or the body is compressed.',
    remedy:
      'Send the header `Content-Type: application/json` and an uncompressed body, without `Content-Encoding`.',
    example: 'The body must be JSON, with the header "Content-Type: application/json".',
  },
  'idempotency-key-reused': {
    meaning: 'An earlier request used this `Idempotency-Key` with another body. This request wrote nothing.',
    remedy: 'Use a new key for each new request. Reuse a key only to retry the same request.',
    example: 'This Idempotency-Key was used before, with another body. Use a new key for a new request.',
  },
  'clone-too-large': {
    meaning: 'The project has more than 10,000 tasks, the maximum for cloning. This request wrote nothing.',
    remedy: 'Clone the project without its tasks, with `"include": []`, then create the tasks that you need.',
    example:
      'The project has more than 10000 tasks, the maximum of a clone. Clone it without its tasks, with "include": [].',
  },
  'too-many-requests': {
    meaning:
      'Your tenant has reached its rate limit: the DynamoDB capacity units that this deployment allows in 10 seconds. The `RateLimit-Policy` header has the limit. Or about 1,000 deletions, archive operations and clones of your tenant are unfinished. This request read and wrote nothing.',
    remedy: 'Retry after the number of seconds in the `Retry-After` header.',
    example:
      'Your requests have used 50000 capacity units in 10 seconds. The next ones are accepted after the seconds in Retry-After.',
  },
  'headers-too-large': {
    meaning: 'The request line and the headers together have more than 10,240 bytes.',
    remedy: 'Shorten the query or the headers.',
    example: 'The request line and headers have more than 10240 bytes.',
  },
  'internal-error': {
    meaning: 'The service has a defect. Its log has the cause under the `requestId`.',
    remedy:
      'Report the `requestId`. You can safely retry the request, unless it is a `POST` without an `Idempotency-Key`.',
    example: 'The cause has been logged under the requestId.',
  },
  unavailable: {
    meaning: 'The service could not finish the request in time.',
    remedy:
      'Retry after the number of seconds in the `Retry-After` header. Retry a `POST` with the same `Idempotency-Key`.',
    example:
      'The request did not finish in time. It is safe to send the request again, with the same Idempotency-Key if it has one.',
    headers: { 'retry-after': '1' },
  },
};
