import { contract } from '../contract/contract.ts';

export const checkHealth = contract({
  operation: 'checkHealth',
  method: 'GET',
  path: '/v1/health',
  summary: 'Check that the service and its database are available',
  success: 'health',
});
