/** The service with an embedded engine, as `npm start` starts it. */
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { startService } from '../lib/local/service.ts';

const endpoint = process.env['DYNAMODB_ENDPOINT'];
const service = await startService({ port: 0, databaseFile: inMemory, endpoint });
process.on('SIGINT', () => void service.stop());
console.log(`listening on ${service.url}`);
