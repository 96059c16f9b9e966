import { historyEndpoint } from '../http/history-endpoint.ts';
import { listOrganizationHistory } from './contract.ts';

export const handler = historyEndpoint(listOrganizationHistory);
