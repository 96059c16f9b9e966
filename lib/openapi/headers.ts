import { type Header, type Reference, referTo, type Schema } from './types.ts';

const text = (maxLength = 255): Schema => ({ type: 'string', maxLength });

export const entityTag: Schema = { type: 'string', maxLength: 64, pattern: '^"[\\w-]+"$' };

export const headers: Readonly<Record<string, Header>> = {
  ETag: {
    description: 'Version of the response, for `If-Match` and `If-None-Match`.',
    required: true,
    schema: entityTag,
    example: '"7a2c4d8f0e36-3"',
  },
  'Current-ETag': {
    description: 'The current version of the entity. Absent for a batch, and for one that you do not see.',
    schema: entityTag,
    example: '"7a2c4d8f0e36-3"',
  },
  'Expandable-ETag': {
    description:
      'Version of the response, for `If-Match` and `If-None-Match`. Absent with `expand`, because embedded entities have their own versions.',
    schema: entityTag,
    example: '"7a2c4d8f0e36-3"',
  },
  'Cache-Control': {
    description: 'How the response may be cached.',
    required: true,
    schema: text(),
    example: 'private, no-cache',
  },
  'Error-Cache-Control': {
    description: 'How the error may be cached. Absent on errors of the gateway.',
    schema: text(),
    example: 'no-store',
  },
  Link: {
    description:
      'Addresses of the first, previous, next and last page (RFC 8288); with `after`, of the first and the next page. Absent if the query is longer than 2,048 bytes, as sent or as encoded in a link.',
    schema: text(10_000),
    example: '</v1/tasks?page=1&limit=20>; rel="first", </v1/tasks?page=3&limit=20>; rel="last"',
  },
  'X-Total-Count': {
    description: 'Number of matching entities on all pages: `total`.',
    required: true,
    schema: { type: 'string', maxLength: 16, pattern: '^\\d+$' },
    example: '41',
  },
  Location: {
    description: 'Path of the created entity, or of the page to which a redirect leads.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 300 },
    example: '/v1/tags/019b2f4f-2a95-7be2-8d67-c05a1b9e3f42',
  },
  'Idempotency-Replayed': {
    description: 'Whether this is the response to an earlier request with the same key.',
    schema: { type: 'boolean' },
    example: true,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'string', maxLength: 10, pattern: '^\\d+$' },
    example: '1',
  },
  'RateLimit-Policy': {
    description:
      'Limit of the tenant: `q` capacity units of DynamoDB, read and written, in `w` seconds (draft-ietf-httpapi-ratelimit-headers-11). Absent without a limit, and on errors of the gateway.',
    schema: text(),
    example: '"default";q=50000;qu="capacity-units";w=10',
  },
  RateLimit: {
    description:
      'Remaining capacity units of the tenant, approximately, and seconds until the limit begins again. Present with `RateLimit-Policy`.',
    schema: text(),
    example: '"default";r=48731;t=4',
  },
  Accept: {
    description: 'Supported media type.',
    schema: text(),
    example: 'application/json',
  },
  'Accept-Encoding': {
    description: 'Supported content coding of bodies.',
    schema: text(),
    example: 'identity',
  },
  'WWW-Authenticate': {
    description: 'Why the token is rejected (RFC 6750).',
    schema: text(2_000),
    example: 'Bearer scope="" error="invalid_token"',
  },
  'Access-Control-Allow-Origin': {
    description: 'Origin that may read the response. Present on requests from another origin.',
    schema: text(),
    example: '*',
  },
  'X-Content-Type-Options': {
    description: 'Tells browsers not to guess the media type.',
    required: true,
    schema: { type: 'string', enum: ['nosniff'] },
  },
  'Error-Content-Type-Options': {
    description: 'Tells browsers not to guess the media type. Absent on errors of the gateway.',
    schema: { type: 'string', enum: ['nosniff'] },
  },
};

const usualHeaders = [
  'Access-Control-Allow-Origin',
  'RateLimit',
  'RateLimit-Policy',
  'X-Content-Type-Options',
];

/** Returns references to headers by name, with the headers of every response. */
export const headerReferences = (...names: (keyof typeof headers)[]): Record<string, Reference> =>
  Object.fromEntries([...names, ...usualHeaders].map((name) => [name, referTo('headers', name)]));
