/** Stands for the address of the service in every example. The page replaces it with its own. */
export const exampleOrigin = 'https://api.example.com';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);

/** An icon of lines, in the color of the text. @param filled a part that is an area. */
export const icon = (path: string, filled?: string): string =>
  `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/>${filled ? `<path class="filled" d="${filled}"/>` : ''}</svg>`;
