/** The theme: that of VitePress without its font, with samples and forms for the service that shows the page. */
import { onContentUpdated, useRouter } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { showOwnSamples } from './own-samples.js';
import TryIt from './try-it.vue';
import './style.css';

/** Opens the page of the operation that the address of an overview names, such as `/docs/reference#listTasks`. */
function openOperation(router) {
  // Headings have no capital letters.
  const [, id] = /^\/docs(?:\/reference)?#([a-z]+[A-Z]\w+)$/.exec(location.pathname + location.hash) ?? [];
  if (id) void router.go(`/docs/reference/${id}`);
}

export default {
  extends: theme,
  enhanceApp: ({ app }) => app.component('TryIt', TryIt),
  setup() {
    const router = useRouter();
    onContentUpdated(() => {
      openOperation(router);
      void showOwnSamples();
    });
  },
};
