import { type Contract, scopeOf } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { routes } from '#functions/routes.ts';
import { referencesOf } from '#functions/store/model/relations.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';

/**
 * The service with tokens and two tenants, for tests of the OWASP API Security Top 10 over the table of routes.
 * @see https://owasp.org/API-Security/editions/2023/en/0x11-t10/
 */

/** The ids of related entities by kind, one of each. */
export type Ids = Readonly<Record<string, string>>;

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

export interface TwoTenants {
  readonly service: InProcessService;
  readonly issuer: Issuer;
  /** The entities of the tenant "victim" and, as `own`, of the tenant "stranger". */
  readonly victims: Ids;
  readonly own: Ids;
  /** Returns a token with all scopes. @param claims the claims to replace. */
  as(tenant: string, claims?: object): Promise<string>;
  send(method: string, path: string, sent?: Sent): Promise<TestResponse>;
  /** Creates an entity. @returns the body of the response. */
  make(token: string, resource: Resource, more: object): Promise<Record<string, unknown>>;
  /** Returns all entities of the victim with their versions. */
  ofVictim(): Promise<string[]>;
  stop(): Promise<void>;
}

export const contracts: readonly Contract[] = routes.map(({ contract }) => contract);
export const resources: readonly Resource[] = [
  ...new Set(contracts.flatMap(({ resource }) => resource ?? [])),
];
/** The operations that require a token. */
export const guarded = contracts.filter((contract) => scopeOf(contract) !== undefined);
export const writes = guarded.filter(({ method }) => method !== 'GET');
export const named = (some: readonly Contract[]) =>
  some.map((contract) => [contract.operation, contract] as const);
const allScopes = [...new Set(guarded.map(scopeOf))].join(' ');
/** A valid id that no entity has. */
export const unknown = '0192f0c1-2d3e-7abc-8def-0123456789ab';

export const referring = ({ kind }: Resource, ids: Ids): Record<string, unknown> =>
  Object.fromEntries(
    referencesOf(kind).map(({ field, parent }) => {
      const id = ids[parent] ?? unknown;
      return [field, field.endsWith('Ids') ? [id] : id];
    }),
  );

/** Returns the path of an operation with the id of the kind in its first segment. */
export const pathWith = ({ path, files }: Contract, ids: Ids): string =>
  path
    .replace(
      '{id}',
      ids[resources.find(({ plural }) => path.startsWith(`/v1/${plural}/`))?.kind ?? ''] ?? unknown,
    )
    .replace('{file}', files?.[0] ?? '');

/** Returns a body with these fields of an entity: in a batch, as its only operation. */
export const withFields = ({ success }: Contract, fields: object): object =>
  success === 'batch' ? { operations: [{ operation: 'create', body: fields }] } : fields;

export const bodyFor = (contract: Contract, ids: Ids): object | undefined => {
  const { body, resource } = contract;
  if (!body || !resource) return undefined;
  return body.optional ? {} : withFields(contract, { name: 'x', ...referring(resource, ids) });
};

async function sendTo(
  { url, fetch }: { readonly url: string; readonly fetch: typeof globalThis.fetch },
  method: string,
  path: string,
  { token, body, headers }: Sent,
): Promise<TestResponse> {
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await fetch(url + path, {
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
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : undefined,
  };
}

/** The resources, each after those that it refers to. */
const inOrder = ['organization', 'project', 'user', 'tag', 'task'].map(
  (kind) => resources.find((resource) => resource.kind === kind) as Resource,
);

export async function startTwoTenants(): Promise<TwoTenants> {
  const issuer = await startIssuer();
  const service = await startFetchedService({
    authentication: { issuer: issuer.url, audience: [audience] },
    // As deployments do by default. The local gateway would refuse the writes of other origins.
    allowedOrigins: ['*'],
  });
  const tokens = new Map<string, Promise<string>>();
  // A signature takes as long as a request.
  const as: TwoTenants['as'] = (tenant, claims = {}) => {
    const all = { scope: allScopes, tenant, ...claims };
    const key = JSON.stringify(all, (_, value) => value ?? null);
    const token = tokens.get(key) ?? issuer.token(all);
    tokens.set(key, token);
    return token;
  };
  const send: TwoTenants['send'] = (method, path, sent = {}) => sendTo(service, method, path, sent);
  const make: TwoTenants['make'] = async (token, { kind, plural }, more) => {
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
    victims,
    own,
    as,
    send,
    make,
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
