import { type Contract, scopeOf } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { referencesOf } from '#functions/engine/model/relations.ts';
import { routes } from '#functions/routes.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';
import { audience, startIssuer } from '../support/issuer.ts';

/**
 * The service with tokens and two tenants, for tests of the OWASP API Security Top 10 over the table of routes.
 * @see https://owasp.org/API-Security/editions/2023/en/0x11-t10/
 */

/** The ids of related entities by kind, one of each. */
type Ids = Readonly<Record<string, string>>;

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown> | undefined;
}

export interface Sent {
  readonly token?: string | undefined;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

type TwoTenants = Awaited<ReturnType<typeof startTwoTenants>>;

export const contracts: readonly Contract[] = routes.map(({ contract }) => contract);
export const resources: readonly Resource[] = [
  ...new Set(contracts.flatMap(({ resource }) => resource ?? [])),
];
/** The operations that require a token. */
export const guarded = contracts.filter((contract) => scopeOf(contract) !== undefined);
export const writes = guarded.filter(({ method }) => method !== 'GET');
export const named = (some: readonly Contract[]) =>
  some.map((contract) => [contract.operation, contract] as const);
const allScopes = ['all-projects', ...new Set(guarded.map(scopeOf))].join(' ');
/** A valid id that no entity has. */
export const unknown = '0192f0c1-2d3e-7abc-8def-0123456789ab';

export const referring = ({ kind }: Resource, ids: Ids): Record<string, unknown> =>
  Object.fromEntries(
    referencesOf(kind).map(({ field, parent }) => {
      // Nothing is above the first entity of its kind.
      const id = ids[parent] ?? (parent === kind ? null : unknown);
      return [field, field.endsWith('Ids') ? [id] : id];
    }),
  );

/** Returns the path of an operation with the id of the kind in its first segment. */
export const pathWith = ({ path }: Contract, ids: Ids): string =>
  path.replace(
    '{id}',
    ids[resources.find(({ plural }) => path.startsWith(`/v1/${plural}/`))?.kind ?? ''] ?? unknown,
  );

/** Returns a body with these fields of an entity: in a batch, as its only operation. */
export const withFields = ({ success }: Contract, fields: object): object =>
  success === 'batch' ? { operations: [{ operation: 'create', body: fields }] } : fields;

export const bodyFor = (contract: Contract, ids: Ids): object | undefined => {
  const { body, resource } = contract;
  if (!body || !resource) return undefined;
  return body.optional ? {} : withFields(contract, { name: 'x', ...referring(resource, ids) });
};

/** The resources, each after those that it refers to. */
const inOrder = ['organization', 'user', 'project', 'tag', 'task'].map(
  (kind) => resources.find((resource) => resource.kind === kind) as Resource,
);

/** Starts the service before the tests of a file, and stops it after them. */
export function useTwoTenants(): TwoTenants {
  const tenants = {} as TwoTenants;
  beforeAll(async () => {
    Object.assign(tenants, await startTwoTenants());
  });
  afterAll(() => tenants.stop?.());
  return tenants;
}

async function startTwoTenants() {
  const issuer = await startIssuer();
  const service = await startFetchedService({
    authentication: { issuer: issuer.url, audience: [audience] },
    // As deployments do by default. The local gateway would refuse the writes of other origins.
    allowedOrigins: ['*'],
  });
  const tokens = new Map<string, Promise<string>>();
  // A signature takes as long as a request.
  /** Returns a token with all scopes. @param claims the claims to replace. */
  const as = (tenant: string, claims: object = {}): Promise<string> => {
    const all = { scope: allScopes, tenant, ...claims };
    const key = JSON.stringify(all, (_, value) => value ?? null);
    const token = tokens.get(key) ?? issuer.token(all);
    tokens.set(key, token);
    return token;
  };
  const send = async (
    method: string,
    path: string,
    { token, body, headers }: Sent = {},
  ): Promise<TestResponse> => {
    const content = typeof body === 'object' ? JSON.stringify(body) : body;
    const response = await service.fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : undefined;
    return { status: response.status, headers: response.headers, text, body: parsed };
  };
  /** Creates an entity. @returns the body of the response. */
  const make = async (token: string, { kind, plural }: Resource, more: object) => {
    const { status, body } = await send('POST', `/v1/${plural}`, { token, body: { name: 'x', ...more } });
    expect([kind, status]).toEqual([kind, 201]);
    return body ?? {};
  };
  const makeAll = async (token: string): Promise<Ids> => {
    const ids: Record<string, string> = {};
    for (const resource of inOrder) {
      ids[resource.kind] = String((await make(token, resource, referring(resource, ids)))['id']);
    }
    return ids;
  };
  const [victims, own] = await Promise.all([makeAll(await as('victim')), makeAll(await as('stranger'))]);
  return {
    service,
    issuer,
    /** The entities of the tenant "victim" and, as `own`, of the tenant "stranger". */
    victims,
    own,
    as,
    send,
    make,
    /** Returns all entities of the victim with their versions. */
    ofVictim: async () => {
      const token = await as('victim');
      const read = async ({ kind, plural }: Resource): Promise<string> => {
        const { headers, text } = await send('GET', `/v1/${plural}/${victims[kind]}`, { token });
        return `${headers.get('etag')} ${text}`;
      };
      return Promise.all(resources.map(read));
    },
    stop: async () => {
      try {
        await service.stop();
      } finally {
        // service.stop() throws if a response did not match the OpenAPI document.
        await issuer.stop();
      }
    },
  };
}
