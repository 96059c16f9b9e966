/** The whole service with the engine inside, as `npm start` starts it, but for the stream: see `stopStream`. */
import { inMemory } from '../lib/local/engine.ts';
import { startService } from '../lib/local/service.ts';
import { stopStream } from '../test/support/local-store.ts';

const given = process.env['DYNAMODB_ENDPOINT'];
const service = await startService({ port: 0, databaseFile: inMemory, endpoint: given });
await stopStream(service.endpoint, service.tableName);
process.on('SIGINT', () => void service.stop());
console.log(`listening on ${service.url}`);
