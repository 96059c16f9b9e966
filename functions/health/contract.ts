import { contract } from '../shared/contract/contract.ts';

export const checkHealth = contract({
  operation: 'checkHealth',
  method: 'GET',
  path: '/v1/health',
  summary: 'Says whether the service and its database answer.',
  success: 'health',
  access: { actions: ['GetItem'] },
});
