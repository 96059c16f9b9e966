import { readOnlyFields } from '#functions/engine/model/entity.ts';
import { internalAttributes } from '#functions/engine/model/item-codec.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import { referring, resources, useTwoTenants } from './two-tenants.ts';

/** OWASP API risks 3 and 4: object property level authorization and resource consumption. */

const tenants = useTwoTenants();

// test/support/response-checker.ts checks in every suite that responses contain only declared fields.
describe.each(resources)('API3: $kind', (resource) => {
  const { kind, plural, fieldNames: fields } = resource;

  // test/contract/resources.test.ts covers read-only fields.
  test('rejects internal attributes', async () => {
    const token = await tenants.as('stranger');
    const body = { name: 'x', ...referring(resource, tenants.own) };
    const path = `/v1/${plural}/${(await tenants.make(token, resource, body))['id']}`;
    const internal = [...internalAttributes].filter(
      (name) => !['id', ...readOnlyFields, 'version'].includes(name),
    );
    for (const attribute of [...internal, 'tenant', 'owner', 'role', 'isAdmin', 'scope']) {
      const sent = { token, body: { ...body, [attribute]: 'x' } };
      for (const [method, target] of [
        ['POST', `/v1/${plural}`],
        ['PUT', path],
        ['PATCH', path],
      ] as const) {
        const { status, body: problem } = await tenants.send(method, target, sent);
        expect([attribute, status]).toEqual([attribute, 400]);
        expect(problem).toMatchObject({ errors: [{ pointer: `/${attribute}` }] });
      }
    }
  });

  test('does not return other attributes of the table', async () => {
    const token = await tenants.as('stranger');
    const { id } = await tenants.make(token, resource, referring(resource, tenants.own));
    // An attribute that an earlier version of the service could have written.
    await tenants.service.table.updateItem({
      TableName: tenants.service.table.tableName,
      Key: entityKey('@stranger', kind, String(id)),
      UpdateExpression: 'SET formerAttribute = :secret',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':secret': 'secret' },
    });
    const path = `/v1/${plural}/${id}`;
    const responses = [
      await tenants.send('GET', path, { token }),
      await tenants.send('PATCH', path, { token, body: { status: 'changed' } }),
      await tenants.send('PUT', path, { token, body: { name: 'y', ...referring(resource, tenants.own) } }),
      await tenants.send('GET', path, { token }),
    ];
    for (const { body } of responses) expect(Object.keys(body ?? {}).sort()).toEqual([...fields].sort());
    const list = await tenants.send('GET', `/v1/${plural}?name=y`, { token });
    const data = (list.body as { data: object[] }).data;
    expect(data.map((one) => Object.keys(one).sort())).toEqual([[...fields].sort()]);
  });
});

// test/contract/validation.test.ts and test/fuzz/openapi cover the bounds of fields, test/contract/batch/limits.test.ts those of batches,
// test/contract/hostile-input.test.ts parameters and nesting, and test/contract/errors.test.ts the bytes of a body.
test.each([
  [255, 201],
  [256, 400],
  [25_500, 400],
])('API4: the number of characters of an Idempotency-Key: %i is %i', async (number, status) => {
  const headers = { 'idempotency-key': 'k'.repeat(number) };
  const response = await tenants.send('POST', '/v1/tags', {
    token: await tenants.as('stranger'),
    body: { name: 'x' },
    headers,
  });
  expect(response.status).toBe(status);
});
