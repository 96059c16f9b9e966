import { toMutations } from './mutation.ts';

export const requestMutations = toMutations({
  'functions/http/caller.ts': {
    'first-of-two-tokens': [
      'of two tokens, the first one counts, whichever the gateway has verified',
      '/^[^.,]+\\.([^.,]+)\\.[^.,]+$/',
      '/^[^.,]+\\.([^.,]+)\\.[^.,]+/',
    ],
    'tenant-of-the-query': [
      'a query parameter overrides the tenant of the token',
      'const tenant = encodeTenant(tenantName);',
      'const tenant = encodeTenant(event.queryStringParameters?.[tenantClaim] ?? tenantName);',
    ],
    'tenant-of-a-header': [
      'a header overrides the tenant of the token',
      'const tenant = encodeTenant(tenantName);',
      "const tenant = encodeTenant(event.headers['x-tenant'] ?? tenantName);",
    ],
    'claims-taken-as-text': [
      'a tenant claim that is null, a number or an object names a tenant',
      "return typeof value === 'string' && value !== '' && isVerified ? value : undefined;",
      "return isVerified || value !== '' ? String(authorized[name] ?? '') : undefined;",
    ],
    'no-claim-means-public': [
      'a function without a configured tenant claim serves all callers as one tenant',
      '(tenantClaim === undefined && authorizer === undefined)',
      'tenantClaim === undefined',
    ],
  },
  'lib/local/database-copy.ts': {
    'copies-of-neighbours': [
      'a copy of a data file has the files whose names begin with its name',
      "'-journal', '.dynamodb-local']",
      "'-journal', '.dynamodb-local', '-backup']",
    ],
  },
  'functions/http/idempotency-key.ts': {
    'key-of-the-tenant': [
      'an idempotency key belongs to the tenant, so that its users get the responses of each other',
      'JSON.stringify([owner, operation, key])',
      'JSON.stringify([operation, key])',
    ],
  },
  'functions/http/endpoint.ts': {
    'clone-with-one-scope': [
      'a token with projects:write alone can create tasks',
      'if (additionalScope?.isNeeded(body)) ',
      'if (additionalScope?.isNeeded(body) === undefined && additionalScope) ',
    ],
    'if-match-read-by-all': [
      'every operation validates If-Match, also those that do not use it',
      'isConditionalWrite(contract) ?',
      'isConditionalWrite(contract) || contract.operation ?',
    ],
    'expand-without-scope': [
      'a token for tasks reads the projects that they refer to',
      'for (const { target } of view.expansions) requireScope(',
      "for (const { target } of view.expansions) if (target.kind === 'tag') requireScope(",
    ],
  },
  'functions/http/conditional-requests.ts': {
    'any-number-of-tags': [
      'If-Match may list any number of entity tags',
      'if (tags.length > maxEntityTags) {',
      'if (tags.length > maxEntityTags * maxEntityTags) {',
    ],
  },
  'functions/contract/fields.ts': {
    'pattern-before-length': [
      'patterns read texts of any length',
      'const isTooLong = value.length > 2 * maximum ||',
      'const isTooLong = (rules.some(({ holds }) => !holds(value)) && false) ||',
    ],
    'unbounded-text': [
      'a text may be as long as the body',
      'const isTooLong = value.length > 2 * maximum || codePoints(value) > maximum;',
      'const isTooLong = codePoints(value) > 2 ** 18 + maximum;',
    ],
  },
  'functions/engine/model/keys.ts': {
    'keys-without-tenant': [
      'an entity is found by its id without the tenant',
      'entityKey = (tenant: string, kind: Kind, id: string): Key',
      "entityKey = (_: string, kind: Kind, id: string, tenant = 'all'): Key",
    ],
  },
  'functions/contract/contract.ts': {
    'scope-of-reading-for-writing': [
      'scopes for reading allow writes',
      "method === 'GET' ? 'read' : 'write'",
      "method === 'GET' ? 'read' : 'read'",
    ],
  },
  'lib/local/authorizer.ts': {
    'expired-tokens-accepted': [
      'the expiration time of a token is not checked',
      "requiredClaims: ['exp'],",
      "requiredClaims: ['exp'],\n      currentDate: new Date(0),",
    ],
    'any-audience-accepted': [
      'tokens for other services of the same issuer are accepted',
      'if (!hasAudience(audience, payload)) throw',
      'if (!hasAudience(audience, payload) && audience.length === 0) throw',
    ],
    'signature-not-checked': [
      'the signature of a token is not verified',
      "const { payload, protectedHeader } = await jwtVerify(token, await this.#issuerKeys(), {\n      issuer,\n      algorithms,\n      requiredClaims: ['exp'],\n    });",
      "if (!issuer || !algorithms) await jwtVerify(token, await this.#issuerKeys());\n    const read = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString());\n    const [head = '', claims = ''] = token.split('.');\n    const protectedHeader = read(head) as { kid?: string };\n    const payload = read(claims) as JWTPayload;",
    ],
  },
  'functions/http/parse-list-query.ts': {
    'limit-not-capped': [
      'the limit of a page has no maximum',
      "Math.min(wholeNumber('limit', parameters, fallback), maxLimit)",
      "wholeNumber('limit', parameters, fallback)",
    ],
    'sort-by-anything': [
      'sortBy accepts any name',
      "readNames('sortBy', parameters, sortable, explain)",
      "parameters.get('sortBy')?.[0]?.split(',')",
    ],
  },
  'functions/http/validation.ts': {
    'infinity-quoted-as-null': [
      'a number that is too large is said to be null',
      'Number.isFinite(input)',
      "typeof input === 'number'",
    ],
    'prototype-accepted': [
      'a field named __proto__ is accepted',
      'if (reason === undefined && known.has(name)) continue;',
      "if ((reason === undefined && known.has(name)) || name === '__proto__') continue;",
    ],
  },
  'functions/http/operands.ts': {
    'offset-ignored': [
      'times in operators are compared without their offset',
      "(sign === '-' ? -60_000 : 60_000)",
      "(sign === '-' ? -0 : 0)",
    ],
  },
  'functions/http/render-page.ts': {
    'page-of-any-size': [
      'a page may be larger than a function can return',
      'if (bytes > maxPageBytes) throw tooLarge();',
      '',
    ],
  },
  'functions/authentication/claim-tenant.ts': {
    'roles-of-programs': [
      'a program has no scopes where users need a role',
      "if (triggerSource === 'TokenGeneration_ClientCredentials') return [];",
      '',
    ],
  },
  'functions/users/read-signed-in-user.ts': {
    'user-without-scope': [
      'the signed-in user is shown to a token that may not read users',
      "hasScope(caller, 'users:read')",
      "hasScope(caller, 'users:read') !== undefined",
    ],
  },
});
