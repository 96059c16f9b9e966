/** Draws line charts with logarithmic axes as SVG. */

interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number | undefined }[];
}

const size = { width: 760, height: 420, left: 70, right: 240, top: 50, bottom: 50 };
const colors = ['#0b6e4f', '#b3541e', '#33658a', '#6d597a'];

/** Returns the powers of ten that enclose the numbers. */
function decades(numbers: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...numbers)));
  const last = Math.ceil(Math.log10(Math.max(...numbers)));
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, place) => 10 ** (first + place));
}

const shown = (number: number): string => (number < 1 ? String(number) : number.toLocaleString('en'));

/** Pixels between two lines of text, at least. */
const lineHeight = 14;

/** Returns where labels are placed so that none covers another. @param wanted where they belong. */
function separate(wanted: readonly number[]): number[] {
  const places: number[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const [label, place] of [...wanted.entries()].sort(([, one], [, other]) => one - other)) {
    lowest = Math.max(place, lowest + lineHeight);
    places[label] = lowest;
  }
  return places;
}

/** Draws series in one chart. @returns the text of the SVG file. */
export function plot(title: string, xName: string, yName: string, series: readonly Series[]): string {
  const known = series.map(({ name, points }) => ({
    name,
    points: points.filter((point): point is { x: number; y: number } => point.y !== undefined),
  }));
  const all = known.flatMap(({ points }) => points);
  const [xs, ys] = [decades(all.map(({ x }) => x)), decades(all.map(({ y }) => y))];
  const { width, height, left, right, top, bottom } = size;
  const scale = (value: number, ticks: readonly number[], from: number, to: number): string => {
    const [first = 1, last = 10] = [ticks[0], ticks.at(-1)];
    return (from + ((to - from) * Math.log10(value / first)) / Math.log10(last / first)).toFixed(1);
  };
  const x = (value: number): string => scale(value, xs, left, width - right);
  const y = (value: number): string => scale(value, ys, height - bottom, top);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="${left}" y="24" font-size="15">${title}</text>`,
    ...xs.map(
      (tick) =>
        `<path d="M${x(tick)} ${top}V${height - bottom}" stroke="#ddd"/><text x="${x(tick)}" y="${height - bottom + 18}" text-anchor="middle">${shown(tick)}</text>`,
    ),
    ...ys.map(
      (tick) =>
        `<path d="M${left} ${y(tick)}H${width - right}" stroke="#ddd"/><text x="${left - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${shown(tick)}</text>`,
    ),
    `<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">${xName}</text>`,
    `<text x="4" y="${top - 10}">${yName}</text>`,
  ];
  const drawn = known.flatMap(({ name, points }) => points.slice(-1).map((last) => ({ name, points, last })));
  const labels = separate(drawn.map(({ last }) => Number(y(last.y)) + 4));
  for (const [place, { name, points, last }] of drawn.entries()) {
    const color = colors[place % colors.length];
    const path = points
      .map((point, number) => `${number === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.y)}`)
      .join('');
    lines.push(
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...points.map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="3.5" fill="${color}"/>`),
      `<text x="${Number(x(last.x)) + 10}" y="${labels[place]}" fill="${color}">${name}</text>`,
    );
  }
  return `${[...lines, '</svg>'].join('\n')}\n`;
}
