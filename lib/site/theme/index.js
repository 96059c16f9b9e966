/** The theme: that of VitePress without its font, with samples for the service that shows the page. */
import { onContentUpdated } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { showOwnSamples } from './own-samples.js';
import './style.css';

export default {
  extends: theme,
  setup() {
    onContentUpdated(() => void showOwnSamples());
  },
};
