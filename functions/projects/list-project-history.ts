import { historyEndpoint } from '../http/history-endpoint.ts';
import { listProjectHistory } from './contract.ts';

export const handler = historyEndpoint(listProjectHistory);
