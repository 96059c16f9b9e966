/** Puts the address of the service, and ids of its entities, into the samples of a page, so that they work when they are pasted. */
import { exampleOrigin } from '../../openapi/samples/request.ts';
import { collectionOf, idPattern, ownIds } from '../own-ids.ts';
import { entitiesOf } from './token.js';

/** Replaces texts in an element. Highlighted code consists of many elements, each with a part of the text. */
function replaceTexts(element, change) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const changed = change(text.data);
    if (changed !== text.data) text.data = changed;
  }
}

const idsOf = async (collection) => (await entitiesOf(collection)).map(({ id }) => id);

/** Changes the texts of the shown page. Without entities, or where tokens are required, samples keep the ids of the documentation. */
export async function showOwnSamples() {
  const page = document.querySelector('.vp-doc');
  if (!page) return;
  replaceTexts(page, (text) => text.replaceAll(exampleOrigin, location.origin));
  const [, operation] = /^\/docs\/reference\/(\w+)$/.exec(location.pathname) ?? [];
  if (!operation) return;
  const samples = [...page.querySelectorAll('.vp-code-group')];
  const collection = collectionOf(page.querySelector('h1 + p')?.textContent ?? '');
  const ids = await ownIds(samples.map(({ textContent }) => textContent).join(), collection, idsOf);
  for (const sample of samples) {
    replaceTexts(sample, (text) => text.replaceAll(idPattern, (id) => ids.get(id) ?? id));
  }
}
