import { historyEndpoint } from '../http/history-endpoint.ts';
import { listUserHistory } from './contract.ts';

export const handler = historyEndpoint(listUserHistory);
