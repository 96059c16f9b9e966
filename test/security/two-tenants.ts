import { routes } from '../../functions/routes.ts';
import { type Contract, scopeOf } from '../../functions/shared/contract/contract.ts';
import type { Resource } from '../../functions/shared/contract/resource.ts';
import { referencesOf } from '../../functions/shared/store/model/relations.ts';
import type { Service } from '../../lib/local/service.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';

/**
 * The service with tokens and two tenants, for tests of OWASP's ten risks of APIs over the table of routes.
 * @see https://owasp.org/API-Security/editions/2023/en/0x11-t10/
 */

/** One entity of each kind, which refer to each other: their ids by kind. */
export type Ids = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown> | undefined;
}

export interface Sent {
  readonly token?: string | undefined;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TwoTenants {
  readonly service: Service;
  readonly issuer: Issuer;
  /** Entities of the tenant "victim", and of the tenant "stranger". */
  readonly victims: Ids;
  readonly own: Ids;
  /** A token with all scopes. @param claims other than usual. */
  as(tenant: string, claims?: object): Promise<string>;
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Makes an entity. @returns what is answered. */
  make(token: string, resource: Resource, more: object): Promise<Record<string, unknown>>;
  /** All that the victim has, with its versions. */
  ofVictim(): Promise<string[]>;
  stop(): Promise<void>;
}

export const contracts: readonly Contract[] = routes.map(({ contract }) => contract);
export const resources: readonly Resource[] = [
  ...new Set(contracts.flatMap(({ resource }) => resource ?? [])),
];
/** What needs a token. */
export const guarded = contracts.filter((contract) => scopeOf(contract) !== undefined);
export const writes = guarded.filter(({ method }) => method !== 'GET');
/** For `test.each`. */
export const named = (some: readonly Contract[]) =>
  some.map((contract) => [contract.operation, contract] as const);
const allScopes = [...new Set(guarded.map(scopeOf))].join(' ');
/** What could be an id, and is nobody's. */
export const unknown = '0192f0c1-2d3e-7abc-8def-0123456789ab';

/** What entities of a kind refer to, when there is one of each. */
export const referring = ({ kind }: Resource, ids: Ids): Record<string, unknown> =>
  Object.fromEntries(
    referencesOf(kind).map(({ field, parent }) => {
      const id = ids[parent] ?? unknown;
      return [field, field.endsWith('Ids') ? [id] : id];
    }),
  );

/** An operation's path, with an id of the kind that its first segment names. */
export const pathWith = ({ path, files }: Contract, ids: Ids): string =>
  path
    .replace(
      '{id}',
      ids[resources.find(({ plural }) => path.startsWith(`/v1/${plural}/`))?.kind ?? ''] ?? unknown,
    )
    .replace('{file}', files?.[0] ?? '');

/** A body that an operation takes, if it takes one. */
export const bodyFor = ({ body, resource }: Contract, ids: Ids): object | undefined =>
  body && resource && (body.optional ? {} : { name: 'x', ...referring(resource, ids) });

async function sendTo(
  url: string,
  method: string,
  path: string,
  { token, body, headers }: Sent,
): Promise<Answer> {
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  });
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : undefined,
  };
}

/** In the order in which they refer to each other. */
const inOrder = ['organization', 'project', 'user', 'tag', 'task'].map(
  (kind) => resources.find((resource) => resource.kind === kind) as Resource,
);

export async function startTwoTenants(): Promise<TwoTenants> {
  const issuer = await startIssuer();
  const service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
  const as: TwoTenants['as'] = (tenant, claims = {}) => issuer.token({ scope: allScopes, tenant, ...claims });
  const send: TwoTenants['send'] = (method, path, sent = {}) => sendTo(service.url, method, path, sent);
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
        // Stopping the service checks all that it answered, and may fail.
        await issuer.stop();
      }
    },
  };
}
