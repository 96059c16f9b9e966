import { icon } from './html.ts';
import { type Page, productName } from './layout.ts';

const ways: readonly (readonly [href: string, title: string, text: string])[] = [
  ['/', 'Start page', 'What the API does, and where to begin.'],
  ['/docs/guides/getting-started', 'Getting started', 'Create, list and change your first tasks.'],
  ['/docs', 'API reference', 'Every operation, with samples and a form to try it.'],
  ['/docs/problems', 'Errors', 'What each error means and how to solve it.'],
];

/** Returns the page that browsers get for an address that does not exist. */
export const notFoundPage = (): Page => ({
  title: `Not found · ${productName}`,
  description: 'This address does not exist.',
  main: `<div class="text lost"><p class="eyebrow">404</p><h1>There is nothing at this address</h1>
<p class="lead">Check the spelling, or search the documentation.</p>
<p><button type="button" class="button" data-search>Search</button></p>
<ul class="cards">${ways.map(([href, title, text]) => `<li><a href="${href}"><b>${title} ${icon('M5 12h14M13 6l6 6-6 6')}</b><span>${text}</span></a></li>`).join('')}</ul></div>`,
});
