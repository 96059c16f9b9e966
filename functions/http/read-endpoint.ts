import type { read } from '../contract/contract.ts';
import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from './endpoint.ts';
import { readEntityView } from './parse-list-query.ts';
import { renderEntity } from './renderers.ts';

export const readEndpoint = (contract: ReturnType<typeof read>) =>
  endpoint(contract, ({ session, id }) => readEntity(session, contract.resource.kind, id), {
    readQuery: (_, rawQueryString) => ({ view: readEntityView(contract.resource, rawQueryString) }),
    render: renderEntity,
  });
