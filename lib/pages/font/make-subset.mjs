/**
 * Writes inter.woff2, the font of the static pages: the characters of English pages, in weights from 400 to 700. Run
 * "npm ci && npm run make" in this folder. The output depends only on the versions in package.json.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const source = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'));

const range = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, position) => String.fromCodePoint(first + position)).join('');

/** ASCII and Latin-1, dashes, quotation marks, the ellipsis and arrows. */
const characters = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}–—‘’“”…←↑→↓×`;

const font = await readFile(join(source, 'files/inter-latin-wght-normal.woff2'));
const subset = await subsetFont(font, characters, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 700 } },
});
await writeFile(new URL('inter.woff2', import.meta.url), subset);
await writeFile(new URL('inter-license.txt', import.meta.url), await readFile(join(source, 'LICENSE')));
console.log(`inter.woff2 has ${subset.length} bytes.`);
