import { toMutations } from './mutation.ts';

/** Mutations of how requests are read, and of the headers of responses. */
export const httpMutations = toMutations({
  'functions/http/json-body.ts': {
    'bodies-one-byte-too-large': [
      'a body may have one byte more than the documented limit',
      'if (bytes <= maxBodyBytes) return;',
      'if (bytes <= maxBodyBytes + 1) return;',
    ],
    'compressed-bodies-read': [
      'the size of a compressed body is that of its compressed bytes',
      "if (body !== '') requireIdentity(",
      "if (body === '') requireIdentity(",
    ],
  },
  'functions/http/query-parameters.ts': {
    'one-parameter-more': [
      'a query may have one parameter more than the documented limit',
      'if (all.length > maxParameters) {',
      'if (all.length > maxParameters + 1) {',
    ],
    'escapes-kept': [
      'a comma that a backslash protects keeps the backslash',
      "replaceAll(/\\\\([,\\\\])/g, '$1')",
      "replaceAll(/\\\\([,\\\\])/g, '$&')",
    ],
  },
  'functions/http/idempotency-key.ts': {
    'long-idempotency-keys': [
      'an idempotency key may have one character more than the documented limit',
      '[ -~]{0,253}',
      '[ -~]{0,254}',
    ],
  },
  'functions/documentation/read-documentation.ts': {
    'links-without-parameters': [
      'a link to the documentation to which a network has added a parameter is refused',
      '  const { files, contentSecurityPolicy } = await readSite();',
      "  if (event.rawQueryString) throw new Problem('not-found', '');\n  const { files, contentSecurityPolicy } = await readSite();",
    ],
    'compressed-for-everyone': [
      'a client that accepts no compression gets documentation that it cannot read',
      "const isCompressed = acceptsBrotli(requested['accept-encoding']);",
      'const isCompressed = true;',
    ],
  },
  'lib/site/limits.ts': {
    'documentation-at-any-cost': [
      'requests without a token for the documentation cost thousands of dollars a month',
      'rate: 0.9',
      'rate: 50',
    ],
  },
  'lib/site/try-it.ts': {
    'deletions-of-a-batch-without-a-question': [
      'the form of a batch deletes entities of a reader without a question',
      "one?.operation === 'delete'",
      "one?.operation === 'remove'",
    ],
  },
  'functions/http/page-links.ts': {
    'links-join-values': [
      'a link encodes the commas that separate values',
      'replaceAll(forbidden, encodeURIComponent)',
      "replaceAll(forbidden, encodeURIComponent).replaceAll(',', '%2C')",
    ],
    'long-links': [
      'links that repeat a long query exceed the headers that API Gateway allows',
      'queryBytes > maxLinkQueryBytes ||',
      'queryBytes > 4 * maxLinkQueryBytes ||',
    ],
  },
  'functions/http/response-headers.ts': {
    'texts-of-users-as-pages': [
      'a browser may interpret the text of a user as a page',
      "'x-content-type-options': 'nosniff',",
      "'x-content-type-options': 'sniff',",
    ],
  },
  'functions/http/conditional-requests.ts': {
    'weak-tags-differ': [
      'a proxy that weakens entity tags makes every conditional read a full response',
      'one === `W/',
      'one === `w/',
    ],
  },
});
