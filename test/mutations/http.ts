import type { Mutation } from './mutation.ts';

const hostile = 'test/contract/hostile-input.test.ts';
const errors = 'test/contract/errors.test.ts';
const parameters = 'functions/http/query-parameters.ts';
const body = 'functions/http/json-body.ts';

/** Mutations of how requests are read, and of the headers of responses. */
export const httpMutations: readonly Mutation[] = [
  {
    name: 'bodies-one-byte-too-large',
    description: 'a body may have one byte more than the documented limit',
    file: body,
    search: 'if (bytes <= maxBodyBytes) return;',
    replacement: 'if (bytes <= maxBodyBytes + 1) return;',
    detectedBy: [errors],
    testNamePattern: 'body limit',
  },
  {
    name: 'compressed-bodies-read',
    description: 'the size of a compressed body is that of its compressed bytes',
    file: body,
    search: "if (body !== '') requireIdentity(",
    replacement: "if (body === '') requireIdentity(",
    detectedBy: [errors],
  },
  {
    name: 'one-parameter-more',
    description: 'a query may have one parameter more than the documented limit',
    file: parameters,
    search: 'if (all.length > maxParameters) {',
    replacement: 'if (all.length > maxParameters + 1) {',
    detectedBy: [hostile],
    testNamePattern: 'query strings',
  },
  {
    name: 'escapes-kept',
    description: 'a comma that a backslash protects keeps the backslash',
    file: parameters,
    search: "replaceAll(/\\\\([,\\\\])/g, '$1')",
    replacement: "replaceAll(/\\\\([,\\\\])/g, '$&')",
    detectedBy: ['test/client/query.test.ts'],
  },
  {
    name: 'long-idempotency-keys',
    description: 'an idempotency key may have one character more than the documented limit',
    file: 'functions/http/idempotency-key.ts',
    search: '[ -~]{0,253}',
    replacement: '[ -~]{0,254}',
    detectedBy: ['test/security/contents-and-amounts.test.ts'],
    testNamePattern: 'the number of',
  },
  {
    name: 'long-links',
    description: 'links that repeat a long query exceed the headers that API Gateway allows',
    file: 'functions/http/page-links.ts',
    search: 'queryBytes > maxLinkQueryBytes ||',
    replacement: 'queryBytes > 4 * maxLinkQueryBytes ||',
    detectedBy: ['test/contract/bounds.test.ts'],
    testNamePattern: 'Link header',
  },
  {
    name: 'texts-of-users-as-pages',
    description: 'a browser may interpret the text of a user as a page',
    file: 'functions/http/response-headers.ts',
    search: "'x-content-type-options': 'nosniff',",
    replacement: "'x-content-type-options': 'sniff',",
    detectedBy: ['test/security/exposure.test.ts'],
  },
  {
    name: 'weak-tags-differ',
    description: 'a proxy that weakens entity tags makes every conditional read a full response',
    file: 'functions/http/conditional-requests.ts',
    search: 'one === `W/',
    replacement: 'one === `w/',
    detectedBy: ['test/contract/caching-and-concurrency.test.ts'],
  },
];
