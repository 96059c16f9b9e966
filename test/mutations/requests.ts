import { toMutations } from './mutation.ts';

export const requestMutations = toMutations({
  'functions/http/caller.ts': {
    'first-of-two-tokens': ['/^[^.,]+\\.([^.,]+)\\.[^.,]+$/', '/^[^.,]+\\.([^.,]+)\\.[^.,]+/'],
    'tenant-of-the-query': [
      'const tenant = encodeTenant(tenantName);',
      'const tenant = encodeTenant(event.queryStringParameters?.[tenantClaim] ?? tenantName);',
    ],
    'tenant-of-a-header': [
      'const tenant = encodeTenant(tenantName);',
      "const tenant = encodeTenant(event.headers['x-tenant'] ?? tenantName);",
    ],
    'claims-taken-as-text': [
      "return typeof value === 'string' && value !== '' && isVerified ? value : undefined;",
      "return isVerified || value !== '' ? String(authorized[name] ?? '') : undefined;",
    ],
    'no-claim-means-public': [
      '(tenantClaim === undefined && authorizer === undefined)',
      'tenantClaim === undefined',
    ],
  },
  'lib/local/database-copy.ts': {
    'copies-of-neighbours': ["'-journal', '.dynamodb-local']", "'-journal', '.dynamodb-local', '-backup']"],
  },
  'functions/http/idempotency-key.ts': {
    'key-of-the-tenant': ['JSON.stringify([owner, operation, key])', 'JSON.stringify([operation, key])'],
  },
  'functions/http/write-endpoint.ts': {
    'clone-with-one-scope': [
      'if (additionalScope?.isNeeded(body)) ',
      'if (additionalScope?.isNeeded(body) === undefined && additionalScope) ',
    ],
    'if-match-read-by-all': [
      'isConditionalWrite(contract) ?',
      'isConditionalWrite(contract) || contract.operation ?',
    ],
  },
  'functions/http/endpoint.ts': {
    'expand-without-scope': [
      'for (const { target } of view.expansions) requireScope(',
      "for (const { target } of view.expansions) if (target.kind === 'tag') requireScope(",
    ],
  },
  'functions/http/conditional-requests.ts': {
    'any-number-of-tags': [
      'if (tags.length > maxEntityTags) {',
      'if (tags.length > maxEntityTags * maxEntityTags) {',
    ],
  },
  'functions/contract/fields.ts': {
    'pattern-before-length': [
      'const isTooLong = value.length > 2 * maximum ||',
      'const isTooLong = (rules.some(({ holds }) => !holds(value)) && false) ||',
    ],
    'unbounded-text': [
      'const isTooLong = value.length > 2 * maximum || [...value].length > maximum;',
      'const isTooLong = [...value].length > 2 ** 18 + maximum;',
    ],
  },
  'functions/engine/model/keys.ts': {
    'keys-without-tenant': [
      'entityKey = (tenant: string, kind: Kind, id: string): Key',
      "entityKey = (_: string, kind: Kind, id: string, tenant = 'all'): Key",
    ],
  },
  'functions/contract/contract.ts': {
    'scope-of-reading-for-writing': [
      "method === 'GET' ? 'read' : 'write'",
      "method === 'GET' ? 'read' : 'read'",
    ],
  },
  'lib/local/authorizer.ts': {
    'expired-tokens-accepted': [
      "requiredClaims: ['exp'],",
      "requiredClaims: ['exp'],\n      currentDate: new Date(0),",
    ],
    'any-audience-accepted': [
      'if (!hasAudience(audience, payload)) throw',
      'if (!hasAudience(audience, payload) && audience.length === 0) throw',
    ],
    'signature-not-checked': [
      "const { payload, protectedHeader } = await jwtVerify(token, await this.#issuerKeys(), {\n      issuer,\n      algorithms,\n      requiredClaims: ['exp'],\n    });",
      "if (!issuer || !algorithms) await jwtVerify(token, await this.#issuerKeys());\n    const read = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString());\n    const [head = '', claims = ''] = token.split('.');\n    const protectedHeader = read(head) as { kid?: string };\n    const payload = read(claims) as JWTPayload;",
    ],
  },
  'functions/http/parse-list-query.ts': {
    'limit-not-capped': [
      "Math.min(wholeNumber('limit', parameters, fallback), most)",
      "Math.max(wholeNumber('limit', parameters, fallback), 0 * most)",
    ],
    'sort-by-anything': [
      "readNames('sortBy', parameters, sortable, explain)",
      "parameters.get('sortBy')?.[0]?.split(',')",
    ],
  },
  'functions/http/validation.ts': {
    'infinity-quoted-as-null': ['Number.isFinite(input)', "typeof input === 'number'"],
    'prototype-accepted': [
      'if (reason === undefined && known.has(name)) continue;',
      "if ((reason === undefined && known.has(name)) || name === '__proto__') continue;",
    ],
  },
  'functions/http/operands.ts': {
    'offset-ignored': ["(sign === '-' ? -60_000 : 60_000)", "(sign === '-' ? -0 : 0)"],
  },
  'functions/http/render-page.ts': {
    'page-of-any-size': ['if (bytes > maxPageBytes) throw tooLarge();', ''],
  },
  'functions/authentication/claim-tenant.ts': {
    'roles-of-programs': ["if (triggerSource === 'TokenGeneration_ClientCredentials') return [];", ''],
  },
  'functions/users/read-signed-in-user.ts': {
    'user-without-scope': ["hasScope(caller, 'users:read')", "hasScope(caller, 'users:read') !== undefined"],
  },
});
