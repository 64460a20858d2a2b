/** Latency against size, both logarithmic: a line of slope one is linear growth. */
import type { Row } from './run.ts';

const [WIDTH, HEIGHT, MARGIN] = [640, 400, 60];
const COLOURS = ['#888888', '#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e'];

export function drawPlot(rows: readonly Row[]): string {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const servers = [...new Set(rows.map(({ server }) => server))];
  const low = Math.floor(Math.log10(Math.min(...rows.map(({ p50 }) => p50))));
  const high = Math.ceil(Math.log10(Math.max(...rows.map(({ p50 }) => p50))));
  const widest = Math.log10(Math.max(...sizes, 10));
  const x = (size: number): number => MARGIN + (Math.log10(size) / widest) * (WIDTH - 2 * MARGIN);
  const y = (ms: number): number => HEIGHT - MARGIN - ((Math.log10(ms) - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...ticks.map(
      ms =>
        `<path d="M${MARGIN} ${f(y(ms))}H${WIDTH - MARGIN}" stroke="#dddddd"/>` +
        `<text x="${MARGIN - 6}" y="${f(y(ms) + 4)}" text-anchor="end">${ms} ms</text>`,
    ),
    ...sizes.map(size => `<text x="${f(x(size))}" y="${HEIGHT - MARGIN + 18}" text-anchor="middle">${size}</text>`),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 14}" text-anchor="middle">Schedules and routes, each</text>`,
    `<text x="${WIDTH / 2}" y="20" text-anchor="middle">p50 of a call, one connection</text>`,
    ...servers.flatMap((server, index) => drawLine(server, index)),
    '</svg>\n',
  ].join('\n');

  function drawLine(server: string, index: number): string[] {
    const colour = COLOURS[index % COLOURS.length] ?? '#000000';
    const points = rows.filter(row => row.server === server).map(({ size, p50 }) => `${f(x(size))},${f(y(p50))}`);
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<text x="${MARGIN + 10}" y="${MARGIN + 6 + 16 * index}" fill="${colour}">${escape(server)}</text>`,
    ];
  }
}

const f = (value: number): string => value.toFixed(1);

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
