/** Puts ids and entity tags of this service, and current days, into the samples of an operation when it is shown. */
import { collectionOf, Entities } from './entities.js';
import { replaceTexts, withCurrentDays } from './example-texts.js';

const kinds = JSON.parse(document.querySelector('.reference').dataset.examples);
const uuid = /\b01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const entityTag = /"[\da-f]{12}-\d+"/;
const escapedTag = /\\"[\da-f]{12}-\d+\\"/;

/** Returns the ids of this service for those of a text. Ids that no example has are of the operation's own collection. */
async function ownIds(text, collection, entities) {
  const own = new Map();
  let position = 1;
  for (const [id] of text.matchAll(uuid)) {
    if (own.has(id)) continue;
    const known = kinds[id];
    const isOfPath = known !== undefined && collection === `${known}/deleted`;
    own.set(id, await entities.at(isOfPath ? collection : (known ?? collection), known ? 0 : position));
    if (!known) position += 1;
  }
  return own;
}

async function showOwnIds(samples, collection) {
  const entities = new Entities();
  const ids = await ownIds(samples.textContent, collection, entities);
  const first = await (entityTag.test(samples.textContent) ? entities.at(collection, 0) : undefined);
  const tagOf = (found) => (found.startsWith('\\') ? JSON.stringify(first.etag).slice(1, -1) : first.etag);
  replaceTexts(samples, (text) => {
    const withIds = text.replaceAll(uuid, (id) => ids.get(id)?.id ?? id);
    if (!first?.etag) return withIds;
    return withIds.replace(escapedTag, tagOf).replace(entityTag, tagOf);
  });
}

/** @param section of an operation. It gets the attribute `data-own` at the end, also if the service did not respond. */
export async function showOwnExample(section) {
  const form = section.querySelector('form');
  const [samples, ...others] = section.querySelectorAll('.examples > .panel');
  // A second change would move days by months: the form changes its own, and writes the samples once it is filled.
  const isFilled = form.dataset.filled !== undefined;
  for (const panel of isFilled ? others : [samples, ...others]) replaceTexts(panel, withCurrentDays);
  if (!isFilled) {
    // Without a token, or without the service, the samples keep the ids of the documentation.
    await showOwnIds(samples, collectionOf(form.dataset.path)).catch(() => {});
  }
  section.dataset.own = '';
}
