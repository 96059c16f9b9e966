/** Draws bar charts as SVG. */

interface Bar {
  readonly name: string;
  readonly value: number;
  /** Whether the bar is of this service. */
  readonly isOurs: boolean;
}

interface BarGroup {
  readonly name: string;
  readonly bars: readonly Bar[];
}

const size = { width: 760, left: 330, right: 70, bar: 18, gap: 6, group: 34, top: 44 };
const colors = { ours: '#0b6e4f', others: '#9aa5b1' };

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Draws groups of horizontal bars on one scale from zero. @returns the text of the SVG file. */
export function bars(title: string, unit: string, groups: readonly BarGroup[]): string {
  const largest = Math.max(...groups.flatMap((group) => group.bars.map(({ value }) => value)));
  const length = size.width - size.left - size.right;
  const parts: string[] = [];
  let y = size.top;
  for (const { name, bars: own } of groups) {
    if (name) {
      parts.push(`<text x="12" y="${y + 14}" font-weight="bold">${escaped(name)}</text>`);
      y += size.group - size.gap;
    }
    for (const bar of own) {
      const width = Math.max(1, (bar.value / largest) * length).toFixed(1);
      const middle = y + size.bar - 5;
      parts.push(
        `<text x="${size.left - 8}" y="${middle}" text-anchor="end">${escaped(bar.name)}</text>`,
        `<rect x="${size.left}" y="${y}" width="${width}" height="${size.bar}" fill="${bar.isOurs ? colors.ours : colors.others}"/>`,
        `<text x="${size.left + Number(width) + 6}" y="${middle}">${bar.value.toFixed(bar.value < 10 ? 1 : 0)}</text>`,
      );
      y += size.bar + size.gap;
    }
    y += size.gap * 2;
  }
  const heading = `${title}, ${unit}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${y}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>${escaped(heading)}</title>
<rect width="${size.width}" height="${y}" fill="#ffffff"/>
<text x="12" y="24" font-size="16">${escaped(heading)}</text>
${parts.join('\n')}
</svg>
`;
}
