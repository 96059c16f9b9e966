import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchTags } from './contract.ts';
import { tag } from './resource.ts';

export const handler = batchEndpoint(batchTags, tag);
