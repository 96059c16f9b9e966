import { contract } from '../contract/contract.ts';

export const readLive = contract({
  operation: 'readLive',
  method: 'GET',
  path: '/v1/live',
  summary: 'Read where changes are announced',
  success: 'live',
  takesAnyScope: true,
});
