/** The forms of the reference: they begin with the values of the sample, show what they send, and send it. */
import { confirmDanger } from './confirm.js';
import { authorization, collectionOf, Entities, fillBody, forgetEntities } from './entities.js';
import { withCurrentDays } from './example-texts.js';
import { Filters } from './filters.js';

const root = document.documentElement;

/** The module that writes samples: it is loaded with the first form. */
let samples;
const loadSamples = () => {
  samples ??= import(root.dataset.samples);
  return samples;
};

/** Says what to create before the example can succeed. */
function showMissing(form, missing) {
  const line = form.querySelector('[data-missing]');
  const links = [...missing].map(([collection, count]) => {
    const [plural, isDeleted] = collection.split('/');
    const name = plural.slice(0, -1);
    const action = isDeleted ? 'delete' : 'create';
    const link = document.createElement('a');
    link.href = `#${action}${name[0].toUpperCase()}${name.slice(1)}`;
    link.textContent = `${isDeleted ? 'a deletion of ' : ''}${count} ${count === 1 ? name : plural}`;
    return link;
  });
  line.replaceChildren('This service has too few entities for this example. First create: ');
  for (const [position, link] of links.entries()) line.append(position > 0 ? ', ' : '', link);
  line.hidden = links.length === 0;
}

/** Sets a value that the reader has not changed. */
function suggest(input, value) {
  if (input.value !== (input.dataset.filled ?? '')) return;
  input.value = value;
  input.dataset.filled = value;
}

const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Returns a problem; nothing when the gateway has responded. */
const problemOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

const timeout = (ms) => `${ms} ms`;

class Form {
  #form;
  #section;
  #filters;
  #isPrepared = false;
  /** Id in the path of the sample, where the form begins without one. */
  #sampleId;

  constructor(details) {
    this.#form = details.querySelector('form');
    this.#section = details.closest('section');
    const fieldset = this.#form.querySelector('[data-filters]');
    this.#filters = fieldset && new Filters(fieldset);
  }

  get #collection() {
    return this.#form.dataset.path.split('/')[2];
  }

  get #textarea() {
    return this.#form.querySelector('textarea');
  }

  /** Puts the query of the sample into the form. */
  #fillQuery() {
    for (const pair of withCurrentDays(this.#form.dataset.example ?? '')
      .split('&')
      .filter(Boolean)) {
      const [name, value] = pair.split(/=(.*)/s);
      if (this.#filters?.isFilter(name)) {
        const [, field, operator = ''] = /^(\w+)(?:\[(\w+)\])?$/.exec(name);
        this.#filters.add(field, operator, value);
      } else {
        this.#form.querySelector(`[name="${name}"]`).value = value;
      }
    }
  }

  async #fillIds(entities) {
    const isDangerous = this.#form.dataset.danger !== undefined;
    for (const input of this.#form.querySelectorAll('[data-reference]:not([data-reference=""])')) {
      const collection = collectionOf(this.#form.dataset.path, `${input.dataset.reference}s`);
      const entity = await entities.at(collection, 0);
      this.#sampleId = entity?.id;
      const known = await entities.named(collection);
      input.list?.replaceChildren(...known.map(({ id, name }) => new Option(name, id)));
      if (isDangerous) continue;
      suggest(input, entity?.id ?? '');
      const guard = this.#form.querySelector('[name="If-Match"]');
      if (guard && entity?.etag) suggest(guard, entity.etag);
    }
  }

  async #fillBody(entities) {
    const textarea = this.#textarea;
    if (!textarea || textarea.value !== (textarea.dataset.filled ?? textarea.defaultValue)) return;
    const body = JSON.parse(withCurrentDays(textarea.defaultValue));
    textarea.value = JSON.stringify(await fillBody(body, this.#collection, entities), null, 2);
    textarea.dataset.filled = textarea.value;
  }

  /** Fills in ids of this service: in the path and in the body. */
  async fill() {
    if (!this.#isPrepared) this.#fillQuery();
    this.#isPrepared = true;
    const entities = new Entities();
    await this.#fillIds(entities);
    await this.#fillBody(entities);
    showMissing(this.#form, entities.missing);
    await this.showSample();
    this.#form.dataset.filled = '';
  }

  /** Returns the request that the form describes. */
  #request() {
    const { path, method } = this.#form.dataset;
    const query = this.#filters?.parameters ?? [];
    const headers = [];
    let id;
    for (const input of this.#form.querySelectorAll('[data-in]')) {
      const value = input.value.trim();
      if (value === '') continue;
      if (input.dataset.in === 'path') id = value;
      if (input.dataset.in === 'query') query.push([input.name, value]);
      if (input.dataset.in === 'header') headers.push([input.name, value]);
    }
    return { method, path, id, query, headers, body: this.#textarea?.value.trim() || undefined };
  }

  /** Shows the values of the form in the samples beside it. A body that is not JSON stays as it was. */
  async showSample() {
    const { sampleHtml } = await loadSamples();
    const { method, path, id = this.#sampleId ?? '', query, headers, body } = this.#request();
    let value;
    try {
      value = body && JSON.parse(body);
    } catch {
      return;
    }
    const request = {
      method,
      operationId: this.#section.id,
      template: path,
      url: location.origin + path.replace(/\{\w+\}/, id),
      ...(path.includes('{') && { id }),
      query,
      headers,
      ...(value !== undefined && { body: value }),
      needsToken: root.dataset.tokens === 'required',
    };
    const html = sampleHtml(request);
    for (const sample of this.#section.querySelectorAll('.tabs > .sample')) {
      sample.querySelector('code').innerHTML = html.get(sample.dataset.language);
    }
  }

  /** Asks before a request that deletes. */
  async #isConfirmed(request) {
    const deletes = /"operation":\s*"delete"/.test(request.body ?? '');
    const action = this.#form.dataset.danger ?? (deletes ? 'Send' : undefined);
    return action === undefined || confirmDanger(action, request);
  }

  /** Says which required values are missing. @returns whether there are any. */
  #showEmpty() {
    const empty = [];
    for (const input of this.#form.querySelectorAll('[required]')) {
      const isEmpty = input.value.trim() === '';
      input.toggleAttribute('aria-invalid', isEmpty);
      if (isEmpty) empty.push(input);
    }
    const line = this.#form.querySelector('[data-empty]');
    line.hidden = empty.length === 0;
    line.textContent = `Enter ${empty.map(({ name }) => `"${name}"`).join(' and ')}.`;
    empty[0]?.focus();
    return empty.length > 0;
  }

  async send() {
    if (this.#showEmpty()) return;
    if (!this.#form.querySelector('[data-missing]').hidden) {
      forgetEntities();
      await this.fill();
    }
    const request = this.#request();
    if (!(await this.#isConfirmed(request))) return;
    const { method, query, headers, body } = request;
    const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const path =
      request.path.replace(/\{\w+\}/, encodeURIComponent(request.id ?? '')) + (search && `?${search}`);
    const started = performance.now();
    const response = await fetch(path, {
      method,
      headers: {
        ...authorization(),
        ...Object.fromEntries(headers),
        ...(body && { 'content-type': 'application/json' }),
      },
      cache: 'no-store',
      ...(body && { body }),
    });
    await this.#showResponse(response, Math.round(performance.now() - started));
    if (method === 'GET' || !response.ok) return;
    forgetEntities();
    await this.fill();
  }

  async #showResponse(response, ms) {
    const { jsonHtml } = await loadSamples();
    const text = await response.text();
    const { type, title } = response.ok ? {} : problemOf(text);
    const panel = this.#form.querySelector('[data-response]');
    const etag = response.headers.get('etag');
    const status = document.createElement('b');
    status.className = `status s${String(response.status)[0]}`;
    status.textContent = response.status;
    const outcome = document.createElement('span');
    outcome.textContent = `${title ?? (response.ok ? 'Success' : 'Failure')} · ${timeout(ms)}${etag ? ` · ETag ${etag}` : ''}`;
    const explanation = Object.assign(document.createElement('a'), {
      href: type ?? '',
      textContent: 'Explain',
    });
    panel.querySelector('[data-status]').replaceChildren(status, outcome, ...(type ? [explanation] : []));
    const block = panel.querySelector('pre');
    block.hidden = text === '';
    block.querySelector('code').innerHTML = jsonHtml(readable(text));
    panel.dataset.outcome = response.ok ? 'success' : 'failure';
    panel.hidden = false;
    panel.scrollIntoView({ block: 'nearest' });
  }

  showError(error) {
    const panel = this.#form.querySelector('[data-response]');
    panel.dataset.outcome = 'failure';
    panel.querySelector('[data-status]').textContent = String(error);
    panel.querySelector('pre').hidden = true;
    panel.hidden = false;
  }
}

export function prepareForm(details) {
  let form;
  const open = () => {
    form ??= new Form(details);
    return form;
  };
  const fail = (error) => open().showError(error);
  details.addEventListener('toggle', () => {
    if (details.open) open().fill().catch(fail);
  });
  const element = details.querySelector('form');
  for (const type of ['input', 'change']) {
    element.addEventListener(type, () => open().showSample().catch(fail));
  }
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    open().send().catch(fail);
  });
}
