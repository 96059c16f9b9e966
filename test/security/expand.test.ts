import { referencesOf } from '#functions/store/model/relations.ts';
import { contracts, type Ids, pathWith, resources, startTwoTenants, type TwoTenants } from './two-tenants.ts';

/** `expand` shows entities of other kinds: the token needs the read scope of each of them. */

let tenants: TwoTenants;
let own: Ids;

beforeAll(async () => {
  tenants = await startTwoTenants();
  own = tenants.own;
});

afterAll(() => tenants?.stop());

const pluralOf = (kind: string): string => resources.find((resource) => resource.kind === kind)?.plural ?? '';

/** Every list and single read, with each reference of its kind. */
const reads = contracts.flatMap((contract) => {
  const { resource, success, operation } = contract;
  if (!resource || (success !== 'list' && success !== 'entity') || contract.method !== 'GET') return [];
  return referencesOf(resource.kind).map(({ field, parent }) => ({
    contract,
    operation,
    expand: field.replace(/Ids$/, 's').replace(/Id$/, ''),
    ownScope: `${resource.plural}:read`,
    neededScope: `${pluralOf(parent)}:read`,
  }));
});

const send = async (path: string, scope: string, method = 'GET') =>
  tenants.send(method, path, { token: await tenants.as('stranger', { scope }) });

describe.each(reads)('$operation with expand=$expand', ({ contract, expand, ownScope, neededScope }) => {
  const path = (): string => `${pathWith(contract, own)}?expand=${expand}`;

  test('returns 403 with the scope that the token lacks', async () => {
    const others = resources
      .flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`])
      .filter((scope) => scope !== neededScope);
    for (const scope of [ownScope, others.join(' ')]) {
      const { status, body, headers } = await send(path(), scope);
      expect([scope, status]).toEqual([scope, 403]);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(JSON.stringify(body)).toContain(neededScope);
      expect((await send(path(), scope, 'HEAD')).status).toBe(403);
    }
  });

  test('returns 200 with both scopes, and without expand for its own scope', async () => {
    expect((await send(path(), `${ownScope} ${neededScope}`)).status).toBe(200);
    expect((await send(pathWith(contract, own), ownScope)).status).toBe(200);
  });
});

test('expand shows no entity of another tenant', async () => {
  for (const { contract, expand } of reads) {
    const token = await tenants.as('stranger');
    const victim = `${pathWith(contract, tenants.victims)}?expand=${expand}`;
    const { status, text } = await tenants.send('GET', victim, { token });
    expect([victim, status]).toEqual([victim, contract.success === 'entity' ? 404 : 200]);
    const shown = Object.values(tenants.victims).filter((id) => !victim.includes(id) && text.includes(id));
    expect([victim, shown]).toEqual([victim, []]);
  }
});
