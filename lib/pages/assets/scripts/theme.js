/** Applies the reader's choices before the first paint. `site.js` remembers them. */
try {
  const { theme, language } = localStorage;
  if (theme) document.documentElement.dataset.theme = theme;
  if (language) document.documentElement.dataset.language = language;
} catch {
  // The browser blocks storage: the defaults apply.
}
