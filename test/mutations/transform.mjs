/** A jest transformer that applies the mutation of a run to its file, before swc compiles it. All other files come from jest's cache. */
import { join } from 'node:path';
import { createTransformer as createSwcTransformer } from '@swc/jest';

/** Returns the text of a file, with the mutation of the run if it is in this file. */
function mutated(text, filename, { config: { rootDir, globals } }) {
  const { file, search, replacement } = globals.mutation ?? {};
  return file !== undefined && filename === join(rootDir, file)
    ? text.replace(search, () => replacement)
    : text;
}

function createTransformer(swcOptions) {
  const swc = createSwcTransformer(swcOptions);
  return {
    ...swc,
    process: (text, filename, options) => swc.process(mutated(text, filename, options), filename, options),
    getCacheKey: (text, filename, options) =>
      swc.getCacheKey(mutated(text, filename, options), filename, options),
  };
}

// biome-ignore lint/style/noDefaultExport: jest takes the transformer from the default export.
export default { createTransformer };
