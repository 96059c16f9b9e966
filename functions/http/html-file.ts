import { environment } from '../runtime/environment.ts';
import { readShippedFile, type StaticPage } from './static-page.ts';

/** Reads a page that ships beside the function. The page shows what concerns tokens only if requests need one. */
export async function htmlFile(name: string): Promise<StaticPage> {
  const content = await readShippedFile(name);
  const needsToken = environment.tenantClaim() !== undefined;
  return {
    mediaType: 'text/html',
    content: needsToken ? content.replace('data-tokens="none"', 'data-tokens="required"') : content,
  };
}
