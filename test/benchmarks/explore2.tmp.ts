import { startTestStore } from '../local-store.ts';
import { Collection } from './collection.ts';

const store = await startTestStore();
const c = new Collection(store);
for (const n of [480, 960, 1920, 3840]) {
  const t = performance.now();
  const before = c.size;
  await c.growTo(n, () => {});
  console.log(n, ((performance.now() - t) / (n - before)).toFixed(2), 'ms per entity');
}
await store.stop();
