/** Writes samples and responses in the browser, with the code that writes those of the page. It is loaded with the first form. */
import { writeSamples } from '../../../openapi/samples/samples.ts';
import { highlighted } from '../../highlight.ts';

/** Returns the HTML of the samples of a request by label, in lower case. */
export const sampleHtml = (request) =>
  new Map(
    writeSamples(request).map(({ lang, label, source }) => [label.toLowerCase(), highlighted(source, lang)]),
  );

export const jsonHtml = (text) => highlighted(text, 'json');
