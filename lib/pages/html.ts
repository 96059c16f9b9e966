/** Stands for the address of the service in every example. The page replaces it with its own. */
export const exampleOrigin = 'https://api.example.com';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);

/** An icon of lines, in the color of the text. */
export const icon = (path: string): string =>
  `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
