'use strict';
// Tables that sort by a heading, and parts that open where a link leads. Without it the page is
// complete: tables stand in the order they were written in, and closed parts open by hand.

/** The number of a field with full precision; NaN where it holds none. */
function numberOf(field) {
  return parseFloat(field.dataset.value ?? field.textContent);
}

/** Sorts by the column at `place`: ascending first, missing numbers last either way. */
function sort(table, heading, place) {
  const ascending = heading.getAttribute('aria-sort') !== 'ascending';
  const numeric = heading.classList.contains('number');
  const sign = ascending ? 1 : -1;
  const words = new Intl.Collator('en', { numeric: true });
  const compare = (a, b) => {
    if (!numeric) return sign * words.compare(a.key, b.key);
    if (Number.isNaN(a.key) || Number.isNaN(b.key)) {
      return Number.isNaN(a.key) - Number.isNaN(b.key);
    }
    return sign * (a.key - b.key);
  };
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => {
    const field = row.cells[place];
    return { row, key: numeric ? numberOf(field) : field.textContent.trim() };
  });
  rows.sort(compare);
  body.append(...rows.map(({ row }) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
}

for (const table of document.querySelectorAll('table.sortable')) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, place) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'sort by this column';
    button.append(...heading.childNodes);
    button.addEventListener('click', () => sort(table, heading, place));
    heading.append(button);
  });
}

/** Opens what holds the target of the address and goes there. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  let around = target.closest('details');
  if (!around) return;
  for (; around; around = around.parentElement.closest('details')) around.open = true;
  target.scrollIntoView({ block: 'center' });
}
addEventListener('hashchange', reveal);
// The same link again does not change the address.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) reveal();
});
reveal();
