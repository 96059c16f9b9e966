import { historyEndpoint } from '../http/history-endpoint.ts';
import { listTagHistory } from './contract.ts';

export const handler = historyEndpoint(listTagHistory);
