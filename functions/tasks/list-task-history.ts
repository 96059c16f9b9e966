import { historyEndpoint } from '../http/history-endpoint.ts';
import { listTaskHistory } from './contract.ts';

export const handler = historyEndpoint(listTaskHistory);
