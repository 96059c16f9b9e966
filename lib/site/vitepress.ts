/** Makes HTML of the Markdown pages with VitePress. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { withCodeGroups, withForm } from './code-groups.ts';

const hereFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Builds the HTML of the pages and what it loads.
 * @param pages texts by path, such as `/docs/guides/errors`. @param root folder for the sources, which is deleted at the end of `use`.
 * @param use gets the folder of the output.
 */
export async function withHtml(
  pages: Readonly<Record<string, string>>,
  root: string,
  use: (output: string) => Promise<void>,
): Promise<void> {
  await rm(root, { recursive: true, force: true });
  try {
    const sources = {
      ...Object.fromEntries(
        Object.entries(pages).map(([path, text]) => {
          const markdown = withCodeGroups(text);
          return [`${path}.md`, path.startsWith('/docs/reference/') ? withForm(markdown) : markdown] as const;
        }),
      ),
      // VitePress looks for both below its root.
      '.vitepress/config.mts': `export { default } from ${JSON.stringify(hereFile('config.ts'))};\n`,
      '.vitepress/theme/index.ts': `export { default } from ${JSON.stringify(hereFile('theme/index.js'))};\n`,
    };
    for (const [name, text] of Object.entries(sources)) {
      const file = join(root, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const output = join(root, 'output');
    await build(root, { outDir: output });
    await use(output);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
