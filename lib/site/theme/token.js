/** The token that a reader enters. It stays in the session of the tab, so that all pages have it. */
import { ref, watch } from 'vue';

const place = 'project-management-token';

export const token = ref(import.meta.env.SSR ? '' : (sessionStorage.getItem(place) ?? ''));

watch(token, (text) => sessionStorage.setItem(place, text));

export const tokenHeaders = () => (token.value ? { Authorization: `Bearer ${token.value}` } : {});
