/**
 * Returns what is wrong with a page for people who cannot see it well: controls without a name, ids that are not unique, headings
 * that skip a level, text and placeholders with a contrast below 4.5 (WCAG 2.2, 1.4.3), and borders of form fields with a contrast below
 * 3 (1.4.11, which axe does not check). It is the source of a function that runs in the page.
 */
export const accessibilityIssues = `(() => {
  const issues = [];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

  for (const control of document.querySelectorAll('a, button, input, select, textarea, summary')) {
    const label = control.labels?.[0]?.textContent ?? '';
    const name = control.getAttribute('aria-label') || label || control.textContent;
    if (!name.trim()) issues.push('no name: ' + control.outerHTML.slice(0, 120));
  }

  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) issues.push('two elements have the id ' + id);

  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) issues.push('level ' + own + ' after ' + level + ': ' + heading.textContent);
    level = own;
  }
  if (document.querySelectorAll('h1').length !== 1) issues.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) issues.push('not one main');
  if (!document.documentElement.lang) issues.push('no language');

  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = channels(getComputedStyle(one).backgroundColor);
      if (color[3] !== 0) return color;
    }
    return [255, 255, 255];
  };
  const contrastOf = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const poor = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || !isShown(element)) continue;
    const style = getComputedStyle(element);
    const contrast = contrastOf(channels(style.color), backgroundOf(element));
    if (contrast < 4.5) poor.add('contrast ' + contrast.toFixed(1) + ': ' + element.tagName + '.' + element.className);
  }
  // Fields of closed forms too.
  for (const field of document.querySelectorAll('input, select, textarea')) {
    const { borderTopColor, borderTopWidth } = getComputedStyle(field);
    const border = channels(borderTopColor);
    const contrast = Math.min(...[field, field.parentElement].map((one) => contrastOf(border, backgroundOf(one))));
    if (borderTopWidth !== '0px' && contrast < 3) poor.add('border ' + contrast.toFixed(1) + ': ' + field.tagName);
    if (!field.placeholder) continue;
    const text = contrastOf(channels(getComputedStyle(field, '::placeholder').color), backgroundOf(field));
    if (text < 4.5) poor.add('placeholder ' + text.toFixed(1) + ': ' + field.tagName);
  }
  return [...issues, ...poor].slice(0, 20);
})()`;
