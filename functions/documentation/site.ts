/** The files of the documentation: a table in JSON, and beside it the contents, compressed with Brotli when the site is built. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../runtime/environment.ts';

export interface SiteFile {
  /** Name of the compressed file: a hash of the content. */
  readonly name: string;
  readonly mediaType: string;
  readonly cacheControl: string;
}

export interface Site {
  /** Hash of what the site was made of. */
  readonly sources: string;
  /** Whether it has the HTML of the pages, besides their Markdown. */
  readonly isBuilt: boolean;
  /** @see https://www.w3.org/TR/CSP3/ */
  readonly contentSecurityPolicy: string;
  /** By path, such as `/docs/guides/errors`. */
  readonly files: Readonly<Record<string, SiteFile>>;
}

export const tableFile = 'site.json';

/** The page that browsers get for other paths below `/docs`. */
export const notFoundPath = '/docs/404';

export const readSite = async (folder = environment.siteFolder()): Promise<Site> =>
  JSON.parse(await readFile(join(folder, tableFile), 'utf8')) as Site;

export const readSiteFile = ({ name }: SiteFile): Promise<Buffer> =>
  readFile(join(environment.siteFolder(), name));
