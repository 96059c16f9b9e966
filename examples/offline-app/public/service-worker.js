// Gives the files of the app from the network, or from the copy of the last visit.
const files = 'files';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  const load = async () => {
    const response = await fetch(request);
    const cache = await caches.open(files);
    // The address that the issuer leads back to has a code, which must not be stored.
    if (response.ok && new URL(request.url).search === '') await cache.put(request, response.clone());
    return response;
  };
  const stored = () => caches.match(request, { ignoreSearch: true, ignoreVary: true });
  event.respondWith(load().catch(async (error) => (await stored()) ?? Promise.reject(error)));
});
