// What is shown: readers choose stores, workloads and fills. A number is shown where one of its cells is of
// every choice. Without this script all numbers are shown.

const page = JSON.parse(document.getElementById('charts').textContent);
const CHOICES = ['store', 'workload', 'fill'];
const chosen = CHOICES.map(() => new Set());

/** Whether a number of these cells is shown. */
function isShown(cells) {
  if (chosen.every((values) => values.size === 0)) return true;
  return cells.some((cell) => {
    const own = page.cells.cells[cell];
    return chosen.every((values, place) => values.size === 0 || values.has(own[place + 1]));
  });
}

/** Hides the lines of tables that are not chosen, and figures of which nothing is left. */
function filterFigures() {
  let shown = 0;
  const sections = document.querySelectorAll('section.figure');
  const links = [...document.querySelectorAll('nav a')];
  for (const section of sections) {
    let left = false;
    for (const row of section.querySelectorAll('.numbers tr')) {
      if (row.parentElement.tagName === 'THEAD') continue;
      row.hidden = !isShown((row.dataset.cells ?? '').split(' ').filter(Boolean).map(Number));
      left ||= !row.hidden;
    }
    const charts = page.figures[section.id]?.charts ?? [];
    left ||= charts.some(({ series }) => series.some(({ points }) => points.some((point) => isShown(point[7]))));
    section.hidden = !left;
    shown += left;
    const link = links.find(({ hash }) => hash === `#${section.id}`);
    if (link) link.parentElement.hidden = !left;
  }
  return `${shown} of ${sections.length} figures`;
}

const form = document.getElementById('filter');
if (form) {
  form.hidden = false;
  const apply = () => {
    CHOICES.forEach((name, place) => {
      const boxes = form.querySelectorAll(`input[name="${name}"]:checked`);
      chosen[place] = new Set(Array.from(boxes, (box) => Number(box.value)));
      const count = form.querySelector(`[data-count="${name}"]`);
      if (count) count.textContent = boxes.length ? `: ${boxes.length}` : ': all';
    });
    const told = filterFigures();
    const isAll = chosen.every((values) => values.size === 0);
    document.getElementById('filtered').textContent = isAll ? '' : told;
    document.dispatchEvent(new Event('filtered'));
  };
  form.addEventListener('change', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  // One list is open at a time, and a click elsewhere closes it.
  document.addEventListener('click', (event) => {
    for (const choice of form.querySelectorAll('.choice[open]')) {
      if (!choice.contains(event.target)) choice.open = false;
    }
  });
  apply();
}
