import type { PlantedFault } from './planted-fault.ts';

const authorizer = 'lib/local/authorizer.ts';
const tenant = 'functions/shared/http/tenant.ts';
const listQuery = 'functions/shared/http/list-query.ts';
const authentication = 'test/lib/local/authentication.test.ts';

/** Mistakes in who is let through, and with what. */
export const requestFaults: readonly PlantedFault[] = [
  {
    name: 'tenant-of-the-query',
    what: 'the tenant is what the query says, before what the token says',
    file: tenant,
    search:
      'export function tenantOf({ requestContext }: PipelineEvent, needsToken: boolean): string {\n  const name = environment.tenantClaim();\n  if (name === undefined || !needsToken) return publicTenant;\n  const claims = requestContext.authorizer?.jwt?.claims ?? {};',
    replacement:
      'export function tenantOf({ requestContext, queryStringParameters }: PipelineEvent, needsToken: boolean): string {\n  const name = environment.tenantClaim();\n  if (name === undefined || !needsToken) return publicTenant;\n  const claims: Record<string, unknown> = { ...requestContext.authorizer?.jwt?.claims, ...queryStringParameters };',
    caughtBy: ['test/owasp/authorization.test.ts'],
    named: 'API1',
  },
  {
    name: 'tenant-of-a-header',
    what: 'the tenant is what a header says, before what the token says',
    file: tenant,
    search:
      'export function tenantOf({ requestContext }: PipelineEvent, needsToken: boolean): string {\n  const name = environment.tenantClaim();\n  if (name === undefined || !needsToken) return publicTenant;\n  const claims = requestContext.authorizer?.jwt?.claims ?? {};',
    replacement:
      "export function tenantOf({ requestContext, headers }: PipelineEvent, needsToken: boolean): string {\n  const name = environment.tenantClaim();\n  if (name === undefined || !needsToken) return publicTenant;\n  const claims = { ...requestContext.authorizer?.jwt?.claims, ...(headers['x-tenant'] && { [name]: headers['x-tenant'] }) };",
    caughtBy: ['test/owasp/authorization.test.ts'],
    named: 'API1',
  },
  {
    name: 'keys-without-tenant',
    what: 'an entity is found by its id alone, whoever it belongs to',
    file: 'functions/shared/store/entities.ts',
    search: 'entityKey = (tenant: string, kind: Kind, id: string): Key',
    replacement: "entityKey = (_: string, kind: Kind, id: string, tenant = 'all'): Key",
    caughtBy: [authentication],
    named: 'tenants',
  },
  {
    name: 'scope-of-reading-for-writing',
    what: 'who may read may write',
    file: 'functions/shared/contract/contract.ts',
    search: "method === 'GET' ? 'read' : 'write'",
    replacement: "method === 'GET' ? 'read' : 'read'",
    caughtBy: ['test/owasp/authorization.test.ts'],
    named: 'API5',
  },
  {
    name: 'expired-tokens-taken',
    what: 'the time at which a token ends is not looked at',
    file: authorizer,
    search: "requiredClaims: ['exp'],",
    replacement: "requiredClaims: ['exp'],\n      currentDate: new Date(0),",
    caughtBy: [authentication],
    named: 'a time that is over',
  },
  {
    name: 'any-audience-taken',
    what: 'tokens for other services of the same issuer are taken',
    file: authorizer,
    search: 'if (!isFor(audience, payload)) throw',
    replacement: 'if (!isFor(audience, payload) && audience.length === 0) throw',
    caughtBy: [authentication],
    named: 'another audience',
  },
  {
    name: 'signature-not-checked',
    what: 'what a token says is believed, whoever signed it',
    file: authorizer,
    search:
      "const { payload, protectedHeader } = await jwtVerify(token, await this.#issuerKeys(), {\n      issuer,\n      algorithms,\n      requiredClaims: ['exp'],\n    });",
    replacement:
      "if (!issuer || !algorithms) await jwtVerify(token, await this.#issuerKeys());\n    const read = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString());\n    const [head = '', claims = ''] = token.split('.');\n    const protectedHeader = read(head) as { kid?: string };\n    const payload = read(claims) as JWTPayload;",
    caughtBy: [authentication],
    named: 'claims that were changed|a key that the issuer does not have',
  },
  {
    name: 'unbounded-text',
    what: 'a text may be as long as the body',
    file: 'functions/shared/contract/fields.ts',
    search: 'v.check((value) => codePoints(value) <= maximum, `must',
    replacement: 'v.check((value) => codePoints(value) >= 0, `must',
    caughtBy: ['test/owasp/contents-and-amounts.test.ts'],
    named: 'API4.* createTag',
  },
  {
    name: 'limit-not-capped',
    what: 'a page may be as long as the caller wants it',
    file: listQuery,
    search: 'limit: Math.min(limit, largestLimit)',
    replacement: 'limit: Math.max(limit, 1)',
    caughtBy: ['test/contract/lists.test.ts'],
    named: 'limit is 20 by default',
  },
  {
    name: 'sort-by-anything',
    what: 'any name that a caller sends reaches an expression',
    file: listQuery,
    search: "oneOf('sortBy', values.get('sortBy'), resource.sorts, 'createdAt', faults)",
    replacement: "values.get('sortBy') ?? 'createdAt'",
    caughtBy: ['test/contract/hostile-input.test.ts'],
    named: 'as sortBy',
  },
  {
    name: 'protected-members-settable',
    what: 'a caller chooses the id, and the time of creation',
    file: 'functions/shared/contract/resource.ts',
    search: 'v.object(fields) as unknown as v.GenericSchema<unknown, Fields>',
    replacement: 'v.looseObject(fields) as unknown as v.GenericSchema<unknown, Fields>',
    caughtBy: ['test/contract/hostile-input.test.ts'],
    named: 'cannot set what is protected',
  },
  {
    name: 'prototype-let-through',
    what: 'a member named __proto__ is taken without a word',
    file: 'functions/shared/http/validation.ts',
    search: '.filter((name) => !members.includes(name))',
    replacement: ".filter((name) => !members.includes(name) && name !== '__proto__')",
    caughtBy: ['test/contract/hostile-input.test.ts'],
    named: '__proto__" is refused with 400 and changes nothing',
  },
];
