import { batchEndpoint } from '../shared/http/batch-endpoint.ts';
import { batchTags } from './contract.ts';
import { tag } from './resource.ts';

export const handler = batchEndpoint(batchTags, tag);
