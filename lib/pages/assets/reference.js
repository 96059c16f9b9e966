/** The search and the forms of the reference. */

const search = document.querySelector('#search');
const token = document.querySelector('#token');

/** Shows the links that contain every word of the search. */
function filterLinks() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const list of document.querySelectorAll('.sidebar > ul')) {
    const items = [...list.children];
    for (const item of items) {
      const link = item.querySelector('a');
      const text = `${link.textContent} ${link.dataset.search ?? ''}`.toLowerCase();
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

/** Fills in the id of an existing entity: the example's own does not exist here. */
async function fillIds(form) {
  for (const input of form.querySelectorAll('[data-reference]:not([data-reference=""])')) {
    if (input.value) continue;
    const response = await fetch(`/v1/${input.dataset.reference}s?limit=1&fields=id`, {
      headers: authorization(),
    });
    if (!response.ok) return;
    const { data } = await response.json();
    input.value = data[0]?.id ?? '';
  }
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
    if (details.open) fillIds(form).catch(fail);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch(fail);
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
