/** The token that a reader enters. It stays in the session of the tab, so that all pages have it. */
import { computed, ref, watch } from 'vue';
import { ownerOf } from '../token-owner.ts';

const place = 'project-management-token';

export const token = ref(import.meta.env.SSR ? '' : (sessionStorage.getItem(place) ?? ''));

/** Whose the token is; undefined without one. */
export const signedIn = computed(() => ownerOf(token.value));

watch(token, (text) => sessionStorage.setItem(place, text));

/** Returns the first entities of a collection; none if the service requires a token that the reader has not entered. */
export async function entitiesOf(collection) {
  const headers = token.value ? { Authorization: `Bearer ${token.value}` } : {};
  const response = await fetch(`/v1/${collection}?limit=20`, { headers });
  return response.ok ? (await response.json()).data : [];
}
