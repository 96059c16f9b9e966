/** Applies the mutation of the variable MUTATION in programs that run without jest. Node.js loads this module first, with `NODE_OPTIONS`. */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { file, search, replacement } = JSON.parse(process.env.MUTATION);
const address = new URL(`../../${file}`, import.meta.url).href;

// Hooks run in a thread of their own. tsx registers its hooks later, so it compiles what this one returns.
if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (url.split('?')[0] !== address) return loaded;
  const text = Buffer.from(loaded.source).toString();
  return { ...loaded, source: text.replace(search, () => replacement) };
}
