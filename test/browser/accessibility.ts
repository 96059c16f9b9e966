/**
 * Returns the form fields of a page whose border or placeholder has a contrast below 3 or 4.5 (WCAG 2.2, 1.4.11 and 1.4.3), also in closed forms:
 * axe checks neither. It is the source of a function that runs in the page.
 */
export const accessibilityIssues = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => {
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
  for (const field of document.querySelectorAll('input, select, textarea')) {
    const { borderTopColor, borderTopWidth } = getComputedStyle(field);
    const border = channels(borderTopColor);
    const contrast = Math.min(...[field, field.parentElement].map((one) => contrastOf(border, backgroundOf(one))));
    if (borderTopWidth !== '0px' && contrast < 3) poor.add('border ' + contrast.toFixed(1) + ': ' + field.tagName);
    if (!field.placeholder) continue;
    const text = contrastOf(channels(getComputedStyle(field, '::placeholder').color), backgroundOf(field));
    if (text < 4.5) poor.add('placeholder ' + text.toFixed(1) + ': ' + field.tagName);
  }
  return [...poor];
})()`;
