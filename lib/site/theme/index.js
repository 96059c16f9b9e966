/** The theme: that of VitePress without its font, with samples and forms for the service that shows the page. */
import { onContentUpdated } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { showOwnSamples } from './own-samples.js';
import TryIt from './try-it.vue';
import './style.css';

/** Opens the page of the operation that the address of an overview names, such as `/docs/reference#listTasks`. */
function openOperation() {
  const [, id] = /^\/docs(?:\/reference)?#(\w+)$/.exec(location.pathname + location.hash) ?? [];
  if (id) document.querySelector(`.VPSidebar a[href="/docs/reference/${id}"]`)?.click();
}

export default {
  extends: theme,
  enhanceApp: ({ app }) => app.component('TryIt', TryIt),
  setup() {
    onContentUpdated(() => {
      openOperation();
      void showOwnSamples();
    });
  },
};
