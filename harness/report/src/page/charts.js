// Charts over the tables: uPlot draws axes and lines, and this draws marks with their intervals and says what
// the pointer is at. Drawings for paper are unpacked.

const [X, VALUE, LOW, HIGH, COUNT, MARK, AT, CELLS] = [0, 1, 2, 3, 4, 5, 6, 7];
/** Series of a panel that are shown at first; the legend has the others. */
const SERIES_SHOWN = 7;
/** Panels that are shown at once; the rest is folded. */
const PANELS_OPEN = 6;
const FONT = '11px "DejaVu Sans", Helvetica, Arial, sans-serif';
const isDark = matchMedia('(prefers-color-scheme: dark)');

function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A colour that stands out from the page: dark ones are lightened on dark ground. */
function tone(colour) {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16));
  const luminance = (0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]) / 255;
  const [towards, share] = isDark.matches
    ? [255, luminance < 0.45 ? 0.5 - luminance / 2 : 0]
    : [0, luminance > 0.75 ? 0.3 : 0];
  return `rgb(${parts.map((part) => Math.round(part + (towards - part) * share)).join(', ')})`;
}

/** Corners of gnuplot's points, around 0 and of radius 1; even numbers are hollow from 4 on. */
function corners(type) {
  const ring = (count, turn) => Array.from({ length: count }, (_, corner) => {
    const angle = (turn + corner / count) * 2 * Math.PI;
    return [Math.sin(angle), -Math.cos(angle)];
  });
  const kind = type - (type % 2);
  return { 4: ring(4, 1 / 8), 8: ring(3, 0), 10: ring(3, 1 / 2), 12: ring(4, 0), 14: ring(5, 0) }[kind];
}

/** Draws the mark of a series. */
function drawMark(context, type, x, y, radius, colour) {
  context.strokeStyle = colour;
  context.lineWidth = radius / 3;
  context.beginPath();
  if (type <= 3) {
    const strokes = { 1: [[0, 1], [1, 0]], 2: [[0.7, 0.7], [0.7, -0.7]], 3: [[0, 1], [0.9, 0.5], [0.9, -0.5]] };
    for (const [across, down] of strokes[type] ?? strokes[1]) {
      context.moveTo(x - across * radius, y - down * radius);
      context.lineTo(x + across * radius, y + down * radius);
    }
    context.stroke();
    return;
  }
  const around = corners(type);
  if (around) {
    for (const [across, down] of around) context.lineTo(x + across * radius * 1.15, y + down * radius * 1.15);
    context.closePath();
  } else {
    context.arc(x, y, radius * 0.9, 0, 2 * Math.PI);
  }
  context.fillStyle = type % 2 ? colour : themed('--paper');
  context.fill();
  context.stroke();
}

/** Three significant digits and a decimal prefix. */
function told(value) {
  if (value === null) return 'none';
  const size = Math.abs(value);
  const [scale, prefix] = size >= 1e9 ? [1e9, ' G'] : size >= 1e6 ? [1e6, ' M'] : size >= 1e4 ? [1e3, ' k'] : [1, ''];
  return `${Number((value / scale).toPrecision(3))}${prefix}`;
}

/** Breaks a label into lines of at most `width` letters. */
function wrapped(text, width) {
  const lines = [];
  for (const part of text.split('\n')) {
    let line = '';
    for (const word of part.split(' ')) {
      if (line && line.length + word.length >= width) {
        lines.push(line);
        line = word;
      } else {
        line = line ? `${line} ${word}` : word;
      }
    }
    lines.push(line);
  }
  return lines;
}

/** The ends of the vertical axis: from 0, or from the lowest where it is logarithmic or about a level. */
function verticalRange(chart, series) {
  const values = series.flatMap(({ role, points }) => role === 'reference' ? [] : points)
    .flatMap((point) => [point[VALUE], point[LOW], point[HIGH]]).filter((value) => value !== null);
  // An interval of few processes may be wide beyond use: it is cut where it leaves the numbers far behind.
  const medians = series.flatMap(({ points }) => points.map((point) => point[VALUE])).filter((value) => value !== null);
  const most = Math.max(...medians, chart.base ?? -Infinity);
  const least = Math.min(...medians, chart.base ?? Infinity);
  let high = Math.min(Math.max(...values, most), most > 0 ? most * 1.6 : Infinity);
  let low = Math.max(Math.min(...values, least), least > 0 ? least / 1.6 : -Infinity);
  if (!Number.isFinite(high) || !Number.isFinite(low)) return [0, 1];
  if (chart.logY && low > 0) return [low / 1.2, high * 1.2];
  if (chart.base === undefined && low >= 0) low = 0;
  if (high === low) high = low + 1;
  return [low && low - (high - low) * 0.05, high + (high - low) * 0.07];
}

function horizontalRange(chart, xs) {
  const [first, last] = [xs[0], xs[xs.length - 1]];
  if (chart.axis === 'places') {
    const places = chart.places.map(([x]) => x);
    return [places[0] - 0.5, places[places.length - 1] + 0.5];
  }
  if (chart.logX && first > 0) return [first / 1.15, last * 1.15];
  const pad = (last - first) * 0.05 || 0.5;
  return [first - pad, last + pad];
}

/** Where the series of one place stand beside one another. */
function offset(chart, place, count) {
  return chart.axis === 'places' && count > 1 ? ((place + 0.5) / count - 0.5) * 0.76 : 0;
}

function horizontalAxis(chart, width) {
  const axis = { font: FONT, stroke: () => themed('--quiet'), grid: { show: false }, ticks: { stroke: () => themed('--line'), size: 4 }, size: 24 };
  const named = chart.places.filter(([, text]) => text);
  if (chart.axis === 'places' || (named.length > 0 && named.length <= 12)) {
    const room = Math.max(4, Math.floor((width - 60) / Math.max(named.length, 1) / 6.2));
    const labels = named.map(([, text]) => wrapped(text, room));
    const isNarrow = labels.some((lines) => lines.length > 3 || lines.some((line) => line.length > room + 2));
    axis.splits = () => named.map(([x]) => x);
    axis.values = () => labels.map((lines) => (isNarrow ? lines.join(' ').slice(0, 26) : lines.join('\n')));
    if (isNarrow) axis.rotate = -32;
    const longest = Math.max(...labels.map((lines) => lines.join(' ').length));
    axis.size = isNarrow ? 22 + Math.min(longest, 26) * 3.3 : 12 + 14 * Math.max(...labels.map((lines) => lines.length));
    axis.filter = (_, splits) => splits;
  } else {
    axis.values = (_, splits) => splits.map((split) => (split === null ? '' : told(split)));
    axis.space = 46;
  }
  if (chart.x) Object.assign(axis, { label: chart.x, labelSize: 18, labelFont: FONT, labelGap: 0 });
  return axis;
}

/** All points of a chart that are shown, with their series. */
function shownSeries(chart, hidden) {
  const own = chart.series.filter(({ name }) => !hidden.has(name));
  return own.map((series) => ({ ...series, points: series.points.filter((point) => isShown(point[CELLS])) }))
    .filter(({ points }) => points.length > 0);
}

/** Draws intervals, marks and refusals. */
function drawPoints(plot, chart, placed) {
  const { ctx: context } = plot;
  const ratio = uPlot.pxRatio;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.setLineDash([]);
  context.beginPath();
  context.rect(left - 6 * ratio, top - 6 * ratio, width + 12 * ratio, height + 12 * ratio);
  context.clip();
  if (chart.axis === 'places') {
    context.strokeStyle = themed('--line');
    context.lineWidth = ratio;
    for (const [x] of chart.places.slice(1)) {
      const across = plot.valToPos(x - 0.5, 'x', true);
      context.beginPath();
      context.moveTo(across, top);
      context.lineTo(across, top + height);
      context.stroke();
    }
  }
  if (chart.base !== undefined) {
    context.strokeStyle = themed('--quiet');
    context.beginPath();
    context.moveTo(left, plot.valToPos(chart.base, 'y', true));
    context.lineTo(left + width, plot.valToPos(chart.base, 'y', true));
    context.stroke();
  }
  for (const { series, look, colour, shift } of placed) {
    if (series.role === 'reference' || series.role === 'thin') continue;
    for (const point of series.points) {
      const x = plot.valToPos(point[X] + shift, 'x', true);
      if (point[MARK] === 'full') {
        drawMark(context, 2, x, top + height - 5 * ratio, 5 * ratio, colour);
      }
      if (point[VALUE] === null) continue;
      if (point[LOW] !== null && point[HIGH] !== null && point[COUNT] > 1) {
        const ends = [point[LOW], point[HIGH]].map((end) => plot.valToPos(chart.logY && end <= 0 ? point[VALUE] : end, 'y', true));
        context.strokeStyle = colour;
        context.lineWidth = ratio;
        context.beginPath();
        context.moveTo(x, ends[0]);
        context.lineTo(x, ends[1]);
        for (const end of ends) {
          context.moveTo(x - 3 * ratio, end);
          context.lineTo(x + 3 * ratio, end);
        }
        context.stroke();
      }
      drawMark(context, look[1], x, plot.valToPos(point[VALUE], 'y', true), 4.2 * ratio, colour);
    }
  }
  context.restore();
}

const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);

/** What is said of a point: value, interval, cells. */
function describe(chart, series, point) {
  const [name, unit] = chart.measure.split(', ');
  const ends = point[COUNT] >= 3 ? chart.ends : 'range';
  const lines = [['b', [series.name, chart.panel].filter(Boolean).join(', ')]];
  const where = [point[AT], chart.axis === 'numbers' && chart.x ? `${chart.x} ${told(point[X])}` : ''];
  lines.push(['span', where.filter(Boolean).join('; ')]);
  lines.push(['span', point[VALUE] === null ? 'no number' : `${name}: ${told(point[VALUE])} ${unit ?? ''}`]);
  if (point[COUNT] > 1) lines.push(['span', `${ends} ${told(point[LOW])} to ${told(point[HIGH])}, n = ${point[COUNT]}`]);
  if (point[COUNT] === 1) lines.push(['span', 'one process: no interval']);
  if (point[MARK]) lines.push(['span', point[MARK] === 'full' ? 'refused in at least one process' : point[MARK]]);
  for (const cell of point[CELLS].slice(0, 2)) lines.push(['code', page.cells.cells[cell][0]]);
  if (point[CELLS].length > 2) lines.push(['span', `and ${point[CELLS].length - 2} more cells`]);
  return lines.filter(([, text]) => text);
}

/** Shows what is next to the pointer, within 40 pixels. */
function pointAt(plot, chart, placed, event) {
  const box = plot.over.getBoundingClientRect();
  const [across, down] = [event.clientX - box.left, event.clientY - box.top];
  let [best, nearest] = [null, 40];
  for (const { series, shift } of placed) {
    if (series.role === 'reference') continue;
    for (const point of series.points) {
      const x = plot.valToPos(point[X] + shift, 'x');
      const y = point[VALUE] === null ? box.height - 5 : plot.valToPos(point[VALUE], 'y');
      const distance = Math.hypot(x - across, y - down);
      if (distance < nearest) [best, nearest] = [{ series, point, x, y }, distance];
    }
  }
  tip.hidden = best === null;
  if (!best) return;
  tip.replaceChildren(...describe(chart, best.series, best.point).map(([tag, text]) => {
    const line = document.createElement(tag);
    line.textContent = text;
    return line;
  }));
  const [x, y] = [box.left + best.x, box.top + best.y];
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 14 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 14}px`;
}

/** Draws one panel into its holder, in place of what it shows. */
function build(holder) {
  const { chart, figure, without } = holder;
  holder.plot?.destroy();
  holder.plot = null;
  const series = shownSeries(chart, without);
  holder.parentElement.classList.toggle('empty', series.length === 0);
  if (series.length === 0 || holder.clientWidth === 0) return;
  const looks = new Map(page.figures[figure].looks);
  const beside = series.filter(({ role }) => role !== 'reference');
  const placed = series.map((own) => {
    const look = looks.get(own.name);
    const isBound = own.role === 'reference';
    const colour = isBound ? themed('--bound') : tone(look[0]);
    return { series: own, look, colour, shift: isBound ? 0 : offset(chart, beside.indexOf(own), beside.length) };
  });
  const xs = [...new Set(placed.flatMap(({ series: own, shift }) => own.points.map((point) => point[X] + shift)))]
    .sort((one, other) => one - other);
  const columns = placed.map(({ series: own, shift }) => {
    const values = new Map(own.points.map((point) => [point[X] + shift, point[VALUE]]));
    return xs.map((x) => values.get(x) ?? null);
  });
  const [width, height] = [holder.clientWidth, holder.clientHeight];
  const full = horizontalRange(chart, xs);
  const vertical = verticalRange(chart, series);
  const draws = (own) => chart.axis === 'numbers' || own.role === 'reference' || own.role === 'level';
  holder.plot = new uPlot({
    width,
    height,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, x: false, y: false, drag: { x: true, y: true, uni: 24 } },
    scales: {
      x: {
        time: false,
        ...(chart.logX && xs[0] > 0 ? { distr: 3, log: 2 } : {}),
        range: (_, low, high) => (low <= xs[0] && high >= xs[xs.length - 1] ? full : [low, high]),
      },
      y: { ...(chart.logY && vertical[0] > 0 ? { distr: 3 } : {}), range: () => vertical },
    },
    axes: [
      horizontalAxis(chart, width),
      {
        font: FONT,
        size: 46,
        space: 34,
        stroke: () => themed('--quiet'),
        grid: { stroke: () => themed('--line'), width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map((split) => (split === null ? '' : told(split))),
      },
    ],
    series: [{}, ...placed.map(({ series: own, look, colour }) => ({
      label: own.name,
      stroke: colour,
      width: own.role === 'main' ? 1.6 : 1,
      dash: own.role === 'level' ? [2, 3] : [[], [7, 3], [2, 2], [8, 3, 2, 3], [12, 4]][(look[2] - 1) % 5],
      spanGaps: true,
      points: { show: false },
      ...(draws(own) ? {} : { paths: () => null }),
    }))],
    hooks: { draw: [(plot) => drawPoints(plot, chart, placed)] },
  }, [xs, ...columns], holder);
  const { over } = holder.plot;
  for (const kind of ['pointermove', 'pointerdown']) {
    over.addEventListener(kind, (event) => pointAt(holder.plot, chart, placed, event));
  }
  over.addEventListener('pointerleave', () => { tip.hidden = true; });
}

/** A chart is drawn when it comes near the window. */
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    target.isNear = isIntersecting;
    if (isIntersecting && target.isStale) {
      target.isStale = false;
      build(target);
    }
  }
}, { rootMargin: '400px' });

function renew(holders) {
  for (const holder of holders) {
    holder.isStale = !holder.isNear;
    if (holder.isNear) build(holder);
  }
}

/** The legend of a figure; a click hides a series. */
function legend(figure, holders, hidden) {
  const list = document.createElement('ul');
  list.className = 'legend';
  const { charts, looks } = page.figures[figure];
  const later = new Set(hidden);
  const bounds = new Set(charts.flatMap(({ series }) => series.filter(({ role }) => role === 'reference').map(({ name }) => name)));
  for (const [name, look] of looks) {
    if (!name) continue;
    const [item, button, swatch] = ['li', 'button', 'canvas'].map((tag) => document.createElement(tag));
    const ratio = devicePixelRatio || 1;
    Object.assign(swatch, { width: 22 * ratio, height: 14 * ratio });
    const paint = () => {
      const context = swatch.getContext('2d');
      context.clearRect(0, 0, swatch.width, swatch.height);
      const colour = bounds.has(name) ? themed('--bound') : tone(look[0]);
      if (bounds.has(name) || charts[0].axis === 'numbers') {
        context.strokeStyle = colour;
        context.lineWidth = 1.6 * ratio;
        context.beginPath();
        context.moveTo(0, 7 * ratio);
        context.lineTo(22 * ratio, 7 * ratio);
        context.stroke();
      }
      if (!bounds.has(name)) drawMark(context, look[1], 11 * ratio, 7 * ratio, 4.5 * ratio, colour);
    };
    paint();
    isDark.addEventListener('change', paint);
    const press = () => button.setAttribute('aria-pressed', String(!hidden.has(name)));
    // A store that is chosen is shown, wherever it stands.
    document.addEventListener('filtered', () => {
      if (chosen[0].size > 0) hidden.delete(name);
      else if (later.has(name)) hidden.add(name);
      press();
    });
    button.type = 'button';
    press();
    button.append(swatch, ` ${name}`);
    button.addEventListener('click', () => {
      if (!hidden.delete(name)) hidden.add(name);
      press();
      renew(holders);
    });
    item.append(button);
    list.append(item);
  }
  return list;
}

/** The series that stand behind the first few of every panel they are in. */
function behind(charts) {
  const competing = charts.map(({ series }) => series.filter(({ role }) => role !== 'reference').map(({ name }) => name));
  const first = new Set(competing.flatMap((names) => [...new Set(names)].slice(0, SERIES_SHOWN)));
  return new Set(competing.flat().filter((name) => !first.has(name)));
}

const all = [];
for (const place of document.querySelectorAll('[data-charts]')) {
  const figure = place.dataset.charts;
  const { charts } = page.figures[figure];
  const hidden = behind(charts);
  // All panels of a figure are as wide as the one that needs most room.
  const isBroad = charts.some(({ axis, series }) =>
    axis === 'places' && series.reduce((count, { points }) => count + points.length, 0) > 44);
  const holders = charts.map((chart) => {
    const panel = document.createElement('div');
    panel.className = isBroad ? 'panel broad' : 'panel';
    const title = document.createElement('p');
    title.textContent = [chart.measure, chart.panel].filter(Boolean).join(' · ');
    const holder = document.createElement('div');
    holder.className = 'plot';
    Object.assign(holder, { chart, figure, without: hidden, isStale: true, isNear: false });
    panel.append(title, holder);
    return holder;
  });
  place.append(legend(figure, holders, hidden));
  const open = holders.slice(0, PANELS_OPEN).map((holder) => holder.parentElement);
  const rest = holders.slice(PANELS_OPEN).map((holder) => holder.parentElement);
  const grid = document.createElement('div');
  grid.className = 'grid';
  grid.append(...open);
  place.append(grid);
  if (rest.length > 0) {
    const [more, summary, folded] = ['details', 'summary', 'div'].map((tag) => document.createElement(tag));
    summary.textContent = `${rest.length} more panels`;
    folded.className = 'grid';
    folded.append(...rest);
    more.append(summary, folded);
    place.append(more);
  }
  for (const holder of holders) seen.observe(holder);
  all.push(...holders);
}

document.addEventListener('filtered', () => renew(all));
isDark.addEventListener('change', () => renew(all));
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  renew(all);
});
addEventListener('scroll', () => { tip.hidden = true; }, { passive: true });

/** Unpacks a drawing into its place. */
async function unpack(place, packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const image = document.createElement('img');
  image.alt = place.dataset.alt;
  image.src = `data:image/svg+xml,${encodeURIComponent(await new Response(stream).text())}`;
  place.replaceChildren(image);
}

/** Those that are on the screen first; those for paper follow, so that they are there when the page is printed. */
async function unpackAll() {
  const drawings = JSON.parse(document.getElementById('drawings').textContent);
  const places = [...document.querySelectorAll('[data-drawing]')];
  places.sort((one, other) => one.classList.contains('paper') - other.classList.contains('paper'));
  for (const place of places) await unpack(place, drawings[place.dataset.drawing]);
  document.documentElement.dataset.unpacked = places.length;
}
unpackAll();
