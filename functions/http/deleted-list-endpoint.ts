import type * as define from '../contract/contract.ts';
import { deletedOf } from '../contract/resource.ts';
import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from './endpoint.ts';
import { readDeletedQuery } from './parse-list-query.ts';
import { renderList } from './render-list.ts';

export const deletedListEndpoint = (contract: ReturnType<typeof define.listDeleted>) =>
  endpoint(contract, ({ session, query }) => listDeleted(session, contract.resource.kind, query), {
    readQuery: (_, rawQueryString) => readDeletedQuery(deletedOf(contract.resource), rawQueryString),
    render: (rendering, page) =>
      renderList({ ...rendering, contract: { ...contract, resource: deletedOf(contract.resource) } }, page),
  });
