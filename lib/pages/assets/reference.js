/** The search and the forms of the reference. */

const search = document.querySelector('#search');
const token = document.querySelector('#token');

/** Returns the names of the parameters, headers and fields of an operation. */
function namesIn(id) {
  const section = document.getElementById(id);
  const names = [...section.querySelectorAll('dt > code, summary > code')].map((code) => code.textContent);
  // A nested list shows its filters once, with the list of all entities.
  const other = section.querySelector('a[data-filters]');
  return other ? [...names, ...namesIn(other.hash.slice(1))] : names;
}

const searchTexts = new Map();

/** Returns what is searched for a link: the title, the path, and the names of its operation. */
function searchText(link) {
  if (!searchTexts.has(link)) {
    const names = link.dataset.search ? namesIn(link.hash.slice(1)).join(' ') : '';
    searchTexts.set(link, `${link.textContent} ${link.dataset.search ?? ''} ${names}`.toLowerCase());
  }
  return searchTexts.get(link);
}

/** Shows the links that contain every word of the search. */
function filterLinks() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const list of document.querySelectorAll('.sidebar > ul')) {
    const items = [...list.children];
    for (const item of items) {
      const text = searchText(item.querySelector('a'));
      item.hidden = !words.every((word) => text.includes(word));
    }
    const visible = items.filter(({ hidden }) => !hidden).length;
    list.previousElementSibling.hidden = visible === 0;
    shown += visible;
  }
  document.querySelector('#nothing').hidden = shown > 0;
}

search.addEventListener('input', filterLinks);
search.addEventListener('keydown', ({ key }) => {
  const first = document.querySelector('.sidebar li:not([hidden]) a');
  if (key === 'Enter') first?.click();
  if (key === 'Escape') {
    search.value = '';
    filterLinks();
  }
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key !== '/' || isTyping) return;
  event.preventDefault();
  search.focus();
});

token.value = sessionStorage.getItem('token') ?? '';
token.addEventListener('input', () => sessionStorage.setItem('token', token.value.trim()));
token.form.addEventListener('submit', (event) => event.preventDefault());

const authorization = () => (token.value ? { authorization: `Bearer ${token.value.trim()}` } : {});

/** Fields of bodies that refer to entities, and the collections of these. */
const references = {
  organizationId: 'organizations',
  projectId: 'projects',
  userId: 'users',
  tagIds: 'tags',
};

/** Takes entities of this service for an example, whose own ids do not exist here, and counts how many are missing. */
class Entities {
  #lists = new Map();
  missing = new Map();

  async #listOf(collection) {
    if (!this.#lists.has(collection)) {
      const path = `/v1/${collection}?limit=100&fields=id&etags=true`;
      const response = await fetch(path, { headers: authorization(), cache: 'no-store' });
      if (!response.ok) throw new Error(`${response.status} for ${path}: the ids are not of this service.`);
      const { data, etags } = await response.json();
      this.#lists.set(
        collection,
        data.map(({ id }, position) => ({ id, etag: etags[position] })),
      );
    }
    return this.#lists.get(collection);
  }

  /** Returns the entity at a position; `undefined` if there are fewer. */
  async at(collection, position) {
    const list = await this.#listOf(collection);
    if (list.length <= position) this.missing.set(collection, position + 1 - list.length);
    return list[position];
  }
}

async function fillReferences(body, entities) {
  for (const [field, collection] of Object.entries(references)) {
    const value = body?.[field];
    if (Array.isArray(value)) {
      for (const position of value.keys())
        value[position] = (await entities.at(collection, position))?.id ?? value[position];
    } else if (value) {
      body[field] = (await entities.at(collection, 0))?.id ?? value;
    }
  }
}

/** Fills in the body, unless the reader has changed it. A batch names each id at most once. */
async function fillBody(textarea, collection, entities) {
  if (textarea.value !== (textarea.dataset.filled ?? textarea.defaultValue)) return;
  const body = JSON.parse(textarea.defaultValue);
  await fillReferences(body, entities);
  let position = 0;
  for (const operation of body.operations ?? []) {
    await fillReferences(operation.body, entities);
    if (!operation.id) continue;
    const entity = await entities.at(collection, position);
    position += 1;
    operation.id = entity?.id ?? operation.id;
    if (operation.ifMatch) operation.ifMatch = entity?.etag ?? operation.ifMatch;
  }
  textarea.value = JSON.stringify(body, null, 2);
  textarea.dataset.filled = textarea.value;
}

/** Says what to create before the example can succeed. */
function showMissing(form, missing) {
  const line = form.querySelector('[data-missing]');
  const links = [...missing].map(([collection, count]) => {
    const name = collection.slice(0, -1);
    const link = document.createElement('a');
    link.href = `#create${name[0].toUpperCase()}${name.slice(1)}`;
    link.textContent = `${count} ${count === 1 ? name : collection}`;
    return link;
  });
  line.replaceChildren('This service has too few entities for the example. Create first: ');
  for (const [position, link] of links.entries()) line.append(position > 0 ? ', ' : '', link);
  line.hidden = links.length === 0;
}

/** Fills in ids of this service: in the path and in the body. */
async function fillExamples(form) {
  const entities = new Entities();
  for (const input of form.querySelectorAll('[data-reference]:not([data-reference=""])')) {
    if (!input.value) input.value = (await entities.at(`${input.dataset.reference}s`, 0))?.id ?? '';
  }
  const textarea = form.querySelector('textarea');
  if (textarea) await fillBody(textarea, form.dataset.path.split('/')[2], entities);
  showMissing(form, entities.missing);
  form.dataset.filled = '';
}

/** Returns the address and the headers that the fields of a form describe. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = [];
  const headers = authorization();
  for (const input of form.querySelectorAll('[data-in]')) {
    const value = input.value.trim();
    if (value === '') continue;
    if (input.dataset.in === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    if (input.dataset.in === 'query') query.push(`${input.name}=${encodeURIComponent(value)}`);
    if (input.dataset.in === 'more') query.push(value.replace(/^[?&]/, ''));
    if (input.dataset.in === 'header') headers[input.name] = value;
  }
  return { path: query.length > 0 ? `${path}?${query.join('&')}` : path, headers };
}

const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

async function send(form) {
  if (!form.querySelector('[data-missing]').hidden) await fillExamples(form);
  const status = form.querySelector('[data-status]');
  const shown = form.querySelector('[data-response]');
  const { path, headers } = requestOf(form);
  const body = form.querySelector('textarea')?.value.trim();
  if (body) headers['content-type'] = 'application/json';
  status.textContent = 'Sending…';
  const started = performance.now();
  const response = await fetch(path, {
    method: form.dataset.method,
    headers,
    cache: 'no-store',
    ...(body && { body }),
  });
  const text = await response.text();
  const etag = response.headers.get('etag');
  const time = Math.round(performance.now() - started);
  status.textContent = `${response.status} in ${time} ms${etag ? ` · ETag ${etag}` : ''}`;
  shown.textContent = `${form.dataset.method} ${decodeURI(path)}\n\n${readable(text)}`;
  shown.hidden = false;
}

for (const details of document.querySelectorAll('details.try')) {
  const form = details.querySelector('form');
  const fail = (error) => {
    form.querySelector('[data-status]').textContent = String(error);
  };
  details.addEventListener('toggle', () => {
    if (details.open) fillExamples(form).catch(fail);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch(fail);
  });
}

for (const select of document.querySelectorAll('[data-adds-to]')) {
  const field = document.getElementById(select.dataset.addsTo);
  select.addEventListener('change', () => {
    field.value = [...field.value.split(','), select.value].filter(Boolean).join(',');
    select.value = '';
  });
}

/** Marks the link of the operation that is at the top of the window. */
const links = new Map(
  [...document.querySelectorAll('.sidebar a[data-search]')].map((link) => [link.hash.slice(1), link]),
);
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute('aria-current');
      links.get(target.id)?.setAttribute('aria-current', 'true');
    }
  },
  { rootMargin: '-10% 0px -80% 0px' },
);
for (const section of document.querySelectorAll('section.operation')) observer.observe(section);
