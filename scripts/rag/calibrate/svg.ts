import { histogramOf, ticksOf } from './histogram.ts';
import type { Calibration } from './measure.ts';

const WIDTH = 760;
const HEIGHT = 420;
const PLOT = { left: 64, right: 24, top: 96, bottom: 60 };
const STEPS = 40;

const escapeXml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;');

/**
 * The two distributions as a picture for light and dark pages: questions on the subject stand above the axis, those off it
 * hang below, so that neither hides the other.
 */
export function svgOf({ model, distances, cutoff }: Pick<Calibration, 'model' | 'distances' | 'cutoff'>): string {
  const { onSubject, offSubject } = distances;
  const histogram = histogramOf(onSubject, offSubject, STEPS);
  const { from, to, most } = histogram;
  const width = WIDTH - PLOT.left - PLOT.right;
  const half = (HEIGHT - PLOT.top - PLOT.bottom) / 2;
  const middle = PLOT.top + half;
  const x = (distance: number) => PLOT.left + ((distance - from) / (to - from)) * width;
  const fixed = (n: number) => n.toFixed(1);
  const bars = (counts: number[], kind: 'on' | 'off') =>
    counts.flatMap((count, step) => {
      if (count === 0) return [];
      const height = (count / most) * half;
      const left = PLOT.left + (step / STEPS) * width;
      const top = kind === 'on' ? middle - height : middle;
      const told = `${count} ${kind} the subject at ${(from + (step / STEPS) * (to - from)).toFixed(3)}`;
      return `<rect class="${kind}" x="${fixed(left + 1)}" y="${fixed(top)}" width="${fixed(width / STEPS - 2)}" height="${fixed(height)}"><title>${told}</title></rect>`;
    });
  const ticks = ticksOf(histogram).map((tick) => {
    const at = fixed(x(tick));
    return `<line class="tick" x1="${at}" x2="${at}" y1="${HEIGHT - PLOT.bottom}" y2="${HEIGHT - PLOT.bottom + 5}"/><text class="small" x="${at}" y="${HEIGHT - PLOT.bottom + 20}" text-anchor="middle">${tick.toFixed(1)}</text>`;
  });
  const counts = [most, 0, -most].map((count) => {
    const at = middle - (count / most) * half;
    return `<text class="small" x="${PLOT.left - 10}" y="${fixed(at + 4)}" text-anchor="end">${Math.abs(count)}</text>`;
  });
  const line = fixed(x(cutoff.limit));
  const isLeft = x(cutoff.limit) > PLOT.left + width * 0.75;
  const told = `Beyond the cutoff of ${cutoff.limit.toFixed(3)}: ${cutoff.refused} of ${onSubject.length} on the subject; within: ${cutoff.letThrough} of ${offSubject.length} off it`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title told">
<title id="title">Nearest distances of questions, ${escapeXml(model)}</title>
<desc id="told">${told}</desc>
<style>
  text { font: 14px system-ui, sans-serif; } .small { font-size: 12px; } .heading { font-size: 17px; font-weight: 600; }
  .paper { fill: #ffffff; } text { fill: #1f2328; } .small { fill: #59636e; } .on { fill: #0969da; } .off { fill: #bc4c00; }
  .axis, .tick { stroke: #59636e; } .cutoff { stroke: #1f2328; stroke-width: 2; stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; } text { fill: #e6edf3; } .small { fill: #9198a1; } .on { fill: #58a6ff; } .off { fill: #f0883e; }
    .axis, .tick { stroke: #9198a1; } .cutoff { stroke: #e6edf3; }
  }
</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>
<text class="heading" x="${PLOT.left}" y="28">How near the nearest passage lies</text>
<text class="small" x="${PLOT.left}" y="48">${escapeXml(model)}. ${told}.</text>
<rect class="on" x="${PLOT.left}" y="62" width="12" height="12"/>
<text x="${PLOT.left + 18}" y="73">on the subject (${onSubject.length})</text>
<rect class="off" x="${PLOT.left + 180}" y="62" width="12" height="12"/>
<text x="${PLOT.left + 198}" y="73">off the subject (${offSubject.length})</text>
${[...bars(histogram.onSubject, 'on'), ...bars(histogram.offSubject, 'off')].join('\n')}
<line class="axis" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${middle}" y2="${middle}"/>
<line class="axis" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${HEIGHT - PLOT.bottom}" y2="${HEIGHT - PLOT.bottom}"/>
${[...ticks, ...counts].join('\n')}
<line class="cutoff" x1="${line}" x2="${line}" y1="${PLOT.top - 10}" y2="${HEIGHT - PLOT.bottom}"/>
<text x="${fixed(x(cutoff.limit) + (isLeft ? -8 : 8))}" y="${PLOT.top}" text-anchor="${isLeft ? 'end' : 'start'}">cutoff ${cutoff.limit.toFixed(3)}</text>
<text class="small" x="${PLOT.left + width / 2}" y="${HEIGHT - 14}" text-anchor="middle">cosine distance to the nearest passage</text>
<text class="small" transform="translate(20 ${middle}) rotate(-90)" text-anchor="middle">questions</text>
</svg>
`;
}
