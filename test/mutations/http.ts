import { toMutations } from './mutation.ts';

/** Mutations of how requests are read, and of the headers of responses. */
export const httpMutations = toMutations({
  'functions/http/json-body.ts': {
    'bodies-one-byte-too-large': [
      'if (bytes <= maxBodyBytes) return;',
      'if (bytes <= maxBodyBytes + 1) return;',
    ],
    'compressed-bodies-read': ["if (body !== '') requireIdentity(", "if (body === '') requireIdentity("],
  },
  'functions/http/query-parameters.ts': {
    'one-parameter-more': ['if (all.length > maxParameters) {', 'if (all.length > maxParameters + 1) {'],
    'escapes-kept': ["replaceAll(/\\\\([,\\\\])/g, '$1')", "replaceAll(/\\\\([,\\\\])/g, '$&')"],
  },
  'functions/http/idempotency-key.ts': {
    'long-idempotency-keys': ['[ -~]{0,253}', '[ -~]{0,254}'],
  },
  'functions/documentation/read-documentation.ts': {
    'links-without-parameters': [
      '  const { files, contentSecurityPolicy } = await readSite();',
      "  if (event.rawQueryString) throw new Problem('not-found', '');\n  const { files, contentSecurityPolicy } = await readSite();",
    ],
    'compressed-for-everyone': [
      "const isCompressed = acceptsBrotli(requested['accept-encoding']);",
      'const isCompressed = true;',
    ],
  },
  'lib/site/limits.ts': {
    'documentation-at-any-cost': ['rate: 0.9', 'rate: 50'],
  },
  'lib/site/try-it.ts': {
    'deletions-of-a-batch-without-a-question': ["one?.operation === 'delete'", "one?.operation === 'remove'"],
  },
  'functions/http/page-links.ts': {
    'links-join-values': [
      'replaceAll(forbidden, encodeURIComponent)',
      "replaceAll(forbidden, encodeURIComponent).replaceAll(',', '%2C')",
    ],
    'long-links': ['queryBytes > maxLinkQueryBytes ||', 'queryBytes > 4 * maxLinkQueryBytes ||'],
  },
  'functions/http/response-headers.ts': {
    'texts-of-users-as-pages': ["'x-content-type-options': 'nosniff',", "'x-content-type-options': 'sniff',"],
  },
  'functions/http/conditional-requests.ts': {
    'weak-tags-differ': ['one === `W/', 'one === `w/'],
  },
  'functions/http/operands.ts': {
    'me-as-an-id': ["if (value === 'me')", "if (value === 'me ')"],
  },
  'functions/http/pipeline.ts': {
    'changed-events': ['handler({ ...event }, context)', 'handler(event, context)'],
  },
});
